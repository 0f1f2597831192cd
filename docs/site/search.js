// Search in a site that is opened as a file. Browsers refuse workers and requests there, so the index is a script.
function escapeHtml(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element.innerHTML;
}

function loadScript(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = base_url + "/search/" + name;
    script.onload = resolve;
    script.onerror = () => reject(new Error("expected " + script.src));
    document.head.appendChild(script);
  });
}

function makeIndex(documents) {
  return lunr(function () {
    this.field("title", { boost: 10 });
    this.field("text");
    this.ref("location");
    documents.forEach((page) => this.add(page));
  });
}

// Whole words count most. Parts of words find names such as plan_dft.
function find(index, query) {
  const words = query.toLowerCase().split(/[\s()]+/).filter(Boolean);
  return index.query((terms) => {
    words.forEach((word) => {
      terms.term(lunr.tokenizer(word), { boost: 100 });
      terms.term(word, { boost: 100, usePipeline: false });
      terms.term(word, { wildcard: lunr.Query.wildcard.LEADING | lunr.Query.wildcard.TRAILING, usePipeline: false });
    });
  });
}

// A section is listed with the title of its page.
function describe(ref, pages) {
  const { title, text } = pages[ref];
  const page = pages[ref.split("#")[0]].title;
  return '<article><h3><a href="' + base_url + "/" + ref + '">' + escapeHtml(title) + "</a></h3><p>" +
    (page === title ? "" : "<em>" + escapeHtml(page) + ".</em> ") + escapeHtml(text.slice(0, 200)) + "</p></article>";
}

function show(query, index, pages) {
  const results = query.length < 2 ? [] : find(index, query).slice(0, 50);
  const list = results.map(({ ref }) => describe(ref, pages));
  document.getElementById("mkdocs-search-results").innerHTML = list.join("") || "<p>No results found</p>";
}

window.addEventListener("load", async () => {
  const input = document.getElementById("mkdocs-search-query");
  if (!input) return;
  await loadScript("lunr.js");
  await loadScript("search_index.js");
  const pages = Object.fromEntries(search_index.docs.map((page) => [page.location, page]));
  // The first section of a page repeats the page.
  const index = makeIndex(search_index.docs.filter(({ location, title }) =>
    !location.includes("#") || pages[location.split("#")[0]].title !== title));
  input.value = new URLSearchParams(window.location.search).get("q") || "";
  input.addEventListener("input", () => show(input.value, index, pages));
  show(input.value, index, pages);
});
