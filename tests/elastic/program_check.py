#!/usr/bin/env python3
"""Checks hybridfft-elastic from file to file: records against arrays of an independent solver.

Other numbers of ranks and kinds of exchange must give the same bits. Also checks checkpoints, XDMF, and models that the
program must refuse.

    program_check.py DATA_FOLDER WORK_FOLDER MPIRUN... PROGRAM"""
import os
import re
import shutil
import sys
import xml.etree.ElementTree

import h5py
import numpy

import elastic_program
from elastic_program import STEPS, expect, failures, model, run, same, succeed

data, work, *command = sys.argv[1:]
elastic_program.arguments.update(data=data, work=work, mpirun=command[:-1], program=command[-1])


TELLS = ("first_step", "step_interval", "plane_axis", "plane_index")


def against_reference(source):
    records = ["-u", "-p", "--u_final", "--p_final", "--u_peak", "--snapshot", "z=3", "--snapshot",
               "x=19", "--snapshot_interval", "7", "--xdmf"]
    whole = f"{work}/whole.h5"
    succeed(1, "-i", source, "-o", whole, "--precision", "double", *records)
    with h5py.File(f"{data}/everything_fs2.h5") as truth, h5py.File(whole) as found:
        for axis in "xyz":
            expected = truth["v" + axis][()].reshape(20, 18, 16)
            final = numpy.transpose(found[f"u{axis}_final"][()])
            limit = 1e-11 * abs(expected).max()
            expect(abs(final - expected).max() <= limit, f"final velocity along {axis}")
            series = found["u" + axis][0]
            expect(series.shape == (STEPS, 4), "shape of the series")
            for point, cell in enumerate([(3, 4, 5), (10, 11, 12), (19, 17, 15), (3, 4, 5)]):
                expect(abs(series[-1, point] - expected[cell]) <= limit, f"last sample {cell}")
            plane = found[f"snapshot_z3_u{axis}"]
            expect(plane.shape == (8, 1, 18, 20), "shape of a snapshot")
            expect({k: plane.attrs[k].decode() for k in TELLS} ==
                   dict(zip(TELLS, ("6", "7", "z", "3"))), "when and where a snapshot was taken")
            # Only the third point, (19, 17, 15), is in plane x = 19. Frame 6 is of step 49.
            side = found[f"snapshot_x19_u{axis}"]
            expect(side[6, 15, 17, 0] == series[48, 2], "snapshots are those of their steps")
        pressure = -sum(truth[s][()] for s in ("sxx", "syy", "szz")) / 3
        final = numpy.transpose(found["p_final"][()]).ravel()
        pressure = pressure.ravel()
        expect(abs(final - pressure).max() <= 1e-11 * abs(pressure).max(), "final pressure")
        speed = numpy.sqrt(sum(found["u" + a][0]**2 for a in "xyz")).max(axis=0)
        peak = found["u_peak"][()]
        expect(numpy.allclose(peak[5, 4, 3], speed[0], rtol=1e-14), "peak of the speed")
    description = xml.etree.ElementTree.parse(f"{work}/whole.xdmf")
    times_of_descriptions(whole, description)
    with h5py.File(whole) as found:
        for item in description.iter("DataItem"):
            if item.get("Format") == "HDF":
                name = item.text.split(":/")[1]
                expect(list(found[name].shape) == [int(n) for n in item.get("Dimensions").split()],
                       f"XDMF's shape of {name}")
    for ranks, arguments in ((3, ["--exchange", "wide", "--order", "in_order"]),
                             (2, ["--exchange", "wide", "--grid", "19+1x1x1"]),
                             (4, ["--exchange", "each", "--grid", "2x1x2"]),
                             (2, ["--exchange", "auto", "--profile"])):
        cut = f"{work}/cut.h5"
        text = succeed(ranks, "-i", source, "-o", cut, "--precision", "double", *records, *arguments)
        same(whole, cut)
        expect("--profile" not in arguments or "hidden share" in text, "the profile's hidden share")


def times_of_descriptions(records, description):
    """After time step n, velocities are at (n + 1/2) dt and stresses at (n + 1) dt."""
    with h5py.File(records) as file:
        dt, planes, fields = file["dt"][0, 0, 0], 0, set()
        for grid in description.iter("Grid"):
            if grid.find("Time") is None:
                continue
            names = {i.text.split(":/")[1] for i in grid.iter("DataItem") if i.get("Format") == "HDF"}
            found = float(grid.find("Time").get("Value"))
            name = min(names)
            if name.startswith("snapshot"):
                frame = int(grid.find("Attribute/DataItem/DataItem").text.split()[0])
                told = file[name].attrs
                step = int(told["first_step"]) + frame * int(told["step_interval"])
                planes += 1
                expect(abs(float(told.get("time_offset", 0)) - .5) < 1e-15, f"{name}: time_offset")
            else:
                step = STEPS - 1
                fields |= names
            late = .5 if all("u" in n for n in names) else 1
            expect(abs(found - (step + late) * dt) <= 1e-9 * STEPS * dt,
                   f"XDMF's time of {names} after time step {step}: {found / dt} dt")
        expect(planes == 16 and fields == {"p_final", "ux_final", "uy_final", "uz_final", "u_peak"},
               f"XDMF's grids: {planes} frames, {fields}")


def no_source(source):
    """A source of k-Wave with flag 0 is off."""
    off, whole, out = model(f"{work}/off.h5", pressure_source(0)), f"{work}/on.h5", f"{work}/off_out.h5"
    succeed(1, "-i", source, "-o", whole, "--u_final", "--steps", "5")
    succeed(1, "-i", off, "-o", out, "--u_final", "--steps", "5")
    same(whole, out)


def other_outputs(source):
    """A checkpoint refuses to continue with the output of another simulation."""
    other = model(f"{work}/other.h5", setter("source/tensor", [[1., 2., 3., 4., 5., 6.]]))
    out, state = f"{work}/shared.h5", f"{work}/shared_state.h5"
    stop = ["--checkpoint_file", state, "--checkpoint_timesteps", "5"]
    succeed(1, "-i", source, "-o", out, *stop)
    for arguments, found in (([], "none"), (["--checkpoint_file", f"{work}/none.h5",
                                            "--checkpoint_timesteps", "100"], r"\d+")):
        succeed(1, "-i", other, "-o", out, *arguments)
        done = run(1, "-i", source, "-o", out, *stop)
        said = re.sub(r"[\s│]+", " ", done.stderr)
        expect(done.returncode == 1 and
               re.search(rf"attribute simulation_checksum: found {found}, expected \d+", said),
               f"another simulation's output: {said}")


def checkpoints(source):
    records = ["-u", "--u_final", "--u_peak", "--u_max", "--snapshot", "z=3"]
    whole, parts, state = (f"{work}/{n}.h5" for n in ("one", "parts", "state"))
    succeed(1, "-i", source, "-o", whole, *records)
    stop = ["--checkpoint_file", state, "--checkpoint_timesteps", "23"]
    succeed(2, "-i", source, "-o", parts, *records, *stop)
    expect(os.path.exists(state), "the checkpoint is there")
    changed = run(1, "-i", source, "-o", parts, *records, "--precision", "double", *stop)
    expect(changed.returncode == 1 and "64-bit" in changed.stderr, "another precision is refused")
    with h5py.File(state, "r+") as file:
        kept = file["vy"][3, 3, 3]
        file["vy"][3, 3, 3] = kept + 1
    damaged = run(2, "-i", source, "-o", parts, *records, *stop)
    expect(damaged.returncode == 1 and "damaged" in damaged.stderr, "damage is found")
    with h5py.File(state, "r+") as file:
        file["vy"][3, 3, 3] = kept
    succeed(3, "-i", source, "-o", parts, *records, *stop)
    shutil.copy(state, state + ".kept")
    succeed(1, "-i", source, "-o", parts, *records, *stop)
    expect(not os.path.exists(state), "the checkpoint is gone at the end")
    same(whole, parts)
    # A run killed before it removes its checkpoint leaves this state.
    shutil.move(state + ".kept", state)
    succeed(2, "-i", source, "-o", parts, *records, *stop)
    same(whole, parts)


def setter(name, value):
    def change(file):
        del file[name]
        if value is not None:
            file[name] = value
    return change


def added(name, value):
    return lambda file: file.create_dataset(name, data=value)


def attribute(name, value):
    return lambda file: file.attrs.update({name: value})


def one_cell(name, value):
    def change(file):
        file[name][2, 3, 4] = value
    return change


def pressure_source(flag):
    def change(file):
        file["p_source_index"], file["p_source_input"] = [5], [[[1.], [2.], [1.]]]
        file["p_source_flag"] = flag
    return change


def almost_too_long_a_step(file):
    """A time step that is stable only without attenuation."""
    del file["dt"]
    file["dt"] = .9999 * 6 / 7 / 3**.5 / file["vp"][()].max()
    file.attrs.update(q_p=30., q_s=20., q_band=[.01, .2])


def quality(p, s, band=(.01, .2)):
    return lambda file: file.attrs.update(q_p=p, q_s=s, q_band=band)


def water_below(file):
    """A model without a free surface, with water in one half."""
    for name, value in (("vp", 3**.5), ("vs", 1), ("rho", 1)):
        file[name][...] = value
    file["vs"][8:] = 0
    file.attrs.update(free_surface="none", q_p=11., q_s=40., q_band=[.01, .2])


def cell_qualities(p, s):
    """Sets arrays or numbers as the datasets q_p and q_s."""
    def change(file):
        file["q_p"], file["q_s"] = p, s
        file.attrs.update(q_band=[.01, .2])
    return change


def one_cell_of(change, name, value):
    def both(file):
        change(file)
        file[name][2, 3, 4] = value
    return both


def added_to(change, name, value):
    def both(file):
        change(file)
        file[name] = value
    return both


REFUSALS = [
    (setter("dt", .5), [], r"dataset dt: found 0\.5, expected at most .* 0\.1810"),
    (setter("dt", -1.), [], r"dataset dt: found -1, expected a time above 0"),
    (setter("vs", None), [], r"dataset vs is missing"),
    (setter("steps", None), [], r"dataset steps or Nt is missing"),
    (setter("rho", numpy.ones((16, 18, 19))), [], r"rho: found an array of 16 x 18 x 19, expected .*16 x 18 x 20"),
    (setter("rho", numpy.ones((20, 18, 16))), [],
     r"rho: found an array of 20 x 18 x 16, expected .*16 x 18 x 20 \(Nz x Ny x Nx\): the order of axes looks reversed"),
    (setter("sensor", numpy.ones((20, 18, 16))), [], r"mask of 16 x 18 x 20 .*the order of axes looks reversed"),
    (setter("sensor", numpy.zeros((16, 18, 20))), [], r"dataset sensor: found an empty sensor, expected one cell"),
    (setter("sensor", numpy.zeros((0, 3))), [], r"dataset sensor: found an empty sensor, expected one cell"),
    (added("sensor_mask_index", numpy.zeros((1, 1, 0), "u8")), [], r"sensor_mask_index: found an empty sensor"),
    (added("sensor_mask_index", numpy.array([5, 2**63], "u8")), [],
     r"sensor_mask_index'.*: found 9223372036854775808, expected"),
    (one_cell("rho", numpy.nan), [], r"rho of cell \(4, 3, 2\): found nan, expected a density above 0"),
    (one_cell("vp", -1.), [], r"vp of cell \(4, 3, 2\): found -1, expected a speed"),
    (one_cell("vs", 5.), [], r"vs of cell \(4, 3, 2\): found 5, expected at most vp/sqrt\(2\)"),
    (setter("source/cell", [[9, 18, 7]]), [], r"source/cell: found the cell \(9, 18, 7\), expected cells from \(0, 0, 0\) to \(19, 17, 15\)"),
    (setter("source/tensor", [[1., 2.]]), [], r"source/tensor: found an array of 1 x 2, expected 1 x 6"),
    (setter("source/rate", [1., numpy.inf]), [], r"source/rate: found inf at position 1"),
    (setter("sensor", [[20, 0, 0]]), [], r"sensor: found the cell \(20, 0, 0\)"),
    (setter("h", 0.), [], r"dataset h: found 0, expected a length above 0"),
    (attribute("free_surface", "flat"), [], r"free_surface: found 'flat', expected none, fs2 or fs4"),
    (attribute("free_surface", "\x1b[31m\nError: flat"), [], r"free_surface: found '\\x1b\[31m\\x0aError: flat'"),
    (attribute("sponge_edge", 1.5), [], r"sponge_edge: found 1\.5"),
    (attribute("q_p", 50.), [], r"attribute q_s is missing"),
    (None, ["--free_surface", "fs4"], r"first four rows .* expected that they vary by no more than a third"),
    (added("p0_source_flag", 1), [], r"p0_source_flag: found 1, expected 0"),
    (added("transducer_source_flag", 7), [], r"transducer_source_flag: found 7, expected 0"),
    (added("syz_source_flag", 9), [], r"syz_source_flag: found 9, expected 0"),
    (added("nonuniform_grid_flag", 1), [], r"nonuniform_grid_flag: found 1, expected 0"),
    (added("axisymmetric_flag", 1), [], r"axisymmetric_flag: found 1, expected 0"),
    (added("nonlinear_flag", 1), [], r"nonlinear_flag: found 1, expected 0"),
    (added("absorbing_flag", 2), [], r"absorbing_flag: found 2, expected 0"),
    (pressure_source(4), [], r"p_source_flag: found 4, expected 0 or 3, the time steps of p_source_input"),
    (added("ux_source_flag", 3), [], r"dataset ux_source_input is missing"),
    (almost_too_long_a_step, [], r"dataset dt: found 0\.\d+, expected at most .* which the quality factors make"),
    (quality(10., 5.), [], r"attribute q_s: found 5, expected at least 8\.53\d+ with this q_band"),
    (added("q_p", 50.), [], r"attribute q_s is missing, expected it, or a dataset q_s"),
    (cell_qualities(numpy.full((16, 18, 20), 60.), 0.5), [], r"dataset q_s: found 0\.5, expected a quality factor of at least 1"),
    (cell_qualities(numpy.ones((20, 18, 16)), 40.), [], r"dataset q_p: found an array of 20 x 18 x 16, expected .*16 x 18 x 20"),
    (one_cell_of(cell_qualities(60., numpy.full((16, 18, 20), 40.)), "q_s", .75), [],
     r"q_s of cell \(4, 3, 2\): found 0\.75, expected a quality factor of at least 1"),
    (one_cell_of(cell_qualities(60., numpy.full((16, 18, 20), 40.)), "q_s", 4.), [],
     r"1/q_s of cell \(4, 3, 2\): found 0\.25, expected at most 1/8\.53\d+ with this q_band"),
    (one_cell_of(cell_qualities(numpy.full((16, 18, 20), 60.), 40.), "q_p", 7.), [],
     r"1/q_p of cell \(4, 3, 2\): found 0\.142\d+, expected at most \(1 - y\)/8\.53\d+ \+ y/q_s"),
    (added_to(quality(60., 40.), "q_s", 40.), [], r"attribute q_s: found 40, expected none: there is a dataset q_s"),
    (quality(7., 40.), [], r"attribute q_p: found 7, expected at least (9|1\d)\.\d+ with this q_band"),
    (water_below, [], r"attribute q_p: found 11, expected at least 11\.5\d+ with this q_band: .* beside the softest"),
    (added("sensor_mask_type", 1), [], r"sensor_mask_type: found 1, expected 0"),
    (None, ["--checkpoint_timesteps", "9", "--checkpoint_file", f"{work}/refused.h5"],
     r"refused\.h5: found the output, expected another file as checkpoint"),
    (None, ["--checkpoint_timesteps", "9", "--checkpoint_file", f"{work}/bad.h5"],
     r"bad\.h5: found the input, expected another file as checkpoint"),
    (None, ["--grid", "3x1x1"], r"--grid 3x1x1: found 3 blocks, expected one for each of"),
    (None, ["--snapshot", "z=16"], r"--snapshot z=16: expected a plane from 0 to 15"),
    (None, ["--snapshot", "z=3", "--snapshot_interval", str(STEPS + 1)],
     rf"--snapshot_interval: found {STEPS + 1}, expected at most {STEPS}, the number of time steps"),
]


def refusals():
    for number, (change, arguments, pattern) in enumerate(REFUSALS):
        bad, out = model(f"{work}/bad.h5", change), f"{work}/refused.h5"
        done = run(2 if number % 5 == 0 else 1, "-i", bad, "-o", out, *arguments)
        said = re.sub(r"[\s│]+", " ", done.stderr)
        expect(done.returncode == 1 and re.search(pattern, said),
               f"{pattern}: status {done.returncode}, {said}")
        expect(not os.path.exists(out), f"{pattern}: no output is left")
    soft = model(f"{work}/soft.h5", one_cell("vs", .9))
    for name in ("vp",):
        with h5py.File(soft, "r+") as file:
            file[name][2, 3, 4] = 1.2
    expect(run(1, "-i", soft, "-o", f"{work}/soft_out.h5").returncode == 1, "negative lambda is refused")
    succeed(1, "-i", soft, "-o", f"{work}/soft_out.h5", "--allow_negative_lambda")


def qualities():
    """Stable models run. Warnings name quality factors and bands with less accuracy or with waves that may grow."""
    for change, arguments, patterns in (
            (quality(60., 40.), [], []),
            (quality(11., 8.6), [], [r"q_p: found 11, expected at least 20", r"q_s: found 8\.6, expected at least 20"]),
            (quality(100., 20.), [], [r"q_p: found 100, expected at most .*q_s = 3[89]\.\d+ .*compression gains energy there"]),
            (quality(60., 40., (.2 / 15, .2)), ["--steps", "3000"], [r"q_band: found frequencies of 1 to 15,"]),
            (quality(60., 40., (.1, .2)), ["--steps", "400"], [])):
        text = succeed(1, "-i", model(f"{work}/quality.h5", change), "-o", f"{work}/quality_out.h5", *arguments)
        said = re.sub(r"[\s│]+", " ", text)
        for pattern in patterns:
            expect(re.search(pattern, said), f"{pattern}: {said}")
        expect(said.count("attribute q_") == len(patterns), f"{len(patterns)} warnings of quality: {said}")
    def water(file):
        """A fluid has no shear waves, so their quality factor is ignored."""
        file["vs"][...] = 0
        del file["dt"]
        file.attrs.update(q_p=30., q_s=1., q_band=[.01, .2])
    succeed(1, "-i", model(f"{work}/water.h5", water), "-o", f"{work}/water_out.h5", "--steps", "5")


def qualities_of_cells():
    """Equal quality factors in all cells give the waves of one common factor.

    Other factors give the same bits for any number of ranks."""
    shape = (16, 18, 20)
    outs = {}
    for name, change in (("one", quality(60., 40.)), ("number", cell_qualities(60., 40.)),
                         ("equal", cell_qualities(numpy.full(shape, 60.), 40.)),
                         ("half", cell_qualities(60., numpy.where(numpy.arange(16)[:, None, None] < 8, 40., 25.)
                                                 * numpy.ones(shape)))):
        outs[name] = f"{work}/q_{name}.h5"
        text = succeed(1, "-i", model(f"{work}/q.h5", change), "-o", outs[name], "--precision", "double", "--u_final")
        expect(("yes, of each cell" in text) == (name in ("equal", "half")), f"attenuation of {name}: {text}")
    for grid, device in (("2x1x1", []), ("1x2x2", []), ("1x1x2", ["--device", "gpu"])):
        ranks = 4 if grid == "1x2x2" else 2
        succeed(ranks, "-i", f"{work}/q.h5", "-o", f"{work}/q_ranks.h5", "--precision", "double", "--u_final",
                "--grid", grid, *device, HFFT_GPU="emulated")
        same(outs["half"], f"{work}/q_ranks.h5")
    stop = ["-i", f"{work}/q.h5", "-o", f"{work}/q_ranks.h5", "--precision", "double", "--u_final",
            "--checkpoint_file", f"{work}/q_state.h5", "--checkpoint_timesteps", "25"]
    for ranks in (2, 1, 1):
        succeed(ranks, *stop)
    same(outs["half"], f"{work}/q_ranks.h5")
    same(outs["one"], outs["number"])
    with h5py.File(outs["one"]) as one, h5py.File(outs["equal"]) as equal, h5py.File(outs["half"]) as half:
        for axis in "xyz":
            a, b, c = (file[f"u{axis}_final"][()] for file in (one, equal, half))
            expect(abs(a - b).max() < 1e-12 * abs(a).max(), f"equal factors of cells: {abs(a - b).max()}")
            expect(abs(a - c).max() > 1e-3 * abs(a).max(), "other factors of half of the cells")


def writers(source):
    """Output written by a thread has the same bits. Small frames, of 18 x 20 cells in double precision, are written
    directly. Frames of a larger model go to the thread."""
    def large(file):
        for name in ("vp", "vs", "rho"):
            del file[name]
        file["vp"], file["vs"], file["rho"] = 3**.5, 1., 1.
        file["Nx"], file["Ny"], file["Nz"] = 120, 110, 12
        z, y, x = numpy.indices((2, 90, 100))
        del file["sensor"]
        file["sensor"] = numpy.stack([x, y, z], axis=-1).reshape(-1, 3)
    for model_file, steps in ((source, "40"), (model(f"{work}/large.h5", large), "12")):
        outs = [f"{work}/written_{writer}.h5" for writer in ("none", "thread")]
        for out, writer in zip(outs, ("none", "thread")):
            succeed(3, "-i", model_file, "-o", out, "--u_raw", "--p_raw", "--snapshot", "z=3", "--snapshot_interval", "2",
                    "--steps", steps, "--writer", writer, "--precision", "double")
        same(*outs)


def few_steps(source):
    """The default interval of snapshots is cut to the length of a shorter run."""
    out = f"{work}/few.h5"
    succeed(1, "-i", source, "-o", out, "--steps", "4", "--snapshot", "z=3")
    with h5py.File(out) as file:
        expect(file["snapshot_z3_ux"].shape[0] == 1, "frames of a run of four steps")
        expect(file["snapshot_z3_ux"].attrs["first_step"] == b"3", "the frame is the last step")


def descriptions_over_inputs():
    bad = model(f"{work}/over.xdmf", None)
    done = run(1, "-i", bad, "-o", f"{work}/over.h5", "--xdmf")
    said = re.sub(r"[\s│]+", " ", done.stderr)
    expect(done.returncode == 1 and "over.xdmf: found the input, expected another file" in said,
           f"--xdmf over the input: {done.returncode}, {said}")
    expect(h5py.is_hdf5(bad), "the input is there")


def overflow():
    """Speeds of 2e20 m/s are finite, but their squares exceed single precision."""
    def loud(file):
        file["source/tensor"][...] *= 1e22

    source = model(f"{work}/loud.h5", loud)
    for ranks, precision in ((1, "single"), (2, "single"), (2, "double")):
        done = run(ranks, "-i", source, "-o", f"{work}/loud_out.h5", "--u_peak", "--u_final", "--precision",
                   precision)
        with h5py.File(f"{work}/loud_out.h5") as file:
            peak = file["u_peak"][()]
            expect(all(numpy.isfinite(file[f"u{a}_final"][()]).all() for a in "xyz"), "finite velocities")
        if precision == "double":
            expect(done.returncode == 0 and 1.9e19 < peak.max() < 1e25, f"{peak.max()}: {done.stderr}")
            continue
        z, y, x = numpy.argwhere(~numpy.isfinite(peak))[0]
        expect(done.returncode == 2, f"exit status {done.returncode}")
        expect(f"loud_out.h5: dataset u_peak: found inf at cell ({x}, {y}, {z}), expected finite numbers"
               in done.stderr, done.stderr)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
everything = model(f"{work}/everything.h5")
against_reference(everything)
no_source(everything)
checkpoints(everything)
other_outputs(everything)
refusals()
qualities()
qualities_of_cells()
writers(everything)
few_steps(everything)
descriptions_over_inputs()
overflow()
sys.exit(1 if failures else 0)
