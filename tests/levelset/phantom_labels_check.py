"""Tests hybridfft-phantom --labels, which makes media of tissues with sharp and smooth edges, from file to file.

The truths are NumPy's lookup of the tissues, and hybridfft-levelset for smooth edges. Arguments: work folder,
hybridfft-phantom, hybridfft-levelset, hybridfft-kspace, mpirun ..."""
import os
import re
import shutil
import sys

import h5py
import numpy

import programs
from programs import expect, failures

work, phantom, levelset, kspace, *launch = sys.argv[1:]
WATER, BONE, BRAIN = (0, 1500., 1000.), (3, 2500., 1900.), (7, 1560., 1040.)


def succeed(ranks, *command):
    programs.succeed(launch, ranks, *command)


def shells(shape):
    """Returns labels of a synthetic head: an ellipsoid of bone around brain, in water."""
    axes = numpy.meshgrid(*(numpy.arange(n) - n / 2 + .3 for n in shape), indexing="ij")
    r = numpy.sqrt(sum((x / (n / 2 - 8))**2 for x, n in zip(axes, shape) if n > 1))
    return numpy.where(r < .7, BRAIN[0], numpy.where(r < 1, BONE[0], WATER[0]))


def write(name, labels, tissues=(WATER, BONE, BRAIN), **values):
    path = f"{work}/{name}.h5"
    with h5py.File(path, "w") as file:
        for dataset, value in dict(dict(labels=labels, tissues=tissues, h=4e-4), **values).items():
            if value is not None:
                file[dataset] = value
    return path


def read(path, *names):
    with h5py.File(path) as file:
        return [file[name][()] for name in names]


def media():
    """Sharp media have the table's values, staggered densities are means of neighbours, and ranks do not change
    bits."""
    for shape in ((30, 36, 40), (40, 36)):
        labels = shells(shape).astype("int16")
        source, out = write("labels", labels), f"{work}/out.h5"
        for ranks in (1, 3):
            succeed(ranks, phantom, "-o", out, "--labels", source, "--edges", "sharp", "--pml", "4", "--steps", "20")
            c, rho, sx, sy = read(out, "c0", "rho0", "rho0_sgx", "rho0_sgy")
            whole = labels if labels.ndim == 3 else labels[None]
            table = numpy.zeros((3, 8))
            for label, speed, density in (WATER, BONE, BRAIN):
                table[:, label] = label, speed, density
            expect(numpy.abs(c / table[1][whole] - 1).max() < 1e-6, f"sharp speeds on {ranks}")
            expect(numpy.array_equal(rho, table[2][whole].astype("f4")), f"sharp densities on {ranks}")
            exact = table[2][whole]
            for axis, found in ((2, sx), (1, sy)):
                mean = (exact + numpy.concatenate([numpy.delete(exact, 0, axis), numpy.take(exact, [-1], axis)], axis)) / 2
                expect(numpy.array_equal(found, mean.astype("f4")), f"staggered density along axis {axis} on {ranks}")
            with h5py.File(out) as file:
                expect(("rho0_sgz" in file) == (labels.ndim == 3) and file["dx"][0, 0, 0] == numpy.float32(4e-4), "grid")
        succeed(1, phantom, "-o", out, "--labels", source, "--pml", "4", "--steps", "20")
        succeed(3, phantom, "-o", f"{work}/three.h5", "--labels", source, "--pml", "4", "--steps", "20")
        for name in ("c0", "rho0", "rho0_sgx", "rho0_sgy", "p_source_input"):
            a, b = read(out, name)[0], read(f"{work}/three.h5", name)[0]
            expect(numpy.array_equal(a, b), f"smooth {name} on 1 and 3 ranks")
        c, rho = read(out, "c0", "rho0")
        inner = numpy.isin(whole, (WATER[0], BRAIN[0]))
        expect(rho.min() > 999.9 and rho.max() < 1900.1 and len(numpy.unique(rho)) > 20, "smooth edges")
        exact = (table[2][whole] - 1000).sum()
        expect(abs((rho - 1000).sum(dtype="f8") / exact - 1) < .02, "smooth edges keep the mass")
        expect(inner.any() and numpy.abs(rho[inner] - table[2][whole][inner]).mean() < 60, "tissues are in place")


def same_as_levelset():
    """The smooth medium of one label equals the medium of hybridfft-levelset --medium."""
    labels = (shells((30, 36, 40)) == BONE[0]).astype("u1")
    source = write("two", labels, tissues=[(0, 1500., 1000.), (1, 2500., 1900.)])
    succeed(1, phantom, "-o", f"{work}/two_k.h5", "--labels", source, "--pml", "4", "--steps", "20", "--edge-width", "1")
    front = write("front", labels, tissues=None, steps=0, medium=[[2500., 1900.], [1500., 1000.]], medium_width=1.)
    succeed(2, levelset, "-i", front, "-o", f"{work}/front_out.h5", "--medium")
    for mine, theirs in (("c0", "sound_speed"), ("rho0", "density")):
        a, b = read(f"{work}/two_k.h5", mine)[0], read(f"{work}/front_out.h5", theirs)[0]
        expect(numpy.abs(a / b - 1).max() < 2e-7, f"{mine} of the level set: {numpy.abs(a / b - 1).max()}")


def coefficients():
    """Tables of five columns also give absorption and nonlinearity. The solver runs the resulting file."""
    tissues = [(*WATER, .002, 5.), (*BONE, 8., 0.), (*BRAIN, .6, 6.5)]
    source = write("five", shells((40, 44)).astype("i4"), tissues=tissues)
    succeed(1, phantom, "-o", f"{work}/five_k.h5", "--labels", source, "--edges", "sharp", "--pml", "4", "--steps", "30")
    a, b, power, nonlinear = read(f"{work}/five_k.h5", "alpha_coeff", "BonA", "alpha_power", "nonlinear_flag")
    expect(sorted(numpy.unique(a)) == sorted(numpy.float32([.002, 8., .6])), f"absorption {numpy.unique(a)}")
    expect(sorted(numpy.unique(b)) == [0., 5., 6.5] and power.item() == 1.5 and nonlinear.item() == 1, "coefficients")
    succeed(2, kspace, "-i", f"{work}/five_k.h5", "-o", f"{work}/five_p.h5", "--p_max")
    p = read(f"{work}/five_p.h5", "p_max")[0]
    expect(numpy.isfinite(p).all() and p.max() > 0, "pressures")


def refusals():
    labels = shells((30, 36, 40)).astype("i4")
    wrong = labels.copy()
    wrong[20, 30, 35] = 9
    for values, pattern, *options in (
            (dict(labels=wrong), r"dataset labels at point \(35, 30, 20\): found 9, expected a label of tissues: 0, 3, 7"),
            (dict(labels=None), "dataset labels is missing, expected integers"),
            (dict(tissues=None), "dataset tissues is missing, expected a row for each label"),
            (dict(labels=labels * 1.), "dataset labels: found values of another type, expected integers"),
            (dict(labels=labels[0, 0]), "dataset labels: found an array of 40, expected Nz x Ny x Nx"),
            (dict(tissues=[[0., 1.], [1., 2.]]), "dataset tissues: found an array of 2 x 2, expected n x 3"),
            (dict(tissues=[WATER, BONE, (7, 0., 1.)]), "dataset tissues, row 2: found 0, expected a speed and a density"),
            (dict(tissues=[WATER, WATER]), "dataset tissues, row 1: found label 0 again, expected each label once"),
            (dict(h=-1.), "dataset h: found -1, expected a length above 0"),
            (dict(), "--edge-width: found 0, expected a number of points above 0", "--edge-width", "0"),
            (dict(), "--edges: found .round., expected sharp or smooth", "--edges", "round"),
            (dict(), "--extents excludes --labels", "--extents", "30x30x30")):
        source, out = write("bad", **dict(dict(labels=labels), **values)), f"{work}/refused.h5"
        done = programs.run(launch, 2, phantom, "-o", out, "--labels", source, "--pml", "4", "--steps", "20", *options)
        said = programs.words(done.stderr)
        expect(done.returncode == 1 and re.search(pattern, said), f"{pattern}: status {done.returncode}, {said}")
        expect(not os.path.exists(out), f"{pattern}: no file is left")


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
media()
same_as_levelset()
coefficients()
refusals()
sys.exit(1 if failures else 0)
