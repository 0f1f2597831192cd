"""figures_check.py SOURCE SCRATCH: every figure of a page is in the table of docs/developers.md, with a command whose
program is there; the quick ones among these programs draw the figures that the pages show."""

import pathlib
import re
import shutil
import subprocess
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

# Figures drawn within a second each, in a copy of their sources.
shutil.rmtree(scratch, ignore_errors=True)
shutil.copytree(source / "docs" / "figures", scratch / "docs" / "figures")
(scratch / "bench").mkdir()
shutil.copytree(source / "bench" / "model", scratch / "bench" / "model")
try:
    from PIL import Image, ImageChops, ImageFilter  # comes with matplotlib
except ImportError:
    sys.exit(77)
for name in ("layouts", "scaling"):
    figure = scratch / "docs" / "figures" / f"{name}.png"
    figure.unlink()
    subprocess.run([sys.executable, figure.with_suffix(".py")], check=True)
    with Image.open(figure) as drawn, Image.open(source / "docs" / "figures" / f"{name}.png") as known:
        # Versions of matplotlib place letters slightly differently, so the pictures are compared after
        # blurring.
        assert drawn.size == known.size, (name, drawn.size, known.size)
        pair = [image.convert("L").filter(ImageFilter.GaussianBlur(6)) for image in (drawn, known)]
        worst = ImageChops.difference(*pair).getextrema()[1]
        assert worst < 48, (name, worst)
print(f"{len(shown)} figures")
