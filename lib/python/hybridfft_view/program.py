"""The program hybridfft-view: parses its options, draws the picture, and writes the output file."""
import argparse
import contextlib
import math
import os
import re
import secrets
import signal
import subprocess
import sys
import unicodedata
import warnings

DESCRIPTION = """Draws a dataset of an HDF5 file: a slice or a maximum projection with axes and a colour bar, an
animation, or values over time at sensor points. It knows k-Wave's files."""
PICTURES, ANIMATIONS = (".png", ".svg", ".pdf"), (".png", ".gif", ".mp4")
MIN_SHOWN = 0.01  # share of the largest magnitude; an animation begins with the first frame above it
MAX_CURVES = 6
COLOUR_MAPS = ("auto", "diverging", "grey", "sequential")


class Help(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage, actions, groups, prefix="Usage: "):
        super().add_usage(usage, actions, groups, prefix)


class Parser(argparse.ArgumentParser):
    """Parses the options. An error message names the option, the value found and the value expected; the program then
    exits with status 1."""

    def error(self, message):
        self.exit(1, printable(f"{self.prog}: error: {message.removeprefix('argument ')}\nTry '{self.prog} --help'.\n"))


class Once(argparse.Action):
    """Stores an option's value, and reports an error if the option is given twice."""

    def __call__(self, parser, options, value, option=None):
        if self.dest in options.given:
            parser.error(f"{option}: found two of them, expected one")
        options.given.add(self.dest)
        setattr(options, self.dest, value)


def found(text, expected):
    return argparse.ArgumentTypeError(f"found '{text}', expected {expected}")


def one_of(*names):
    def check(text):
        if text not in names:
            raise found(text, f"{', '.join(names[:-1])} or {names[-1]}")
        return text
    return check


def integer(text):
    if not re.fullmatch("[+-]?[0-9]+", text):
        raise found(text, "an integer")
    return int(text)


def number(text):
    try:
        return float(text)
    except ValueError:
        raise found(text, "a number") from None


def note(text):
    match = re.fullmatch(r"([^,]+),([^,]+),(.+)", text, re.DOTALL)
    try:
        return float(match[1]), float(match[2]), match[3]
    except (TypeError, ValueError):
        raise found(text, "X,Y,TEXT such as 32.5,20,focus") from None


def points(words):
    text = " ".join(words)
    numbers = re.split("[x, ]", text)
    if len(numbers) > MAX_CURVES or not all(re.fullmatch("[0-9]+", n) for n in numbers):
        raise found(text, f"1 to {MAX_CURVES} integers from 0 on, such as 0,20,40 or 0 20 40")
    return [int(n) for n in numbers]


class Points(Once):
    def __call__(self, parser, options, words, option=None):
        try:
            super().__call__(parser, options, points(words), option)
        except argparse.ArgumentTypeError as error:
            parser.error(f"{option}: {error}")


def make_parser(version):
    parser = Parser("hybridfft-view", description=DESCRIPTION, formatter_class=Help, allow_abbrev=False)
    parser._negative_number_matcher = re.compile(r"-\.?[0-9]")  # argparse itself treats -2e3 as an option
    parser.set_defaults(given=set())
    add = lambda group, *names, **more: group.add_argument(*names, **{"action": Once, **more})  # noqa: E731
    parser.add_argument("--version", action="version", version=version)
    add(parser, "-i", "--input", metavar="FILE", required=True, help="HDF5 file")
    add(parser, "-d", "--dataset", metavar="NAME", default="", help="to show")
    add(parser, "-o", "--output", metavar="FILE", default="",
        help="file to write: PNG, SVG or PDF; an animation is PNG, GIF or MP4")
    parser.add_argument("--list", action="store_true", help="list the datasets of the input file and their shapes")
    place = parser.add_argument_group("What is shown")
    add(place, "--axis", type=one_of("x", "y", "z"), metavar="{x,y,z}",
        help="across the picture (default: y, or the axis of a single plane)")
    add(place, "--index", type=integer, metavar="INT",
        help="of the slice along that axis, from 0 (default: the middle)")
    place.add_argument("--max-projection", action="store_true",
                       help="the largest value along the axis instead of a slice")
    add(place, "--time-step", type=integer, metavar="INT",
        help="row of a time series, from 0 (default: the largest value over time)")
    place.add_argument("--point", action=Points, nargs="+", metavar="0,20,40", default=[],
                       help="sensor points, counted from 0 in the order of the mask: curves of their values over time "
                            "instead of a picture of the grid (default of a series without a known mask, or at few "
                            "points)")
    add(place, "--frames", type=integer, metavar="INT",
        help="an animation of so many frames, evenly spread over the rows of a time series from the first one with "
             "values above 1 %% of the largest: PNG (APNG, which browsers play), GIF or, with ffmpeg, MP4")
    add(place, "--frame-duration", type=integer, metavar="INT", help="of an animation, ms (default: 80)")
    add(place, "--kwave-input", "--mask", metavar="FILE", default="",
        help="k-Wave input file of the simulation: sensor mask, spacings and time step, where the file shown lacks "
             "them")
    look = parser.add_argument_group("How it looks")
    add(look, "--colour-map", type=one_of(*COLOUR_MAPS), metavar="{%s}" % ",".join(COLOUR_MAPS), default="auto",
        help="default: auto, diverging for data of both signs")
    add(look, "--interpolation", type=one_of("nearest", "smooth"), metavar="{nearest,smooth}",
        help="between grid points; nearest shows each of them as a rectangle (default: smooth)")
    look.add_argument("--no-marks", action="store_true",
                      help="leave out the edge of the PML, sources and borders of materials, which the file or that of "
                           "--kwave-input has")
    look.add_argument("--blocks", action="store_true",
                      help="draw lines around the blocks of a mesh of hybridfft-euler")
    look.add_argument("--note", dest="notes", type=note, action="append", default=[], metavar="X,Y,TEXT",
                      help="a text in the picture, its middle at the place X,Y in the units of the axes; may be given "
                           "several times")
    look.add_argument("--caption", action="append", default=[], metavar="TEXT",
                      help="a line below the picture; may be given several times")
    add(look, "--db", type=number, metavar="FLOAT",
        help="magnitudes in dB below the largest one shown (or --max), over this range")
    add(look, "--min", type=number, metavar="FLOAT", help="value of the first colour, in the file's unit")
    add(look, "--max", type=number, metavar="FLOAT", help="value of the last colour, in the file's unit")
    add(look, "--scale", type=integer, metavar="INT",
        help="pixels per grid point (default: for about 800 pixels along the longer side)")
    add(look, "--dpi", type=integer, metavar="INT", default=100,
        help="resolution of a PNG file; 200 has twice the pixels, for the same size in print (default: 100)")
    add(look, "--title", metavar="TEXT", help="above the picture (default: dataset and place)")
    return parser


def extension(o):
    return os.path.splitext(o.output)[1].lower()


def refusals(o):
    """Yields (option, value found, value expected) for each option that is out of range or contradicts another one."""
    given = lambda value: value is not None  # noqa: E731
    if o.dataset and not o.output:
        yield "-o", "none", "the file to write, such as -o picture.png"
    formats = PICTURES if o.frames is None else ANIMATIONS
    if o.dataset and o.output and extension(o) not in formats:
        yield "-o", f"'{o.output}'", f"a name that ends in {', '.join(formats[:-1])} or {formats[-1]}"
    if not 20 <= o.dpi <= 1200:
        yield "--dpi", o.dpi, "20 to 1200"
    if given(o.frames) and not 2 <= o.frames <= 1000:
        yield "--frames", o.frames, "2 to 1000 of them"
    if given(o.frames) and given(o.time_step):
        yield "--time-step", o.time_step, "no time step together with --frames"
    if given(o.frame_duration) and not 1 <= o.frame_duration <= 65535:
        yield "--frame-duration", o.frame_duration, "1 to 65535 ms"
    if given(o.frame_duration) and not given(o.frames):
        yield "--frame-duration", o.frame_duration, "no duration without --frames"
    if o.point:
        yield from refusals_of_curves(o)
    for name, value in (("--index", o.index), ("--time-step", o.time_step)):
        if given(value) and value < 0:
            yield name, value, "0 or more"
    if given(o.index) and o.max_projection:
        yield "--index", o.index, "no index together with --max-projection"
    if given(o.db) and not 0 < o.db < math.inf:
        yield "--db", f"{o.db:g}", "a range above 0 dB"
    if given(o.db) and given(o.min):
        yield "--min", f"{o.min:g}", "no lowest value together with --db, whose range gives it"
    if given(o.db) and given(o.max) and not o.max > 0:
        yield "--max", f"{o.max:g}", "a value above 0 together with --db"
    for name, value in (("--min", o.min), ("--max", o.max)):
        if given(value) and not math.isfinite(value):
            yield name, f"{value:g}", "a finite number"
    if given(o.min) and given(o.max) and not o.min < o.max:
        yield "--min", f"{o.min:g}", "less than --max"
    if given(o.scale) and not 1 <= o.scale <= 64:
        yield "--scale", o.scale, "1 to 64 pixels per point"


def refusals_of_curves(o):
    """Like `refusals`, for options that do not apply to curves."""
    found_of = {"--axis": o.axis, "--index": o.index, "--max-projection": "it" if o.max_projection else None,
                "--time-step": o.time_step, "--db": o.db, "--scale": o.scale,
                "--colour-map": "one" if o.colour_map != "auto" else None, "--frames": o.frames,
                "--note": o.notes[0][2] if o.notes else None, "--caption": f"'{o.caption[0]}'" if o.caption else None,
                "--blocks": "it" if o.blocks else None, "--no-marks": "it" if o.no_marks else None,
                "--interpolation": "one" if o.interpolation else None}
    for option, value in found_of.items():
        if value is not None:
            yield option, value, "no such option together with --point"


def require_other_file(o):
    from .files import Failure
    for name, role in ((o.input, "the input file"), (o.kwave_input, "the file of --kwave-input")):
        if name and os.path.exists(name) and os.path.exists(o.output) and os.path.samefile(name, o.output):
            raise Failure(f"-o: found '{o.output}', which is {role}; expected another one")


@contextlib.contextmanager
def new_file(path):
    """Context manager: yields a temporary file, and renames it to `path` at the end. After an error `path` is
    unchanged. The new file gets the permissions of the file that it replaces."""
    from .files import Failure
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise Failure(f"cannot create '{path}': there is no folder '{os.path.dirname(path) or folder}'")
    if os.path.exists(target) and not os.path.isfile(target):
        raise Failure(f"cannot create '{path}': it is not a regular file")
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}.tmp")
    mode = os.stat(target).st_mode & 0o777 if os.path.exists(target) else None
    try:
        try:
            file = open(temporary, "xb",
                        opener=lambda name, flags: os.open(name, flags, 0o666 if mode is None else mode))
        except OSError as error:
            raise Failure(f"cannot create '{path}': {error.strerror}") from error
        try:
            with file:
                yield file
                file.flush()
                if mode is not None:
                    os.fchmod(file.fileno(), mode)  # os.open() reduces the mode by the umask
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except OSError as error:
            raise Failure(f"cannot complete '{path}': {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def range_text(name, low, high, unit):
    return f"{name} from {low:.4g} to {high:.4g}{' ' * bool(unit)}{unit}"


def title_of(o, place):
    from .scale import described
    name = described(o.dataset)
    name = name if name == o.dataset else name[0].upper() + name[1:]
    return name + (" at " if re.match("[xyz] = ", place) else ", " if place else "") + place


def draw_plane(file, other, o, output):
    from . import figure, marks, planes, scale
    plane = planes.read_plane(file, other, o)
    colours = scale.make_scale(*scale.finite_range(plane.values), o)
    lines = [] if o.no_marks else marks.find_marks(file, other, plane, o.dataset)
    lines += marks.block_lines(plane) if o.blocks else []
    title = o.title or title_of(o, plane.place)
    size = save_picture(figure.picture_of_plane(plane, colours, lines, o, title), o, output)
    return f"{size}, {title}, " + range_text(o.dataset, colours.lowest, colours.highest, colours.unit)


def save_picture(picture, o, output):
    """Writes a picture in the format of the output file's extension. Returns its size as text."""
    if extension(o) == ".png":
        image = as_image(picture, o.dpi)
        image.save(output, "PNG", dpi=(o.dpi, o.dpi))
        return f"{image.width} x {image.height} pixels"
    date = {".svg": "Date", ".pdf": "CreationDate"}[extension(o)]
    picture.figure.savefig(output, format=extension(o)[1:], metadata={date: None})
    width, height = 25.4 * picture.figure.get_size_inches()
    return f"{width:.0f} x {height:.0f} mm"


def as_image(picture, dpi):
    from PIL import Image
    picture.figure.set_dpi(dpi)
    return Image.fromarray(picture.pixels())


def rows_to_show(frames, times, ranges_of):
    """Returns the rows of an animation, evenly spread, and their ranges of values. If the first frames would be nearly
    empty, the animation begins with the first row above MIN_SHOWN of the largest magnitude."""
    def spread(first):
        rows = [first + n * (times - 1 - first) // (frames - 1) for n in range(frames)]
        return rows, ranges_of(rows)
    rows, ranges = spread(0)
    sizes = [max(abs(low), abs(high)) for low, high in ranges]
    first = next(row for row, size in zip(rows, sizes) if size >= MIN_SHOWN * max(sizes))
    return spread(min(first, times - frames)) if first > 0 else (rows, ranges)


def draw_frames(file, other, o, output):
    from . import figure, marks, planes, scale
    from .files import Failure
    reader = planes.PlaneReader(file, other, o)
    times = reader.source.times
    if times < o.frames:
        raise Failure(f"--frames: found {o.frames}, expected a dataset of as many time steps at least: {o.dataset} has "
                      f"{times}")
    rows, ranges = rows_to_show(o.frames, times,
                                lambda rows: [scale.finite_range(reader.plane(row).values) for row in rows])
    colours = scale.make_scale(min(low for low, _ in ranges), max(high for _, high in ranges), o)
    titles = [f"{o.title or title_of(o, '')}, {reader.moment(row)}" for row in rows]
    first = reader.plane(rows[0])
    lines = [] if o.no_marks else marks.find_marks(file, other, first, o.dataset)
    picture = figure.picture_of_plane(first, colours, lines, o, max(titles, key=len))

    def images():
        for row, title in zip(rows, titles):
            picture.update(reader.plane(row), title)
            yield as_image(picture, o.dpi)
    size = save_animation(images(), output, extension(o), o.frame_duration or 80)
    return (f"{o.frames} frames of {size[0]} x {size[1]} pixels, {reader.moment(rows[0])} to "
            f"{reader.moment(rows[-1])}, " + range_text(o.dataset, colours.lowest, colours.highest, colours.unit))


def save_animation(images, output, kind, milliseconds):
    """Writes an animation of `kind` .png (APNG), .gif or .mp4. Returns the width and height of its frames."""
    first, *others = images
    if kind == ".mp4":
        save_film([first, *others], output, milliseconds)
    else:
        first.save(output, kind[1:].upper(), save_all=True, append_images=others, loop=0,
                   duration=[milliseconds] * (1 + len(others)))
    return first.size


def save_film(images, output, milliseconds):
    """Writes an MP4 file with ffmpeg. Its pixel format, yuv420p, is supported by all players but needs even sizes."""
    from .files import Failure
    width, height = images[0].size
    command = ["ffmpeg", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
               "-r", f"1000/{milliseconds}", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
               "-c:v", "libx264", "-pix_fmt", "yuv420p", "-f", "mp4", "-y", output.name]
    try:
        done = subprocess.run(command, input=b"".join(image.tobytes() for image in images), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise Failure("-o: found an MP4 file, but no ffmpeg; expected ffmpeg on the PATH, or .png or .gif") from None
    if done.returncode != 0:
        raise Failure(f"ffmpeg: found the exit status {done.returncode}, expected 0: "
                      + done.stderr.decode(errors="replace").strip())


def draw_series(file, other, o, output):
    from . import planes
    return draw_curves(planes.read_series(file, other, o), o, output)


def draw_curves(series, o, output):
    from . import figure
    where = series.places[0] if len(series.places) == 1 else f"{len(series.places)} points"
    title = o.title or title_of(o, "") + f" at {where}"
    picture = figure.picture_of_curves(series, o, title)
    size = save_picture(picture, o, output)
    times, name = figure.time_axis(series)
    return f"{size}, {title}, " + range_text(name, times[0], times[-1], "")


def run(o):
    from .files import Failure, dataset_table, open_file
    if not o.list and o.dataset:
        require_other_file(o)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(open_file(o.input))
        if o.list:
            print(printable(f"{o.input}\n{dataset_table(file)}"))
            return
        if not o.dataset:
            raise Failure(f"-d: found none, expected one of the datasets of {o.input}\n{dataset_table(file)}")
        other = stack.enter_context(open_file(o.kwave_input)) if o.kwave_input else file
        if not o.point and next(refusals_of_curves(o), None) is None:
            from .planes import points_of_series
            o.point = points_of_series(file, other, o, MAX_CURVES)
        line = None
        if not o.point and next(refusals_of_curves(o), None) is None:
            from .planes import read_line
            line = read_line(file, other, o)
        draw = draw_series if o.point else draw_plane if o.frames is None else draw_frames
        with new_file(o.output) as output:
            text = draw_curves(line, o, output) if line else draw(file, other, o, output)
        print(printable(f"{o.output}: {text}"))


def package_version():
    from importlib import metadata
    try:
        return metadata.version("hybridfft")
    except metadata.PackageNotFoundError:
        return "of the sources"


def main(arguments=None, version=None):
    """Runs the program and returns its exit status. `version` is the text of --version."""
    o = make_parser(version or f"hybridfft-view {package_version()}").parse_args(arguments)
    for option, value, expected in () if o.list else refusals(o):  # report only the first
        return complain(f"{option}: found {value}, expected {expected}")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda n, _: sys.exit(128 + n))  # SystemExit removes incomplete files
    try:
        import h5py  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as missing:
        return complain(f"{missing}: install h5py and matplotlib (Debian: python3-h5py, python3-matplotlib), or run "
                        f"{sys.argv[0]} with a Python that has them")
    from .files import Failure
    warnings.showwarning = lambda message, *_: report("warning", message)
    try:
        run(o)
    except Failure as failure:
        return complain(failure)
    except MemoryError as error:
        return complain(f"out of memory: {error or 'the picture is too large'}")
    return 0


def printable(text):
    """Returns the text with \\xHH in place of each byte of a control character (except line feeds) or of invalid
    UTF-8."""
    def escaped(letter):
        if letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cs"):
            return letter
        return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
    return "".join(map(escaped, text))


def report(kind, text):
    print(printable(f"hybridfft-view: {kind}: {text}"), file=sys.stderr)


def complain(text):
    report("error", text)
    return 1
