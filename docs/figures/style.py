"""How the figures of this project's documents look."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
from matplotlib import ticker  # noqa: E402
from PIL import Image  # noqa: E402  (comes with matplotlib)

plt.rcParams.update({
    "figure.dpi": 90, "font.size": 10, "axes.grid": True, "grid.color": "#dddddd",
    "axes.axisbelow": True, "legend.frameon": False, "axes.titlesize": 10,
})
# Blue, vermilion, green and purple that differ in lightness too, for readers who confuse hues.
COLOURS = ["#143c8c", "#cd4614", "#0f8764", "#96288a"]


def round_ticks(axis):
    """Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, in plain digits."""
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))


def save(figure, path, colours=64):
    """Writes a figure as PNG of few colours and closes it. A colour map needs 256 of them."""
    figure.savefig(path)
    plt.close(figure)
    reduce_colours(path, path, colours)


def reduce_colours(drawn, path, colours=64):
    """Writes a drawn PNG with few colours, a third of the size."""
    with Image.open(drawn) as image:
        small = image.convert("RGB").quantize(colours)
    small.save(path, optimize=True)
