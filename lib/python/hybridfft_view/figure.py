"""Draws pictures with matplotlib: a plane with marks, axes and a colour bar, or curves over time."""
import numpy as np
from matplotlib import patheffects, rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from .files import Failure
from .scale import DIVERGING, described, finite_range, limits, time_unit, unit_of

DPI = 100
LONGER_SIDE = 800  # default length of the longer side in pixels
MAX_PIXELS = 2**16 - 2**11  # matplotlib's limit along each side, less some room for margins
MIN_BAR_HEIGHT = 200
MIN_AXIS = 40  # shorter axes (in pixels) get only one label
MIN_TEXT_WIDTH = 480
GAP = 8
LABEL, NAME, TITLE = 11, 12, 14  # sizes of text in points
# Colours of lines, sources, text and its halo.
ON_DARK = ("#ebebeb", "#5ae1d7", "#ffffff", "#0c0a18")
ON_LIGHT = ("#404040", "#00733c", "#202020", "#ffffff")
# Colours distinct in hue and in lightness (Okabe and Ito 2008).
CURVES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
HATCH = "////"

rcParams.update({"font.size": LABEL, "axes.labelsize": NAME, "axes.titlesize": TITLE, "hatch.linewidth": 0.8,
                 "hatch.color": "#b0b0b0"})


def plain(text):
    """Returns the text with dollar signs escaped, so that matplotlib does not interpret it as a formula."""
    return text.replace("$", r"\$")


def axis_unit(side, unit):
    """Returns the name of a side's unit, and the factor from grid points to this unit."""
    return (unit[0], side.spacing * unit[1]) if side.spacing else ("grid points", 1.)


def extent_of(side, unit):
    """Returns the coordinates of both ends of a side, half a step beyond its first and last value."""
    factor = axis_unit(side, unit)[1]
    return [(side.first + at * side.step) * factor for at in (-0.5, side.points - 0.5)]


def pixels_of(plane, per_point):
    """Returns the width and the height of one value in pixels, in proportion to the distances on the grid.
    ``per_point`` is the length of the shorter one; None selects it by the size of the picture."""
    across, up = (side.step * (side.spacing or 1.) for side in (plane.across, plane.up))
    smaller = min(across, up)
    if per_point is None:
        per_point = max(1, round(LONGER_SIDE * smaller / max(across * plane.across.points, up * plane.up.points)))
    pixels = round(per_point * across / smaller), round(per_point * up / smaller)
    if max(pixels[0] * plane.across.points, pixels[1] * plane.up.points) > MAX_PIXELS:
        raise Failure(f"--scale: found {per_point} pixels per point, expected a picture of at most {MAX_PIXELS} pixels "
                      "along each side")
    return pixels


class Canvas:
    """A figure with axes of integer sizes in pixels, and margins that fit the text around them."""

    def __init__(self, width, height):
        self.size = (width, height)
        self.figure = Figure(dpi=DPI)
        self.canvas = FigureCanvasAgg(self.figure)
        self.measure = RendererAgg(1, 1, DPI)  # measures text without allocating a picture
        self.boxes = {}
        self.axes = self.add(0, 0, width, height)
        self.top = height  # upper end of the items above the axes
        self.margins = (0, 0, width, height)
        self._place()

    def add(self, x, y, width, height):
        """Adds axes of a size in pixels; x and y are pixels from the lower left corner of the first axes."""
        axes = self.figure.add_axes([0, 0, 1, 1], label=str(len(self.boxes)))
        self.boxes[axes] = (x, y, width, height)
        return axes

    def _place(self):
        left, bottom, right, top = self.margins
        size = np.array([right - left, top - bottom])
        self.figure.set_size_inches(size / DPI)
        for axes, (x, y, width, height) in self.boxes.items():
            axes.set_position([(x - left) / size[0], (y - bottom) / size[1], width / size[0], height / size[1]])

    def fit(self):
        """Sets the margins so that the figure contains all its items. Returns the edges of the items (left, bottom,
        right, top), in pixels from the lower left corner of the first axes."""
        edges = self.figure.get_tightbbox(self.measure).extents * DPI + np.tile(self.margins[:2], 2)
        edges = [*np.floor(edges[:2]).astype(int).tolist(), *np.ceil(edges[2:]).astype(int).tolist()]
        self.margins = (edges[0] - GAP, edges[1] - GAP, edges[2] + GAP, edges[3] + GAP)
        self._place()
        return edges

    def wrapped(self, text, width, size):
        """Returns the text in lines of at most `width` pixels, and splits longer words between letters."""
        def wide(line):
            probe.set_text(plain(line))
            return probe.get_window_extent(self.measure).width > width
        probe = self.figure.text(0, 0, "", fontsize=size)
        lines = [""]
        for word in text.split(" "):
            if lines[-1] and wide(f"{lines[-1]} {word}"):
                lines.append("")
            lines[-1] += " " * bool(lines[-1]) + word
            while len(lines[-1]) > 1 and wide(lines[-1]):
                line = lines.pop()
                fits = next((n for n in range(len(line) - 1, 1, -1) if not wide(line[:n])), 1)
                lines += [line[:fits], line[fits:]]
        probe.remove()
        return "\n".join(lines)

    def write(self, x, y, text, size, **options):
        points = (x * 72 / DPI, y * 72 / DPI)  # points do not depend on the file's resolution
        return self.axes.annotate(plain(text), points, xycoords="axes points", fontsize=size, annotation_clip=False,
                                  **options)

    def pixels(self):
        """Returns the picture as an array [rows][columns][red, green, blue] of 8-bit values."""
        try:
            self.canvas.draw()
            return np.asarray(self.canvas.buffer_rgba())[:, :, :3].copy()
        except MemoryError as error:
            width, height = self.canvas.get_width_height()
            size = 4 * width * height
            raise Failure(f"out of memory: {size} bytes ({1e-9 * size:.3g} GB) for a picture of {width} x {height} "
                          "pixels cannot be allocated") from error


class PlanePicture(Canvas):
    """A picture of a plane of values. `update` replaces the values by those of another time step, for animations."""

    def __init__(self, plane, scale, marks, o):
        pixels = pixels_of(plane, o.scale)
        super().__init__(pixels[0] * plane.across.points, pixels[1] * plane.up.points)
        self.plane, self.scale, self.marks = plane, scale, marks
        self.ink = ON_LIGHT if scale.colours == DIVERGING else ON_DARK
        self.cell = min(pixels[0] / plane.across.step, pixels[1] / plane.up.step)
        self._draw_values(o)
        self._draw_marks()
        self._draw_notes(o.notes)
        self._draw_bar()
        _, _, right, _ = self.fit()
        self.text_width = max(right, MIN_TEXT_WIDTH)
        self._draw_legend()
        self._draw_captions(o.caption)
        self.title = None

    def _draw_values(self, o):
        plane, axes = self.plane, self.axes
        self.image = axes.imshow(self._clipped(plane.values), origin="lower", aspect="auto", cmap=self.scale.colours,
                                 vmin=self.scale.lowest, vmax=self.scale.highest, resample=True,
                                 extent=[*extent_of(plane.across, plane.unit), *extent_of(plane.up, plane.unit)],
                                 interpolation="nearest" if o.interpolation == "nearest" else "catrom")
        axes.autoscale(False)
        for axis, side, length in ((axes.xaxis, plane.across, self.size[0]), (axes.yaxis, plane.up, self.size[1])):
            axis.set_label_text(f"{side.name} [{axis_unit(side, plane.unit)[0]}]")
            axis.set_major_locator(MaxNLocator("auto", steps=(1, 2, 5, 10), integer=not side.spacing))
            if length < MIN_AXIS:
                axis.set_ticks([np.mean(extent_of(side, plane.unit))])
        self.missing = axes.add_patch(self._missing())

    def _clipped(self, values):
        """Returns the values in the unit of the scale, limited to its range. Missing values (NaN) near others get the
        mean of their neighbours, so that the interpolation of the picture has no dark edges there."""
        values = np.clip(self.scale.shown(values), self.scale.lowest, self.scale.highest)
        rows, columns = values.shape
        for _ in range(2):
            if not np.isnan(values).any():
                break
            around = np.pad(values, 1, constant_values=np.nan)
            near = np.array([around[y:y + rows, x:x + columns] for y in range(3) for x in range(3)])
            count = np.isfinite(near).sum(axis=0)
            values = np.where(np.isnan(values), np.nansum(near, axis=0) / np.where(count, count, np.nan), values)
        return np.nan_to_num(values, nan=self.scale.lowest)

    def _missing(self):
        """Returns a hatched patch that covers the missing values (NaN), one rectangle per run of them in a row."""
        edges = np.diff(np.pad(np.isnan(self.plane.values), ((0, 0), (1, 1))).astype(int), axis=1)
        (y, left), (_, right) = np.nonzero(edges == 1), np.nonzero(edges == -1)
        corners = np.array([[left, y], [right, y], [right, y + 1], [left, y + 1]], float).transpose(2, 0, 1)
        starts, steps = zip(*((low, (high - low) / side.points) for side in (self.plane.across, self.plane.up)
                              for low, high in [extent_of(side, self.plane.unit)]))
        path = Path.make_compound_path_from_polys(corners * steps + starts) if len(y) else Path(np.empty((0, 2)))
        return PathPatch(path, facecolor="white", edgecolor=rcParams["hatch.color"], hatch=HATCH, linewidth=0)

    def _style(self, kind):
        line, source, _, _ = self.ink
        if kind == "source":
            return {"colors": source, "linewidths": max(2.5, 0.5 * self.cell) * 72 / DPI, "capstyle": "round"}
        return {"colors": line, "linewidths": 1, "linestyles": (0, (6, 4)) if kind == "pml" else "solid"}

    def _draw_marks(self):
        factors = [axis_unit(side, self.plane.unit)[1] for side in (self.plane.across, self.plane.up)]
        for mark in self.marks:
            style = self._style(mark.kind)
            points = [line[0] * factors for line in mark.lines if len(line) == 1]
            if points:
                self.axes.plot(*np.transpose(points), "o", color=style["colors"], markersize=style["linewidths"],
                               markeredgewidth=0)
            lines = [line * factors for line in mark.lines if len(line) > 1]
            drawn = self.axes.add_collection(LineCollection(lines, **style), autolim=False)
            if mark.kind != "source":
                drawn.set_path_effects([patheffects.withStroke(linewidth=2, foreground=self.ink[3], alpha=0.4)])

    def _draw_notes(self, notes):
        (left, right), (bottom, top) = (extent_of(side, self.plane.unit) for side in (self.plane.across, self.plane.up))
        for x, y, text in notes:
            if not (left <= x <= right and bottom <= y <= top):
                raise Failure(f"--note: found '{x:g},{y:g},{text}', expected a place in the picture, from "
                              f"{left:g},{bottom:g} to {right:g},{top:g}")
            note = self.axes.text(x, y, plain(text), color=self.ink[2], ha="center", va="center", fontsize=LABEL)
            note.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground=self.ink[3])])

    def _draw_bar(self):
        width, height = self.size
        high = max(height, MIN_BAR_HEIGHT)
        axes = self.add(width + 28, (height - high) // 2, 22, high)
        self._place()
        self.bar = self.figure.colorbar(self.image, cax=axes, label=plain(self.scale.label), extendfrac=18 / high,
                                        extend=self.scale.beyond)
        self.top = max(self.top, height + (high - height) // 2)

    def _draw_legend(self):
        handles = [Line2D([], [], label=mark.name, color=style["colors"], linestyle=style.get("linestyles", "solid"),
                          linewidth=min(style["linewidths"], 4))
                   for mark in self.marks for style in [self._style(mark.kind)]]
        if np.isnan(self.plane.values).any():
            handles.append(Patch(facecolor="white", edgecolor=rcParams["hatch.color"], hatch=HATCH,
                                 label="no value recorded"))
        if not handles:
            return
        ground = self.image.cmap(0.5 if self.scale.colours == DIVERGING else 0.1)
        for columns in range(len(handles), 0, -1):
            legend = self.axes.legend(handles=handles, loc="lower left", ncol=columns, facecolor=ground, framealpha=1,
                                      labelcolor=self.ink[2], edgecolor="none", borderaxespad=0, fontsize=LABEL - 1,
                                      bbox_to_anchor=(0, (self.top + GAP) / self.size[1]))
            box = legend.get_window_extent(self.measure)
            if box.width <= self.text_width:
                break
        self.top += GAP + box.height

    def _draw_captions(self, captions):
        if captions:
            text = "\n".join(self.wrapped(line, self.text_width, LABEL - 1) for line in captions)
            self.write(0, self.fit()[1] - GAP, text, LABEL - 1, va="top", linespacing=1.4)

    def update(self, plane, title):
        self.plane = plane
        self.image.set_data(self._clipped(plane.values))
        self.missing.set_path(self._missing().get_path())
        self.set_title(title)

    def set_title(self, title):
        """Sets the title. The first call also fits the size of the picture to the title."""
        text = self.wrapped(title, self.text_width, TITLE)
        if self.title is None:
            self.title = self.write(0, self.top + 1.5 * GAP, text, TITLE, va="bottom")
            self.fit()
        self.title.set_text(plain(text))


def picture_of_plane(plane, scale, marks, o, title):
    picture = PlanePicture(plane, scale, marks, o)
    picture.set_title(title)
    return picture


def time_axis(series):
    """Returns the times or the positions of the values, and the label of their axis."""
    if series.along:
        return series.along
    steps = series.first_step + np.arange(len(series.values[0]))
    if not series.dt:
        return steps, "time step"
    unit, factor = time_unit(steps[-1] * series.dt)
    return steps * series.dt * factor, f"t [{unit}]"


def picture_of_curves(series, o, title):
    low, high = finite_range(np.concatenate(series.values))
    lowest, highest = limits(low, high, o, 0.06 * (high - low) or 0.1 * abs(low) or 1.)
    unit, factor = unit_of(o.dataset, max(abs(lowest), abs(highest)))
    times, name = time_axis(series)
    picture = Canvas(800, 400)
    axes = picture.axes
    for place, values, colour in zip(series.places, series.values, CURVES):
        axes.plot(times, values * factor, color=colour, linewidth=1.5, label=plain(place), solid_joinstyle="round")
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(lowest * factor, highest * factor)
    axes.set_xlabel(name)
    axes.set_ylabel(plain(described(o.dataset)) + (f" [{unit}]" if unit else ""))
    axes.grid(color="#e4e4e4")
    axes.set_axisbelow(True)
    if len(series.values) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    _, _, right, _ = picture.fit()
    picture.write(0, 400 + 1.5 * GAP, picture.wrapped(title, max(right, MIN_TEXT_WIDTH), TITLE), TITLE, va="bottom")
    picture.fit()
    return picture
