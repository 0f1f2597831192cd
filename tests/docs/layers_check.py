"""Compares the sources' includes with the table of folders in docs/developers.md: layers_check.py SOURCE.

A folder must include only folders in lower rows of the table, and each folder of sources must have a row. The test
prints the includes that point upward or sideways.
"""
import pathlib
import re
import sys

MIN_INCLUDES = 500  # includes between folders; with fewer the script has not found the headers
INCLUDE = re.compile(r'^\s*#\s*include ["<]([^">]+)[">]', re.M)


def rows_of(page):
    """Returns {folder: row of the table}, counted from the top. A name that ends with a slash is the parent folder of
    the names after it."""
    table = page.split("## Map of folders")[1].split("\n## ")[0]
    rows = {}
    for number, cell in enumerate(re.findall(r"^\| (`[^|]*) \|", table, re.M)):
        parent = ""
        for name in re.findall(r"`([^`]+)`", cell):
            if name.endswith("/"):
                parent = name
            else:
                rows[parent + name] = number
    return rows


def folder_of(name, rows):
    """Returns the longest name in the table that contains this file, or None."""
    return max((f for f in rows if name == f or name.startswith(f + "/")), key=len, default=None)


def main(source):
    rows = rows_of((source / "docs/developers.md").read_text(encoding="utf-8"))
    assert len(rows) > 15, f"found {len(rows)} folders in the table of docs/developers.md, expected more than 15"
    files = {str(p.relative_to(source)): p for top in ("lib", "simd", "tools", "include") for p in (source / top).rglob("*")
             if p.suffix in (".h", ".hpp", ".cpp", ".cu", ".cuh")}
    wrong, checked = [], 0
    for name, path in sorted(files.items()):
        folder = folder_of(name, rows)
        if folder is None:
            wrong.append(f"{name}: found no row for its folder, expected one of {', '.join(rows)}")
            continue
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            places = (f"{top}{header}" for top in ("lib/", "include/", "", f"{pathlib.Path(name).parent}/"))
            found = next((place for place in places if place in files), None)
            other = None if found is None else folder_of(found, rows)
            if other is None or other == folder:
                continue
            checked += 1
            if rows[other] <= rows[folder]:
                wrong.append(f"{name}: found an include of {found}, expected a row below {folder}")
    print("\n".join(wrong) or f"{checked} includes between folders point to lower rows")
    assert checked >= MIN_INCLUDES, f"found {checked} includes between folders, expected at least {MIN_INCLUDES}"
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
