"""figures_check.py SOURCE SCRATCH: the table of docs/developers.md has every figure of the pages, with the program that
draws it. The programs draw the figures again, without overlapping texts."""

import pathlib
import re
import runpy
import shutil
import sys

source, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
table = {}
for line in (source / "docs" / "developers.md").read_text(encoding="utf-8").splitlines():
    row = re.fullmatch(r"\| (.*\.png`) \| (`.*) \|", line)
    if row:
        for figure in re.findall(r"`([^`]+)`", row[1]):
            table[figure] = re.findall(r"`([^`]+)`", row[2])[0].split()[0]

shown = set()
pages = [source / "README.md", *(source / "docs").glob("*.md"), *(source / "bench" / "results").glob("*.md")]
for page in pages:
    for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        shown.add((page.parent / target).resolve().relative_to(source.resolve()).as_posix())
assert shown == set(table), (shown - set(table), set(table) - shown)
kept = {path.relative_to(source).as_posix() for path in (source / "docs" / "figures").glob("*.png")}
assert kept <= shown, kept - shown
for figure, program in table.items():
    assert (source / program).is_file(), (figure, program)

# Draws all figures again from recorded measurements, in a copy of their sources.
shutil.rmtree(scratch, ignore_errors=True)
shutil.copytree(source / "docs" / "figures", scratch / "docs" / "figures", ignore=shutil.ignore_patterns("*.png"))
for folder in ("model", "kspace", "levelset", "study"):
    shutil.copytree(source / "bench" / folder, scratch / "bench" / folder)
try:
    import h5py  # noqa: F401  (local_basis.py and compare_bases.py need it)
except ImportError:
    sys.exit(77)
sys.path.insert(0, str(scratch / "docs" / "figures"))
import style  # noqa: E402


def texts(figure):
    """Yields the visible texts and their boxes in pixels. Labels of ticks beyond the axes are left out."""
    beyond = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        beyond |= {tick.label1 for tick in axis.get_major_ticks() + axis.get_minor_ticks()
                   if not low <= tick.get_loc() <= high}
    for text in figure.findobj(style.matplotlib.text.Text):
        box = text.get_window_extent()
        if text not in beyond and text.get_visible() and text.get_text().strip() and box.width and figure.bbox.overlaps(box):
            yield text.get_text(), box


def check_texts(figure, path):
    """Fails if a text overlaps another one or leaves the figure, or if no text is a sentence (the title)."""
    figure.draw_without_rendering()
    found = [*dict((f"{text} {box}", (text, box)) for text, box in texts(figure)).values()]
    for i, (text, box) in enumerate(found):
        inside = figure.bbox.padded(1)
        assert inside.contains(box.x0, box.y0) and inside.contains(box.x1, box.y1), (path, text, box)
        # Figures of layouts write the number of a rank on its block: such numbers may overlap other texts.
        for other, other_box in found[:i]:
            assert text.isdigit() or not box.padded(-1).overlaps(other_box), (path, text, other)
    assert any(re.fullmatch(r"[A-Z0-9].*[a-z].*\.", text, re.S) for text, _ in found), (path, found)


plain_save = style.save


def save(figure, path):
    check_texts(figure, path)
    plain_save(figure, path)


style.save = save
programs = {"docs/figures/layouts.py": [], "docs/figures/scaling.py": [], "docs/figures/local_basis.py": ["--draw"],
            "docs/figures/hosts.py": [], "docs/figures/local_basis_speed.py": [],
            "bench/kspace/compare_bases.py": ["--draw", "--results", str(scratch)], "bench/levelset/scaling.py": ["--draw"]}
for program, arguments in programs.items():
    sys.argv = [program, *arguments]
    runpy.run_path(str(scratch / program), run_name="__main__")
for figure, program in table.items():
    assert program not in programs or (scratch / figure).is_file(), (figure, program)
print(f"{len(shown)} figures")
