#!/usr/bin/env python3
"""truths_check.py SCRATCH MPIEXEC [FLAGS] -n PROGRAM: compares hybridfft-euler with exact solutions.

Sod's tube (G. A. Sod, J. Comput. Phys. 27 (1978)) and an isentropic vortex have exact solutions. Further cases are
conserved totals on a changing mesh, layers at rest, the growth of a Rayleigh-Taylor mode, the symmetries of a blast,
and the marks around a refined block. Errors that depend on the scheme were measured with an independent solver."""
import itertools
import pathlib
import subprocess
import sys

import h5py
import numpy

scratch = pathlib.Path(sys.argv[1])
*launch, program = sys.argv[2:]
failed = []


def check(ok, what):
    print("ok:" if ok else "FAILED:", what)
    if not ok:
        failed.append(what)


def run(name, case, attributes, ranks=2):
    source, output = scratch / f"{name}.h5", scratch / f"{name}_out.h5"
    with h5py.File(source, "w") as file:
        for key, value in case.items():
            file[key] = value
        for key, value in attributes.items():
            file.attrs[key] = value
    done = subprocess.run(launch + [str(ranks), program, "-i", str(source), "-o", str(output), "--threads", "1"],
                          capture_output=True, text=True, timeout=900)
    check(done.returncode == 0, f"{name}: {done.stderr[-400:]}")
    values = {}
    with h5py.File(output) as file:
        file.visititems(lambda n, o: values.__setitem__(n, o[()]) if isinstance(o, h5py.Dataset) else None)
    return values


def star(left, right, gamma=1.4):
    """Returns pressure and velocity between the waves of a Riemann problem, by bisection (E. F. Toro, chapter 4)."""
    def side(p, rho, at):
        a = numpy.sqrt(gamma * at / rho)
        if p > at:
            return (p - at) * numpy.sqrt(2 / ((gamma + 1) * rho * (p + (gamma - 1) / (gamma + 1) * at)))
        return 2 * a / (gamma - 1) * ((p / at)**((gamma - 1) / (2 * gamma)) - 1)
    low, high = 1e-9, 1e4
    for _ in range(200):
        p = 0.5 * (low + high)
        above = side(p, left[0], left[2]) + side(p, right[0], right[2]) + right[1] - left[1] > 0
        low, high = (low, p) if above else (p, high)
    return p, 0.5 * (left[1] + right[1] + side(p, right[0], right[2]) - side(p, left[0], left[2]))


def exact_waves():
    """star() reproduces the values printed by Toro."""
    for name, left, right, p, u in (("Sod", (1, 0, 1), (0.125, 0, 0.1), 0.303130, 0.927453),
                                    ("123", (1, -2, 0.4), (1, 2, 0.4), 0.00189, 0.0),
                                    ("left blast", (1, 0, 1000), (1, 0, 0.01), 460.894, 19.5975)):
        found = star(left, right)
        check(abs(found[0] - p) <= 6e-6 * max(1, p) and abs(found[1] - u) <= 6e-6 * max(1, u), f"{name}: {found}")


def sod(xi):
    """Returns density and pressure of Sod's tube at x/t = `xi`."""
    gamma = 1.4
    p, u = star((1, 0, 1), (0.125, 0, 0.1))
    g1 = (gamma - 1) / (gamma + 1)
    a = numpy.sqrt(gamma)
    tail = u - a * p**((gamma - 1) / (2 * gamma))
    shock = numpy.sqrt(gamma * 0.1 / 0.125) * numpy.sqrt((gamma + 1) / (2 * gamma) * p / 0.1 + (gamma - 1) / (2 * gamma))
    c = 2 / (gamma + 1) - g1 / a * xi
    right = 0.125 * (p / 0.1 + g1) / (g1 * p / 0.1 + 1)
    where = [xi < -a, xi < tail, xi < u, xi < shock]
    return (numpy.select(where, [1.0, c**(2 / (gamma - 1)), p**(1 / gamma), right], 0.125),
            numpy.select(where, [1.0, c**(2 * gamma / (gamma - 1)), p, p], 0.1))


def sod_means(x, h):
    """Returns the means of Sod's density and pressure in cells with centres `x` and size `h` at time 0.2."""
    return numpy.mean([sod((x + ((k + 0.5) / 8 - 0.5) * h - 0.5) / 0.2) for k in range(8)], 0)


def error_of_sod(values, h0, n=8):
    total = numpy.zeros(2)
    for (level, px, _), rho, p in zip(values["leaf"], values["rho"], values["p"]):
        h = h0 / 2**level
        truth = sod_means((px * n + numpy.arange(n) + 0.5) * h, h)
        total += [abs(rho - truth[0]).sum() * h * h, abs(p - truth[1]).sum() * h * h]
    return total / (n * h0)  # divided by the height of the strip


def tubes():
    errors = {}
    for name, trees, levels, bound in (("64", 8, 0, 6.61e-3), ("128", 16, 0, 3.29e-3), ("256", 32, 0, 1.57e-3),
                                       ("64 to 256", 8, 2, 1.564e-3)):
        n, h = trees * 8 << levels, 1 / trees / 8
        left = (numpy.arange(n) + 0.5) / n < 0.5
        rows = numpy.ones((8 << levels, 1))
        case = dict(trees=[trees, 1], cells=8, h=h, max_level=levels, rho=numpy.where(left, 1, 0.125) * rows,
                    p=numpy.where(left, 1, 0.1) * rows, t_end=0.2)
        if levels:
            case |= dict(refine_above=0.02, coarsen_below=0.005)
        values = run("sod" + name.replace(" ", ""), case, dict(periodic="y"))
        errors[name], of_p = error_of_sod(values, h)
        check(abs(errors[name] / bound - 1) <= 0.01, f"Sod {name}: L1 of rho {errors[name]:.3e}, expected {bound}")
        if trees << levels == 32:
            check(abs(of_p / (1.130e-3 if levels else 1.131e-3) - 1) <= 0.01, f"Sod {name}: L1 of p {of_p:.3e}")
        if levels:
            updates = values["series/cell_updates"][-1] / (8 << levels)
            check(updates <= 56832 / 2, f"Sod {name}: {updates} row updates, expected at most half of 56832")
    check(errors["64 to 256"] <= 1.01 * errors["256"], "Sod: three levels have the error of the uniform grid")


def totals():
    n = 96
    x = (numpy.arange(n) + 0.5) / n
    b = numpy.exp(-((x - 0.4)**2 + (x[:, None] - 0.5)**2) / 0.005)
    values = run("blob", dict(trees=[3, 3], cells=8, h=1 / 24, max_level=2, rho=1 + 0.8 * b, u=0.7, v=0.3, p=1 + b,
                              t_end=0.1, refine_above=0.03, coarsen_below=0.008), dict(periodic="xy"), 3)
    check(len(set(values["series/leaves"])) > 1, "the mesh of the blob changes")
    for key in ("mass", "energy"):
        s = values["series/" + key]
        check(abs(s / s[0] - 1).max() <= 1e-13, f"{key} of the blob drifts by {abs(s / s[0] - 1).max():.1e}")


def tubes_in_space():
    """The tube along x, y and z gives the same rows."""
    rows = []
    for axis in range(3):
        shape = [8, 8, 8]
        shape[2 - axis] = 64
        at = ((numpy.arange(64) + 0.5) / 64).reshape([-1 if a == 2 - axis else 1 for a in range(3)])
        values = run(f"sod{'xyz'[axis]}", dict(trees=[8 if a == axis else 1 for a in range(3)], cells=8, h=1 / 64,
                                               rho=numpy.where(at < 0.5, 1, 0.125) * numpy.ones(shape),
                                               p=numpy.where(at < 0.5, 1, 0.1) * numpy.ones(shape), t_end=0.2),
                     dict(periodic="xyz".replace("xyz"[axis], "")))
        rows.append(numpy.moveaxis(values["rho"], 3 - axis, 1)[:, :, 0, 0].reshape(-1))
    error = abs(rows[0] - sod_means((numpy.arange(64) + 0.5) / 64, 1 / 64)[0]).mean()
    check(abs(error / 6.61e-3 - 1) <= 0.01, f"Sod in 3D: L1 of rho {error:.3e}, expected 6.61e-3")
    for axis in (1, 2):
        other = abs(rows[axis] - rows[0]).max()
        check(other <= 1e-13, f"Sod along {'xyz'[axis]} differs by {other:.1e} from x")


def vortex(x, y, t):
    """Returns rho, u, v, p of the isentropic vortex of strength 5 in a periodic box of 10."""
    dx, dy = (x - t) % 10 - 5, (y - t) % 10 - 5
    f = 5 / (2 * numpy.pi) * numpy.exp((1 - dx**2 - dy**2) / 2)
    temperature = 1 - 0.4 / 2.8 * f**2
    rho = temperature**2.5
    return rho, 1 - f * dy, 1 + f * dx, rho * temperature


def cells_of(values, h0):
    """Returns the coordinates x, y and the volumes of the cells of blocks."""
    n, h = values["rho"].shape[-1], h0 / 2.0**values["leaf"][:, 0]
    at = [(values["leaf"][:, a, None] * n + numpy.arange(n) + 0.5) * h[:, None] for a in (1, 2)]
    return at[0][:, None, :], at[1][:, :, None], (h * h)[:, None, None]


def vortices():
    """Errors of the vortex. An input has the values at the centres of the finest grid's cells."""
    errors = {}
    for trees, levels, bound in ((4, 0, 6.76e-4), (8, 0, 1.12e-4), (16, 0, 2.17e-5), (4, 2, 2.59e-5)):
        n = trees * 8 << levels
        x = (numpy.arange(n) + 0.5) * 10 / n
        rho, u, v, p = vortex(x, x[:, None], 0)
        case = dict(trees=[trees, trees], cells=8, h=10 / trees / 8, max_level=levels, rho=rho, u=u, v=v, p=p, t_end=1.0)
        if levels:
            case |= dict(refine_above=0.015, coarsen_below=0.004)
        name = f"vortex of {trees * 8} to {n}"
        values = run(name.replace(" ", ""), case, dict(periodic="xy", limiter="none"))
        x, y, volume = cells_of(values, 10 / trees / 8)
        error = (abs(values["rho"] - vortex(x, y, 1)[0]) * volume).sum() / 100
        errors[levels, trees] = error
        if levels:
            check(error <= 1.25 * errors[0, 16], f"{name}: L1 {error:.3e}, expected at most 1.25 x {errors[0, 16]:.3e}")
            updates = values["series/cell_updates"][-1]
            check(updates <= 1.01 * 6.72e5, f"{name}: {updates} cell updates, expected 6.72e5")
        else:
            check(abs(error / bound - 1) <= 0.01, f"{name}: L1 {error:.3e}, expected {bound}")


def layers(trees, levels, push, table, **more):
    """Layers of density 1 and 2 in a box of 1 x 2 between walls, with a linear mode of velocity `push`.

    With `table`, the input has the base pressure."""
    nx, ny = trees[0] * 8 << levels, trees[1] * 8 << levels
    x, y = (numpy.arange(nx) + 0.5) / nx, ((numpy.arange(ny) + 0.5) * 2 / ny)[:, None]
    z, k, flat = numpy.linspace(0, 2, ny + 1), 2 * numpy.pi, numpy.ones((ny, nx))
    p = 10 + numpy.where(z >= 1, 2 * (2 - z), 2 + (1 - z))
    s = numpy.where(y > 1, 2 - y, y)
    case = dict(trees=trees, cells=8, h=2 / trees[1] / 8, max_level=levels, gravity=[0.0, -1.0],
                rho=numpy.where(y > 1, 2.0, 1.0) * flat, p=(0.5 * (p[1:] + p[:-1]))[:, None] * flat,
                u=push * numpy.where(y > 1, 1, -1) * numpy.cosh(k * s) / numpy.sinh(k) * numpy.sin(k * x),
                v=push * numpy.sinh(k * s) / numpy.sinh(k) * numpy.cos(k * x), **more)
    if table:
        case["base_pressure"] = p
    if levels:
        case |= dict(refine_above=0.1, coarsen_below=0.03)
    return case


WALLS = dict(periodic="x", y_low="wall", y_high="wall")


def rest():
    for trees, levels, plain in (([2, 4], 0, 1.17e-2), ([4, 8], 0, 5.9e-3), ([2, 4], 2, 1.17e-2)):
        for table in (True, False):
            name = f"rest {trees} {levels} {table}"
            values = run(f"rest{trees[0]}{levels}{table}", layers(trees, levels, 0, table, t_end=0.5), WALLS)
            speed = max(abs(values["u"]).max(), abs(values["v"]).max())
            if table:
                check(speed <= 1e-14, f"{name}: largest velocity {speed:.1e}, expected 0")
            else:
                check(abs(speed / plain - 1) <= 0.01, f"{name}: largest velocity {speed:.3e}, expected {plain}")


def rayleigh_taylor():
    k = 2 * numpy.pi
    sigma = numpy.sqrt(k * numpy.tanh(k) / 3)
    for trees, levels, bound in (([4, 8], 0, -0.033), ([2, 4], 2, -0.0024)):
        values = run(f"rt{levels}", layers(trees, levels, 1e-3, True, t_end=1.5 / sigma), WALLS)
        x, y, volume = cells_of(values, 2 / trees[1] / 8)
        mode = numpy.sinh(k * numpy.where(y > 1, 2 - y, y)) / numpy.sinh(k) * numpy.cos(k * x)
        weight = values["rho"] * volume * mode
        growth = numpy.arccosh((weight * values["v"]).sum() / (weight * mode).sum() / 1e-3) / 1.5 - 1
        check(abs(growth - bound) <= 0.005, f"Rayleigh-Taylor, {levels} levels: sigma {growth:+.2%}, expected {bound:+.2%}")
        block = {tuple(leaf): rho for leaf, rho in zip(values["leaf"], values["rho"])}
        worst = max(abs(rho - block[l, (trees[0] << l) - 1 - px, py][:, ::-1]).max() for (l, px, py), rho in block.items())
        check(worst <= 1e-12, f"Rayleigh-Taylor, {levels} levels: asymmetry of rho {worst:.1e}")


def blast():
    """The blast has the 48 symmetries of the cube."""
    n = 40
    coarse = (numpy.arange(20) + 0.5) / 20 - 0.5
    r = numpy.sqrt(coarse**2 + coarse[:, None]**2 + coarse[:, None, None]**2)
    rough = numpy.where(r < 0.09, 10.0, 1.0).repeat(2, 0).repeat(2, 1).repeat(2, 2)
    values = run("blast", dict(trees=[5, 5, 5], cells=4, h=1 / 20, max_level=1, rho=1.0, p=rough, t_end=0.02,
                               refine_above=0.6, coarsen_below=0.2),
                 dict(refine_by="p", **{f"{c}_{e}": "wall" for c in "xyz" for e in ("low", "high")}))
    fields = [numpy.zeros((n, n, n)) for _ in range(5)]
    for s, (level, *place) in enumerate(values["leaf"]):
        step = 2 >> level
        at = tuple(slice(q * 4 * step, (q + 1) * 4 * step) for q in place[::-1])
        for field, name in zip(fields, ("w", "v", "u", "rho", "p")):
            field[at] = values[name][s].repeat(step, 0).repeat(step, 1).repeat(step, 2)
    worst = 0
    for axes in itertools.permutations(range(3)):
        for flips in itertools.product((1, -1), repeat=3):
            cut = tuple(slice(None, None, f) for f in flips)
            turned = [f.transpose(axes)[cut] for f in fields]
            worst = max([worst, abs(turned[3] - fields[3]).max(), abs(turned[4] - fields[4]).max()]
                        + [abs(flips[a] * turned[axes[a]] - fields[a]).max() for a in range(3)])
    check(worst <= 1e-12, f"the blast changes by {worst:.1e} under symmetries of the cube")


def around_marks():
    """All leaves in the eight positions around a marked block are kept, also those that do not touch it.

    A position is a square of the marked block's size."""
    leaf = [(0, 0, 0)] + [(1, 2, 0), (1, 2, 1), (1, 3, 1)] + [(2, 6 + x, y) for x in (0, 1) for y in (0, 1)]
    rho = numpy.ones((len(leaf), 4, 4))
    rho[0] += 0.1 * numpy.arange(4)
    rho[0, :, 3] = 1.0  # no jump to the neighbour
    values = run("around", dict(trees=[2, 1], cells=4, h=0.25, max_level=2, leaf=leaf, rho=rho, p=1.0, dt=1e-9, steps=2,
                                adapt_interval=1, refine_above=0.05, coarsen_below=0.01), {}, 1)
    found = sorted(map(tuple, values["leaf"].tolist()))
    check(sum(l == 2 for l, _, _ in found) == 4 and (1, 0, 0) in found, f"leaves beside a marked one: {found}")


scratch.mkdir(parents=True, exist_ok=True)
exact_waves()
tubes()
tubes_in_space()
vortices()
rest()
rayleigh_taylor()
blast()
totals()
around_marks()
sys.exit(1 if failed else 0)
