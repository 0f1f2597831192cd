#!/usr/bin/env python3
"""Error of local Fourier bases for a plane wave that crosses cuts: runs, table and figures.

The test is that of section 2.3 of Jaros, Vaverka and Treeby, "Spectral domain decomposition using
local Fourier basis", Supercomputing Frontiers and Innovations 3 (2016). What the paper leaves open
is fixed here: a periodic line without PML, 0.3 for the CFL number, an initial pressure of maximum 1
in the middle of the first block. At the end of a run the wave to the right has crossed all cuts but
that at the end of the line, and stands at a quarter of the last block. The error is then the
largest difference of the pressure from that of the global basis.

    docs/figures/local_basis.py --program build/release/tools/hybridfft-kspace

writes local_basis.csv and local_basis_*.png beside this script and prints tables. Needs numpy and
h5py, and matplotlib for the figures: apt-get install python3-h5py python3-matplotlib.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    sys.exit(f"local_basis.py: {missing}: apt-get install python3-h5py, and run /usr/bin/python3")

SPACING, SPEED, DENSITY, CFL = 1e-4, 1500.0, 1000.0, 0.3
LINES = 8  # points along y; the field does not depend on y

LADDERS = {  # bases of one kind with growing overlap
    "erf": [f"erf:{h}" for h in (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)],
    "ls": [f"ls:{h}" for h in (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)],
    "opt": ["opt:8", "opt:16"],
    "mom": ["mom:4/16", "mom:6/32", "mom:8/64"],
}
CLASSES = ["erf:16", "ls:16", "opt:16", "mom:6/32"]  # one basis of each kind
SIZES = [32, 64, 128, 256, 512, 1024]
BLOCKS, LINE = [2, 4, 8, 16, 32], 2048
WAVES = [2.5, 3.0, 4.0]  # points per wavelength at -60 dB
EXPONENTS = [0.8, 1.5]  # powers of the absorption law; in the list of runs 0 means no absorption
ATTENUATION = 0.75  # absorption in dB / (MHz^y cm)

PAPER = {  # values printed in the paper, by study and place on its axis
    ("overlap", 16): "< 1e-4",
    ("overlap", 32): "not machine precision",
    ("cuts", 31): "order of 1e-3",
    ("cuts", "slope"): "~0.5",
}
PAPER_SIZES = "almost no change"

FIELDS = ["study", "basis", "sent", "blocks", "points", "wave", "exponent", "coarse_level", "steps",
          "error"]


class Failure(Exception):
    """What went wrong, in words for the user."""


def sent(basis):
    """Values that a neighbour sends for each line that crosses a cut: K of mom:K/W, H of erf:H."""
    return int(basis.partition(":")[2].partition("/")[0])


def initial_pressure(points, source, wave):
    """A delta filtered by a Blackman window, for wave 0; else a Gaussian spectrum that is down by
    60 dB at so many points per wavelength. Maximum 1."""
    k = 2 * np.pi * np.fft.fftfreq(points)
    if wave:
        spectrum = np.exp(-np.log(1e3) * (k * wave / (2 * np.pi)) ** 2)
    else:
        spectrum = 0.42 + 0.5 * np.cos(k) + 0.08 * np.cos(2 * k)
    p = np.fft.ifft(spectrum).real
    return np.roll(p / p.max(), source)


def exact_pressure(p0, steps):
    """D'Alembert's solution on a periodic line."""
    k = 2 * np.pi * np.fft.rfftfreq(p0.size)
    return np.fft.irfft(np.fft.rfft(p0) * np.cos(k * CFL * steps), p0.size)


def write_input(path, p0, steps, exponent):
    """A k-Wave input file, version 1.2, whose real numbers are in double precision."""
    whole = {"Nx": p0.size, "Ny": LINES, "Nz": 1, "Nt": steps + 1,  # the first step sets p0
             "p0_source_flag": 1, "sensor_mask_type": 0, "sensor_mask_index": 1,
             "absorbing_flag": 1 if exponent else 0}
    whole |= {name: 0 for name in (
        "ux_source_flag", "uy_source_flag", "uz_source_flag", "p_source_flag",
        "transducer_source_flag", "nonuniform_grid_flag", "nonlinear_flag",
        "axisymmetric_flag", "elastic_flag", "sxx_source_flag", "syy_source_flag",
        "szz_source_flag", "sxy_source_flag", "sxz_source_flag", "syz_source_flag",
        "pml_x_size", "pml_y_size", "pml_z_size")}
    real = {"dt": CFL * SPACING / SPEED, "dx": SPACING, "dy": SPACING, "c0": SPEED, "c_ref": SPEED,
            "rho0": DENSITY, "rho0_sgx": DENSITY, "rho0_sgy": DENSITY, "pml_x_alpha": 2.0,
            "pml_y_alpha": 2.0, "p0_source_input": np.tile(p0, (1, LINES, 1))}
    if exponent:
        real |= {"alpha_coeff": ATTENUATION, "alpha_power": exponent}
    with h5py.File(path, "w") as file:
        for name, text in (("file_type", "input"), ("major_version", "1"), ("minor_version", "2"),
                           ("file_description", "plane wave"), ("created_by", "local_basis.py"),
                           ("creation_date", "")):
            file.attrs[name] = np.bytes_(text + "\0")
        for values, kind, data_type in ((whole, "<u8", "long"), (real, "<f8", "double")):
            for name, value in values.items():
                dataset = file.create_dataset(name, data=np.array(value, dtype=kind, ndmin=3))
                dataset.attrs["data_type"] = np.bytes_(data_type + "\0")
                dataset.attrs["domain_type"] = np.bytes_(b"real\0")


class Solver:
    """Runs of the program on plane waves, in a folder for their files."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.known = {}  # pressures of the global basis

    def run(self, p0, steps, exponent, options):
        """The pressure of one line after so many steps."""
        source, output = self.folder / "in.h5", self.folder / "out.h5"
        write_input(source, p0, steps, exponent)
        command = [self.program, "-i", str(source), "-o", str(output), "--precision", "double",
                   "-t", "1", "--p_final", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}: exit status {done.returncode}, expected 0\n"
                          + done.stdout + done.stderr)
        with h5py.File(output) as file:
            p = file["p_final"][0]
        if p.shape != (LINES, p0.size) or not np.isfinite(p).all():
            raise Failure(f"{' '.join(command)}: p_final has the shape {p.shape}, expected "
                          f"{(LINES, p0.size)} finite values")
        return p[0]

    def error(self, basis, blocks, points, wave, exponent, coarse_level):
        """Time steps and error of a basis; of the global one, against theory without absorption."""
        p0 = initial_pressure(blocks * points, points // 2, wave)
        steps = round(((blocks - 1) * points - points // 4) / CFL)
        key = (blocks, points, wave, exponent)
        if key not in self.known:
            self.known[key] = self.run(p0, steps, exponent, ["--basis", "global"])
        if basis == "global":
            found, truth = self.known[key], exact_pressure(p0, steps)
        else:
            options = ["--basis", "local", "--grid", f"{blocks}x1", "--overlap", basis]
            found = self.run(p0, steps, exponent, [*options, "--coarse_level", coarse_level])
            truth = self.known[key]
        return steps, np.abs(found - truth).max()


def absorptions():
    """Wave, exponent and coarse level of the runs of the study of absorption."""
    for wave in (0.0, 4.0):
        yield wave, 0.0, "off"
        yield from ((wave, y, level) for y in EXPONENTS for level in ("off", "on"))


def problems():
    """Study, basis, blocks, points of a block, wave, exponent and coarse level of all runs."""
    bases = [basis for ladder in LADDERS.values() for basis in ladder]
    lossless = (0.0, "off")
    yield from (("overlap", basis, 2, 256, 0.0, *lossless) for basis in ["global", *bases])
    for points in SIZES:
        yield from (("size", basis, 2, points, 0.0, *lossless) for basis in ["global", *CLASSES])
    for blocks in BLOCKS:
        yield from (("cuts", basis, blocks, LINE // blocks, 0.0, *lossless)
                    for basis in ["global", *CLASSES])
    for wave in WAVES:
        yield from (("wave", basis, 2, 256, wave, *lossless) for basis in ["global", *CLASSES])
    for absorption in absorptions():
        yield from (("absorption", basis, 2, 256, *absorption) for basis in CLASSES)


def measure(program):
    """The rows of the CSV file."""
    rows, known = [], {}
    with tempfile.TemporaryDirectory() as folder:
        solver = Solver(program, folder)
        everything = list(problems())
        for count, (study, *run) in enumerate(everything, 1):
            if tuple(run) not in known:
                known[tuple(run)] = solver.error(*run)
            steps, error = known[tuple(run)]
            numbers = 0 if run[0] == "global" else sent(run[0])
            rows.append(dict(zip(FIELDS, (study, run[0], numbers, *run[1:], steps,
                                          float(f"{error:.3e}")))))
            print(f"{count} of {len(everything)}: {study}, {run}: {error:.2e}", file=sys.stderr,
                  flush=True)
    return rows


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "error": f"{row['error']:.3e}"} for row in rows)


def read(path):
    if not path.is_file():
        raise Failure(f"{path}: found no such file, expected what a run without --draw has written")
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != FIELDS:
            raise Failure(f"{path}: found the columns {reader.fieldnames}, expected {FIELDS}")
        kinds = dict(zip(FIELDS, (str, str, int, int, int, float, float, str, int, float)))
        try:
            return [{name: kinds[name](value) for name, value in row.items()} for row in reader]
        except ValueError as bad:
            raise Failure(f"{path}, line {reader.line_num}: {bad}") from bad


def errors(rows, study, axis):
    """{basis: {place on the axis: error}} of a study."""
    found = {}
    for row in rows:
        if row["study"] == study:
            found.setdefault(row["basis"], {})[row[axis]] = row["error"]
    return found


def table(header, lines):
    print("\n| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for line in lines:
        print("| " + " | ".join(f"{v:.2e}".replace("e-0", "e-") if isinstance(v, float) else str(v)
                                for v in line) + " |")


def print_tables(rows):
    """What the paper prints beside what was found."""
    overlap = errors(rows, "overlap", "sent")
    by_overlap = [[h] + [overlap.get(f"{kind}:{h}", {}).get(h, "") for kind in ("erf", "ls", "opt")]
                  + [PAPER.get(("overlap", h), "")] for h in map(sent, LADDERS["erf"])]
    table(["overlap, 2 blocks of 256", "erf", "ls", "opt", "paper (erf)"], by_overlap)
    table(["moments / points, 2 blocks of 256", "mom"],
          [[basis.partition(":")[2], overlap[basis][sent(basis)]] for basis in LADDERS["mom"]])
    size = errors(rows, "size", "points")
    table(["points of a block, 2 blocks", *CLASSES, "paper (erf)"],
          [[n, *(size[basis][n] for basis in CLASSES), PAPER_SIZES] for n in SIZES])
    cuts = errors(rows, "cuts", "blocks")
    lines = [[s - 1, *(cuts[basis][s] for basis in CLASSES), PAPER.get(("cuts", s - 1), "")]
             for s in BLOCKS]
    last = BLOCKS[-1]
    slopes = [(cuts[basis][last] / cuts[basis][2] - 1) / (last - 2) for basis in CLASSES]
    lines.append(["growth with each cut, of the error of one", *(f"{s:.2f}" for s in slopes),
                  PAPER["cuts", "slope"]])
    table([f"cuts, {LINE} points", *CLASSES, "paper (erf)"], lines)
    wave = errors(rows, "wave", "wave")
    table(["points per wavelength, 2 blocks of 256", *CLASSES],
          [[f"{w:g}", *(wave[basis][w] for basis in CLASSES)] for w in WAVES])
    absorption = {(row["basis"], row["wave"], row["exponent"], row["coarse_level"]): row["error"]
                  for row in rows if row["study"] == "absorption"}
    table(["points per wavelength, 2 blocks of 256",
           f"power law y, {ATTENUATION} dB/(MHz^y cm)", "coarse level", *CLASSES],
          [[f"{wave:g}" if wave else "2", *([f"{y:g}", level] if y else ["none", ""]),
            *(absorption[basis, wave, y, level] for basis in CLASSES)]
           for wave, y, level in absorptions()])
    worst = max(row["error"] for row in rows if row["basis"] == "global")
    print(f"\nThe global basis itself differs from d'Alembert's solution by at most {worst:.1e}.")


def draw(rows, folder):
    from style import COLOURS, plt, save
    markers, styles = ["o", "s", "^", "D"], ["-", "--", "-.", ":"]

    def panel(xlabel):
        figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
        axis.set(xscale="log", yscale="log", xlabel=xlabel,
                 ylabel="largest error / largest initial pressure")
        return figure, axis

    def ticks(axis, places):
        axis.set_xticks(places, [f"{place:g}" for place in places])
        axis.minorticks_off()

    figure, axis = panel("values sent for each line and side of a cut: H of erf:H, K of mom:K/W")
    overlap = errors(rows, "overlap", "sent")
    for (kind, ladder), colour, marker, style in zip(LADDERS.items(), COLOURS, markers, styles):
        x, y = map(sent, ladder), [overlap[basis][sent(basis)] for basis in ladder]
        axis.plot(list(x), y, marker + ("" if kind == "mom" else style), color=colour, label=kind)
    for basis in LADDERS["mom"]:
        axis.annotate(" " + basis.partition(":")[2], (sent(basis), overlap[basis][sent(basis)]),
                      color=COLOURS[3], textcoords="offset points", xytext=(5, -4))
    axis.plot([16], [1e-4], "k_", markersize=16, label="paper, printed: below 1e-4 at 16")
    ticks(axis, [4, 6, 8, 12, 16, 24, 32])
    axis.legend()
    first, last = (overlap[f"erf:{h}"][h] for h in (4, 32))
    axis.set_title(f"From 4 to 32 values erf's error falls {first / last:.0f}-fold; 8 moments have "
                   f"{overlap['mom:8/64'][8]:.0e}.")
    save(figure, folder / "local_basis_overlap.png")

    titles = {"size": lambda found: f"Blocks of 128 and of 1024 points have errors within "
                                    f"{100 * max(abs(e[128] / e[1024] - 1) for e in found.values()):.0f} %.",
              "cuts": lambda found: f"31 cuts have {min(e[32] / e[2] for e in found.values()):.0f} to "
                                    f"{max(e[32] / e[2] for e in found.values()):.0f} times the error of one.",
              "wave": lambda found: f"With 4 points per wavelength mom:6/32 errs "
                                    f"{found['mom:6/32'][2.5] / found['mom:6/32'][4]:.0f} times less than with 2.5."}
    for study, key, xlabel, shift in (("size", "points", "points of each of the two blocks", 0),
                                      ("cuts", "blocks", f"cuts of {LINE} points", -1),
                                      ("wave", "wave", "points per wavelength at -60 dB", 0)):
        figure, axis = panel(xlabel)
        found = {basis: line for basis, line in errors(rows, study, key).items() if basis in CLASSES}
        for basis, colour, marker, style in zip(CLASSES, COLOURS, markers, styles):
            x = [place + shift for place in found[basis]]
            axis.plot(x, list(found[basis].values()), marker + style, color=colour, label=basis)
        ticks(axis, x)
        if study == "size":
            axis.axhline(1e-4, color="k", linewidth=1, linestyle=(0, (1, 2)),
                         label="paper, printed: erf:16 below 1e-4, almost no change")
            axis.set_ylim(1e-6, 1e-3)
        if study == "cuts":
            axis.plot([31], [1e-3], "k_", markersize=16,
                      label="paper, printed: erf:16 of the order of 1e-3 at 31")
            axis.set_ylim(1e-6, 3e-2)
            slope = [found["erf:16"][2] * (1 + 0.5 * (cut - 1)) for cut in x]
            axis.plot(x, slope, color="k", linewidth=1, linestyle=(0, (1, 2)),
                      label="paper, printed: erf:16 with a slope of about 0.5")
        axis.set_title(titles[study](found))
        axis.legend(fontsize=9)
        save(figure, folder / f"local_basis_{study}.png")


def compare(path, rows, tolerance=0.02):
    """Fails where a row of the file is not what was found."""
    old = read(path)
    keys = FIELDS[:-1]
    if [[row[key] for key in keys] for row in old] != [[row[key] for key in keys] for row in rows]:
        raise Failure(f"{path}: found runs other than those that were made now")
    for was, now in zip(old, rows):
        # The global basis differs from theory by rounding only.
        allowed = 1e-10 if was["basis"] == "global" else tolerance * was["error"] + 1e-10
        if abs(was["error"] - now["error"]) > allowed:
            raise Failure(f"{path}: the error of {was['basis']} in the study {was['study']}, "
                          f"{was['blocks']} blocks of {was['points']} points, is "
                          f"{was['error']:.3e}, and {now['error']:.3e} was found")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="hybridfft-kspace", help="which to run (%(default)s)")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).parent,
                        help="folder of the CSV file and the figures (that of this script)")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--draw", action="store_true", help="from the CSV file, without runs")
    mode.add_argument("--check", action="store_true",
                      help="run, and compare with the CSV file; writes nothing")
    options = parser.parse_args()
    try:
        if not options.output.is_dir():
            raise Failure(f"--output: found no folder '{options.output}'")
        if not options.check:
            import style  # noqa: F401  (before the runs, which take minutes)
        path = options.output / "local_basis.csv"
        if options.draw:
            rows = read(path)
        else:
            program = shutil.which(options.program)
            if program is None:
                raise Failure(f"--program: found no program '{options.program}', expected "
                              "hybridfft-kspace or the path of it")
            rows = measure(program)
        if options.check:
            compare(path, rows)
            return
        if not options.draw:
            write(path, rows)
        print_tables(rows)
        draw(rows, options.output)
    except ImportError as missing:
        sys.exit(f"local_basis.py: {missing}: apt-get install python3-matplotlib, or use --check")
    except (Failure, OSError) as failure:
        sys.exit(f"local_basis.py: {failure}")


if __name__ == "__main__":
    main()
