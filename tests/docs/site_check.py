"""site_check.py SOURCE SCRATCH: tests the site that tools/docs makes. There is no warning, every link leads to an
existing file and anchor, every figure exists, and the reference has the functions of the headers. The page of each
language has an example, then its functions. The search works in a browser (Chromium, if installed) that opens the site
from files."""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

source, site = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
done = subprocess.run([source / "tools" / "docs", "--no-install", "--output", site], capture_output=True,
                      text=True, check=False)
assert done.returncode == 0 and "arning" not in done.stderr, done.stdout + done.stderr


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.code = [], set(), 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag in ("a", "img") and (found.get("href") or found.get("src")):
            self.links.append(found.get("href") or found["src"])
        self.code += tag == "code"


pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if "reference" not in path.parts}
assert len(pages) > 25, len(pages)
followed, broken = 0, []
for path, page in pages.items():
    if path.name == "404.html":
        continue
    for link in page.links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc or link.startswith(("#", "javascript")) and len(link) < 2:
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        followed += 1
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            broken.append(f"{path.relative_to(site.resolve())}: no file for {link}")
        elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
            broken.append(f"{path.relative_to(site.resolve())}: no anchor for {link}")
assert not broken, "\n".join(broken)
assert followed > 1000, followed

reference = site / "reference"
headers = "".join(path.read_text(encoding="utf-8") for path in reference.glob("*_8h.html"))
for function in ("hfft_plan_slabs", "hfft_plan_dft_3d", "hfft_plan_layouts", "hfft_plan_pruned_layout_dft_c2r",
                 "hfft_operator_planes", "hfft_work_set_memory", "hfft_execute_wait", "hfft_last_error"):
    assert f"{function}()" in headers, function
functions = headers.count('class="memname"')
assert functions >= 90, functions

# The page of each language begins with an example and has the functions.
for language, first, names in (
        ("c", "hfft_plan_dft_3d(64", ("hfft_plan_slabs", "hfft_layout_grid", "hfft_operator_planes")),
        ("cpp", "Plan&lt;double", ("hybridfft::Plan", "hybridfft::Layout", "hybridfft::pencils")),
        ("fortran", "hfft_execute(forward)", ("hfft_plan_slabs", "hfft_plan_dft_3d", "hfft_options_init")),
        ("python", "hybridfft.Plan((", ("Plan", "PFFT", "simulate", "save_wisdom"))):
    text = re.sub(r"</?span[^>]*>", "", (site / f"{language}.html").read_text(encoding="utf-8"))
    for name in names:
        assert 0 < text.find(first) < text.find(f"<code>{name}</code></h3>"), (language, first, name)
    assert 'class="codehilite"' in text, language
assert ".codehilite .k " in (site / "style.css").read_text(encoding="utf-8")

browser = shutil.which("chromium")
if browser:
    found = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                            f"--user-data-dir={site.parent / 'browser'}", "--dump-dom",
                            f"file://{site.resolve()}/search.html?q=plan_dft_3d"],
                           capture_output=True, text=True, check=True, timeout=300).stdout
    results = re.findall(r'<article><h3><a href="([^"]+)"', found)
    assert {"./c.html#hfft_plan_dft_3d", "./fortran.html#hfft_plan_dft_3d"} == set(results[:2]), results[:5]

# tools/docs must not replace a folder that it has not made. If it fails, the former site must remain.
foreign = site.parent / "foreign"
(foreign / "reference").mkdir(parents=True, exist_ok=True)
(foreign / "thesis.txt").write_text("years of work\n")
done = subprocess.run([source / "tools" / "docs", "--no-install", "--output", foreign], capture_output=True,
                      text=True, check=False)
assert done.returncode == 1 and "no documentation" in done.stderr and (foreign / "thesis.txt").exists(), done
failing = site.parent / "failing"
failing.mkdir(exist_ok=True)
(failing / "mkdocs").write_text("#!/bin/sh\nexit 3\n")
(failing / "mkdocs").chmod(0o755)
done = subprocess.run([source / "tools" / "docs", "--no-install", "--output", site], capture_output=True,
                      text=True, check=False, env={**os.environ, "PATH": f"{failing}:{os.environ['PATH']}"})
assert done.returncode != 0 and "expected" not in done.stderr and (site / "index.html").exists(), done
assert not list(site.parent.glob(".tools-docs.*"))
print(f"{len(pages)} pages, {followed} links, {functions} functions")
