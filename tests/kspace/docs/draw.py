"""Draws the figures of accuracy.md from the data written by the tests.

    mkdir data
    HFFT_ACCURACY_DATA=$PWD/data ctest --test-dir build/test -R \
        'kspace.(analytic|propagation|focused_bowl).np2'
    python3 tests/kspace/docs/draw.py data

Writes the figures beside this script, or to a folder given as second argument.
"""

import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs" / "figures"))
from style import COLOURS, plt, save  # noqa: E402  (needs the path added above)


def columns(path):
    """Returns the columns of a CSV file as lists of numbers, by name."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        sys.exit(f"{path}: found no rows, expected those of a test")
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def select(table, name, value):
    """Returns the rows of a table in which a column has a given value."""
    keep = [i for i, found in enumerate(table[name]) if found == value]
    return {key: [numbers[i] for i in keep] for key, numbers in table.items()}


def two_panels(height=3.4):
    figure, axes = plt.subplots(1, 2, figsize=(9, height), layout="constrained")
    return figure, axes


def plane_waves(data):
    figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
    paths = sorted(data.glob("plane_waves_*.csv"))
    for path, colour in zip(paths, COLOURS):
        table = columns(path)
        grid = path.stem.removeprefix("plane_waves_").replace("x", " x ")
        axis.semilogy(table["step"][1:], table["deviation"][1:], color=colour, label=grid)
    axis.semilogy(table["step"][1:], table["tolerance"][1:], "k--", label="tolerance")
    axis.set(xlabel="time step", ylabel="largest deviation / amplitude")
    axis.legend(loc="center right", bbox_to_anchor=(1, 0.62))
    return figure


def point_source(data):
    table = columns(data / "point_source.csv")
    figure, (left, right) = two_panels()
    for sensor, colour in enumerate(COLOURS):
        one = select(table, "sensor", float(sensor))
        label = f"{one['distance_mm'][0]:.1f} mm"
        left.plot(one["time_us"], one["theory"], color=colour, label=label)
        left.plot(one["time_us"][::3], one["found"][::3], ".", color=colour)
        right.plot(one["time_us"],
                   [abs(f - t) for f, t in zip(one["found"], one["theory"])], color=colour)
    right.axhline(1e-4, color="k", linestyle="--", label="tolerance")
    right.set(yscale="log", ylim=(1e-9, 1e-3), xlabel="time [us]", ylabel="deviation")
    right.legend()
    left.set(xlabel="time [us]", ylabel="pressure / largest one")
    left.legend(title="lines: theory, dots: found")
    return figure


def power_law(data):
    figure, (left, right) = two_panels()
    for digits, colour in zip(["7", "13", "16"], COLOURS):
        table = columns(data / f"power_law_{digits}.csv")
        label = f"y = {int(digits) / 10}"
        frequency = table["frequency_MHz"]
        left.loglog(frequency, table["attenuation_theory"], color=colour, label=label)
        left.loglog(frequency, table["attenuation_found"], "o", color=colour)
        right.plot(frequency, table["speed_theory"], color=colour, label=label)
        right.plot(frequency, table["speed_found"], "o", color=colour)
    left.set(xlabel="frequency [MHz]", ylabel="attenuation [dB/cm]")
    left.set_xticks([0.5, 1, 2], ["0.5", "1", "2"])
    left.set_yticks([0.3, 0.5, 1, 2], ["0.3", "0.5", "1", "2"])
    left.minorticks_off()
    right.set(xlabel="frequency [MHz]", ylabel="phase speed [m/s]")
    left.legend(title="lines: theory, dots: found")
    return figure


def fubini(data):
    table = columns(data / "fubini.csv")
    figure, (left, right) = two_panels()
    for harmonic, colour in zip([1, 2, 3], COLOURS):
        one = select(table, "harmonic", float(harmonic))
        left.plot(one["distance"], one["theory"], color=colour, label=f"harmonic {harmonic}")
        left.plot(one["distance"], one["found"], "o", color=colour)
        right.plot(one["distance"],
                   [100 * (f / t - 1) for f, t in zip(one["found"], one["theory"])], "o-",
                   color=colour)
    left.set(xlabel="distance / shock distance", ylabel="amplitude / source's", ylim=(0, 1.05))
    left.legend(title="lines: theory, dots: found")
    right.set(xlabel="distance / shock distance", ylabel="deviation [%]")
    return figure


def pml(data):
    figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
    for layer, colour in zip([10, 15, 20], COLOURS):
        table = columns(data / f"pml_{layer}.csv")
        axis.plot(table["step"], table["level_dB"], color=colour, label=f"{layer} points")
    axis.set(xlabel="time step", ylabel="largest pressure [dB re the pulse]")
    axis.legend(title="layer")
    return figure


def bowl(data):
    table = columns(data / "bowl.csv")
    figure, (left, right) = two_panels()
    left.plot(table["distance_mm"], table["theory"], color=COLOURS[0], label="O'Neil")
    left.plot(table["distance_mm"], table["found"], ".", color=COLOURS[1], label="found")
    left.set(xlabel="distance from the bowl [mm]", ylabel="amplitude / source's", ylim=(0, None))
    left.legend()
    focus = table["theory"][table["distance_mm"].index(24)]
    right.semilogy(table["distance_mm"], [max(abs(f - t), 1e-9) / focus
                                          for f, t in zip(table["found"], table["theory"])],
                   ".-", color=COLOURS[1])
    right.axhline(1e-3, color="k", linestyle="--", label="tolerance")
    right.set(xlabel="distance from the bowl [mm]", ylabel="deviation / value at the focus")
    right.legend()
    return figure


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).parent)
    for draw in [plane_waves, point_source, power_law, fubini, pml, bowl]:
        save(draw(data), folder / f"{draw.__name__}.png")


if __name__ == "__main__":
    main()
