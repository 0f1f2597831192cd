"""Measures the style of comments and pages in each folder: prose_check.py SOURCE.

The first figure is the number of headless words (that, those, what, which, where) per 1000 words: it is high for long
chains of clauses. The second is the number of comments that begin with such a word, usually without a subject. Each has
a limit for each folder. If a limit is exceeded, rewrite sentences in the printed files.
"""
import collections
import pathlib
import re
import sys

LIMITS = (15, 0)
FEWEST_WORDS = 150  # folders with fewer are not measured
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
HEADLESS = re.compile(r"\b(that|those|what|which|where)\b", re.I)
FRAGMENT = re.compile(r"(Of|Those|That|What|Which|Where|With what|Nor|Than)\b")
SOURCES = dict.fromkeys((".h", ".hpp", ".cpp", ".c", ".cu", ".cuh"), "//")
SOURCES |= dict.fromkeys((".py", ".cmake", ".txt"), "#")


def comments(text, mark):
    """Yields the texts of the comments of a source. Consecutive lines are one comment."""
    block = []
    for line in text.splitlines() + [""]:
        alone = line.lstrip().startswith(mark)
        trailing = None if alone else re.search(r"\s" + mark + r".*", line)
        if block and not alone:
            yield " ".join(block)
            block = []
        if alone or trailing:
            body = (line if alone else trailing.group()).lstrip().lstrip("/#!<* ").strip()
            if alone:
                block.append(body)
            else:
                yield body


def paragraphs(page):
    """Returns the paragraphs of a page in Markdown, without blocks of code."""
    return re.sub(r"```.*?```", "", page, flags=re.S).split("\n\n")


def folder_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] in ("lib", "tests", "simd") and len(parts) > 2 else parts[0]


def texts_of(source):
    """Yields (path, texts, True if the texts are comments) for each measured file."""
    for top in ("lib", "include", "simd", "tools", "bench", "tests", "docs", "README.md"):
        for path in [source / top] if top.endswith(".md") else sorted((source / top).rglob("*")):
            name = path.relative_to(source)
            if "data" in name.parts or path.suffix == ".txt" and path.name != "CMakeLists.txt":
                continue
            if path.suffix == ".md":
                yield name, paragraphs(path.read_text(encoding="utf-8")), False
            elif path.suffix in SOURCES:
                yield name, comments(path.read_text(encoding="utf-8"), SOURCES[path.suffix]), True


def main(source):
    words, headless, fragments = (collections.Counter() for _ in range(3))
    files = collections.defaultdict(collections.Counter)
    for path, texts, are_comments in texts_of(source):
        folder = folder_of(path)
        for text in texts:
            found = len(HEADLESS.findall(text))
            words[folder] += len(WORD.findall(text))
            headless[folder] += found
            begins = are_comments and FRAGMENT.match(text) is not None
            fragments[folder] += begins
            files[folder][str(path)] += found + begins
    failed = False
    for folder, number in sorted(words.items()):
        if number < FEWEST_WORDS:
            continue
        max_rate, max_fragments = LIMITS
        rate = 1000 * headless[folder] / number
        if rate <= max_rate and fragments[folder] <= max_fragments:
            continue
        failed = True
        print(f"{folder}: {rate:.1f} headless words per 1000, expected at most {max_rate}; {fragments[folder]} fragments, "
              f"expected at most {max_fragments}; mostly in "
              + ", ".join(f"{name} ({count})" for name, count in files[folder].most_common(5)))
    return failed


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
