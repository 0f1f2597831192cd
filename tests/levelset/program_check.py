"""Tests hybridfft-levelset from file to file against the results of an independent program.

Results have the same bits for any ranks, tiles and restarts, and wrong inputs are refused. Arguments: data, work
folder, mpirun ..., program, and the reader of OpenVDB files if this build has OpenVDB."""
import glob
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

import programs
from programs import expect, failures

data, work, *launch = sys.argv[1:]
vdb_points = launch.pop() if "vdb_points" in launch[-1] else None
program = launch.pop()
SERIES = [f"series/{name}" for name in ("time", "dt", "points", "volume", "area")]


def run(ranks, *options, **environment):
    return programs.run(launch, ranks, program, *options, **environment)


def succeed(ranks, *options, **environment):
    return programs.succeed(launch, ranks, program, *options, **environment)


def differences(a, b, names):
    with h5py.File(a) as one, h5py.File(b) as other:
        return [n for n in names if not numpy.array_equal(one[n][()], other[n][()])]


def cases():
    """phi agrees to 1e-12 h, points and steps are equal, times agree to 1e-12, volume and area to 1e-11."""
    for number, source in enumerate(sorted(glob.glob(f"{data}/*_in.h5"))):
        name, out = os.path.basename(source)[:-6], f"{work}/case.h5"
        succeed(1 + number % 3, "-i", source, "-o", out)
        with h5py.File(out) as mine, h5py.File(f"{data}/{name}_out.h5") as theirs, h5py.File(source) as case:
            deviation = numpy.abs(mine["phi"][()] - theirs["phi"][()]).max() / case["h"][()]
            expect(deviation < 1e-12, f"{name}: phi deviates by {deviation} h")
            expect(mine["step"][0] == theirs["step"][()], f"{name}: step")
            expect(numpy.array_equal(mine["series/points"][()], theirs["series/points"][()]), f"{name}: points")
            for series, bound in (("time", 1e-12), ("dt", 1e-12), ("volume", 1e-11), ("area", 1e-11)):
                a, b = mine[f"series/{series}"][()], theirs[f"series/{series}"][()]
                expect(numpy.allclose(a, b, rtol=bound, atol=0), f"{name}: {series}")


def same_bits():
    """Ranks, tiles, threads, dense storage, the emulated device and restarts do not change bits."""
    names = ["phi", "time", "step", *SERIES]
    for case in ("ends", "fixed", "over_time"):
        source, whole, other = f"{data}/{case}_in.h5", f"{work}/whole.h5", f"{work}/other.h5"
        succeed(1, "-i", source, "-o", whole, "--snapshot_interval", "5")
        for ranks, options in ((3, []), (8, ["--tile", "8"]), (2, ["--dense", "--threads", "2"]),
                               (5, ["--balance", "planes"]), (3, ["--balance", "none"]), (2, ["--device", "gpu"])):
            succeed(ranks, "-i", source, "-o", other, "--snapshot_interval", "5", *options, HFFT_GPU="emulated")
            tiles = [] if "--dense" in options or "8" in options else ["tile/position", "tile/phi", "tile/sign",
                                                                      "snapshot/000005/tile/phi"]
            expect(not differences(whole, other, names + tiles + ["snapshot/000005/phi"]),
                   f"{case} on {ranks}, {options}: {differences(whole, other, names + tiles)}")
        state = f"{work}/state.h5"
        stop = ["--snapshot_interval", "5", "--checkpoint_file", state, "--checkpoint_timesteps", "4"]
        os.remove(other)
        for ranks in (1, 3, 2):
            succeed(ranks, "-i", source, "-o", other, *stop)
            expect(os.path.exists(state) == (ranks != 2), f"checkpoint after the run on {ranks}")
        expect(not differences(whole, other, [*names, "tile/phi", "snapshot/000005/phi", "snapshot/000010/phi"]),
               f"{case} in parts")


def thin_blocks():
    """Blocks may be thinner than their pads of ghosts, at open and fixed ends. 33 points are cut into 16, 16 and 1."""
    z, y, x = numpy.meshgrid(*((numpy.arange(n) + .5) / 20 for n in (33, 20, 20)), indexing="ij")
    phi = numpy.sqrt((x - .5)**2 + (y - .5)**2 + (z - 1.5)**2) - .3
    for ends in ({}, {"z_boundary": "fixed"}):
        source = model(f"{work}/thin.h5", phi=phi, h=1 / 20, uz=1., speed=.3, dt=.02, steps=6, **ends)
        succeed(1, "-i", source, "-o", f"{work}/whole.h5")
        for options in (["--balance", "none"], []):
            succeed(3, "-i", source, "-o", f"{work}/other.h5", *options)
            changed = differences(f"{work}/whole.h5", f"{work}/other.h5", ["phi", "tile/phi", "tile/sign", *SERIES])
            expect(not changed, f"thin blocks, {ends}, {options}: {changed}")


def balance():
    """--balance planes, the rule of Wang (arXiv:1612.04040), reproduces the loads of his demonstration.

    By default, the largest load exceeds the mean by at most 10 %."""
    h = .1
    model(f"{work}/balls.h5", phi=None, speed=None, steps=0, sphere=[[3., 5., 7., 1.5], [7., 5., 3., 1.5]],
          points=[101] * 3, h=h, origin=[0.] * 3, beta=3 * h, gamma=4 * 3**.5 * h)
    for ranks, loads in ((2, "1.006"), (4, "1.031"), (8, "1.065"), (16, "1.195")):
        said = succeed(ranks, "-i", f"{work}/balls.h5", "-o", f"{work}/balls_out.h5", "--balance", "planes")
        found = re.findall(r"balance ([0-9.]+)", said)
        expect(found == [loads], f"planes on {ranks}: {found}")
    model(f"{work}/balls.h5", phi=None, speed=None, steps=0, sphere=[[3., 5., 7., 1.], [7., 5., 3., 1.]],
          points=[101] * 3, h=h, origin=[0.] * 3)
    found = re.findall(r"balance ([0-9.]+)", succeed(16, "-i", f"{work}/balls.h5", "-o", f"{work}/balls_out.h5"))
    expect(len(found) == 1 and float(found[0]) <= 1.1, f"balance {found}")


def writers():
    """Outputs do not depend on the number of writers. A wrong input is also refused in a run with writers."""
    source = f"{data}/ends_in.h5"
    succeed(1, "-i", source, "-o", f"{work}/whole.h5", "--snapshot_interval", "1")
    names = ["phi", "tile/phi", "tile/sign", "tile/position", *SERIES]
    names += [f"snapshot/{n:06}/{name}" for n in range(1, 11) for name in ("phi", "time", *names[1:4])]
    for ranks, count, options in ((2, 1, []), (5, 2, ["--tile", "8"]), (3, 1, ["--device", "gpu"])):
        succeed(ranks, "-i", source, "-o", f"{work}/other.h5", "--snapshot_interval", "1", "--writers", str(count), *options,
                HFFT_GPU="emulated")
        same = [n for n in names if "8" not in options or "tile" not in n]
        changed = differences(f"{work}/whole.h5", f"{work}/other.h5", same)
        expect(not changed, f"{count} writers of {ranks}: {changed}")
    for ranks, options in ((3, ["--writers", "1"]), (2, ["--dense"])):
        succeed(ranks, "-i", source, "-o", f"{work}/other.h5", "--snapshot_interval", "5", "--snapshot_tiles", "--xdmf", *options)
        changed = differences(f"{work}/whole.h5", f"{work}/other.h5", ["phi", *(f"snapshot/000005/{n}" for n in names[1:4])])
        with h5py.File(f"{work}/other.h5") as file, open(f"{work}/other.xdmf", encoding="utf-8") as xdmf:
            tiles, text = len(file["snapshot/000005/tile/position"]), xdmf.read()
            expect(not changed and "phi" not in file["snapshot/000005"], f"snapshots of tiles on {ranks}: {changed}")
        found = text.count("<Time "), text.count(":/snapshot/000005/tile/phi<"), text.count(":/phi<"), text.count("000010")
        expect(found == (2, tiles, 1, 0), f"description of snapshots of tiles on {ranks}: {found}")
    state = f"{work}/written.h5"
    parts = ["--snapshot_interval", "1", "--checkpoint_file", state, "--checkpoint_timesteps", "4"]
    os.remove(f"{work}/other.h5")
    for ranks, options in ((3, ["--writers", "1"]), (2, []), (4, ["--writers", "2"])):
        succeed(ranks, "-i", source, "-o", f"{work}/other.h5", *parts, *options)
    expect(not os.path.exists(state), "the checkpoint of a run with writers is used up")
    changed = differences(f"{work}/whole.h5", f"{work}/other.h5", names)
    expect(not changed, f"writers in a run in parts: {changed}")
    refused(2, "--writers: found 2, expected less than the number of ranks, 2", "-i", source, "--writers", "2")
    refused(3, "dataset h: found 0, expected a length above 0", "-i", model(f"{work}/bad.h5", h=0.), "--writers", "1")


def full_disk():
    """Without space for the next snapshot the program fails, and the output keeps all snapshots before it."""
    source, disk = f"{data}/ends_in.h5", f"{work}/disk"
    out, whole = f"{disk}/out.h5", f"{work}/whole.h5"
    succeed(1, "-i", source, "-o", whole, "--snapshot_interval", "1")
    os.makedirs(disk, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", disk], check=False).returncode != 0:
        print("not tested: output on a full disk, for which this user may not mount a tmpfs")
        return
    try:
        for size, kept, options in ((100, None, []), (700, 0, []), (2000, 3, []), (700, 0, ["--writers", "1"]),
                                    (2000, 3, ["--writers", "1"])):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"remount,size={size}k", "tmpfs", disk], check=True)
            done = run(3, "-i", source, "-o", out, "--snapshot_interval", "1", *options)
            what = f"{size} KiB {options}"
            expect(done.returncode != 0 and "No space left on device" in done.stderr and out in done.stderr,
                   f"{what}: status {done.returncode}, {done.stderr}")
            expect(os.path.exists(out) == (kept is not None), f"{what}: {os.listdir(disk)}")
            if os.path.exists(out):
                names = [f"snapshot/{n:06}/{name}" for n in range(1, kept + 1)
                         for name in ("phi", "time", "tile/phi", "tile/sign", "tile/position")]
                changed = differences(whole, out, names)
                expect(not changed, f"{what}: {changed}")
                os.remove(out)
    finally:
        subprocess.run(["umount", disk], check=True)


def tiles():
    """The tiles of the band hold phi. In all other tiles phi is gamma times the tile's sign."""
    succeed(2, "-i", f"{data}/normal_5_in.h5", "-o", f"{work}/tiles.h5", "--tile", "8")
    with h5py.File(f"{work}/tiles.h5") as file:
        phi, gamma = file["phi"][()], 6 * file["h"][0]
        sign = file["tile/sign"][()]
        expect(sign.dtype == numpy.int8 and sign.shape == (4, 4, 4), f"signs {sign.dtype} {sign.shape}")
        whole = numpy.kron(sign, numpy.ones((8, 8, 8))) * gamma
        for (x, y, z), tile in zip(file["tile/position"][()] * 8, file["tile/phi"][()]):
            whole[z:z + 8, y:y + 8, x:x + 8] = tile
        expect(numpy.array_equal(whole, phi), "tiles and signs are phi")


def model(path, change=None, **values):
    x = (numpy.arange(24) + .5) / 24
    z, y, x = numpy.meshgrid(x, x, x, indexing="ij")
    start = dict(phi=numpy.sqrt((x - .5)**2 + (y - .5)**2 + (z - .5)**2) - .25, h=1 / 24,
                 origin=[1 / 48] * 3, steps=2, speed=1.)
    with h5py.File(path, "w") as file:
        for name, value in {**start, **values}.items():
            if isinstance(value, str):
                file.attrs[name] = value
            elif value is not None:
                file[name] = value
        if change:
            change(file)
    return path


def labels_and_media():
    """Labels become a distance. The medium of a ball has the exact integrals of density and compressibility, except for
    the error of a smooth edge (radius 13 h, half width of the edge 0.75 h)."""
    n, h = 48, 1 / 48
    x = (numpy.arange(n) + .5) * h
    distance = numpy.sqrt((x[None, None] - .513)**2 + (x[None, :, None] - .488)**2 + (x[:, None, None] - .502)**2) - .27
    with h5py.File(f"{work}/medium.h5", "w") as file:
        file.update({"phi": distance, "h": h, "steps": 0, "medium": [[2000., 1800.], [1500., 1000.]]})
    succeed(2, "-i", f"{work}/medium.h5", "-o", f"{work}/medium_out.h5", "--medium", "--xdmf")
    volume = 4 / 3 * numpy.pi * .27**3
    with h5py.File(f"{work}/medium_out.h5") as file:
        c, rho = file["sound_speed"][()], file["density"][()]
    expect(abs((rho - 1000).sum() * h**3 / (800 * volume) - 1 - 1.21e-3) < 1.3e-5, "excess of density")
    exact = volume * (1 / (1800 * 2000**2) - 1 / (1000 * 1500**2))
    excess = (1 / (rho * c**2) - 1 / (1000 * 1500**2)).sum() * h**3 / exact - 1
    expect(abs(excess - 1.21e-3) < 1.3e-5, f"excess of compressibility {excess}")
    expect(os.path.exists(f"{work}/medium_out.xdmf"), "the description is there")
    model(f"{work}/labels.h5", phi=None, speed=None, steps=0, label=3,
          labels=numpy.where(distance[::2, ::2, ::2] < 0, 3, 0).astype("u1"))
    succeed(3, "-i", f"{work}/labels.h5", "-o", f"{work}/labels_out.h5")
    with h5py.File(f"{work}/labels_out.h5") as file:
        phi = file["phi"][()]
        near = numpy.abs(phi) < 2 / 24
        x = x[::2]
        expect(numpy.abs(phi - distance[::2, ::2, ::2])[near].max() < .7 / 24, "labels become a distance")
    model(f"{work}/spheres.h5", phi=None, sphere=[[.3, .4, .5, .15], [.7, .6, .5, .2]], points=[30, 28, 26], steps=0,
          speed=None)
    succeed(2, "-i", f"{work}/spheres.h5", "-o", f"{work}/spheres_out.h5")
    with h5py.File(f"{work}/spheres_out.h5") as file:
        expect(file["phi"].shape == (26, 28, 30), f"points {file['phi'].shape}")
        expect(file["series/time"].shape == (0,), "no step, no series")


def require_closed(corners, volume, what):
    """Expects each edge in two triangles, once per direction. The divergence theorem must give the volume."""
    points, numbers = numpy.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    t = numbers.reshape(-1, 3)
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 0] != t[:, 2])]
    edges = numpy.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    size = len(points)
    expect(numpy.array_equal(numpy.sort(edges[:, 0] * size + edges[:, 1]), numpy.sort(edges[:, 1] * size + edges[:, 0])),
           f"{what}: each edge has two triangles")
    a, b, c = (points[t[:, n]].astype(float) for n in range(3))
    found = (a * numpy.cross(b, c)).sum() / 6
    expect(abs(found / volume - 1) < .01, f"{what}: volume {found}, expected {volume}")


def formats():
    """The triangles are closed and have the ball's volume, and the image holds phi."""
    h = 1 / 32
    model(f"{work}/ball.h5", phi=None, sphere=[[.513, .488, .502, 9.9 * h]], points=[32, 32, 32], h=h, steps=2,
          origin=[h / 2] * 3, speed=1e-9, dt=1e-3)
    for ranks in (1, 3):
        out = f"{work}/ball_out{ranks}"
        succeed(ranks, "-i", f"{work}/ball.h5", "-o", f"{out}.h5", "--format", "vti,stl,vtp", "--snapshot_interval", "1",
                "--dense", "--tile", "8", *(["--precision", "double"]))
        volume = 4 / 3 * numpy.pi * (9.9 * h)**3
        with open(f"{out}.stl", "rb") as file:
            file.seek(80)
            count = numpy.fromfile(file, "<u4", 1)[0]
            rows = numpy.fromfile(file, numpy.dtype([("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")]))
        expect(count == len(rows), f"{count} triangles, {len(rows)} rows")
        require_closed(rows["p"], volume, f"STL on {ranks}")
        with open(f"{out}.vtp", "rb") as file:
            text = file.read()
        values = text[text.index(b"\n_") + 2:]
        size = int(numpy.frombuffer(values, "<u8", 1)[0])
        points = numpy.frombuffer(values[8:8 + size], "<f4").reshape(-1, 3)
        corners = numpy.frombuffer(values[16 + size:], "<i8", 3 * count)
        require_closed(points[corners].reshape(-1, 3, 3), volume, f"VTP on {ranks}")
        with open(f"{out}.vti", "rb") as file:
            text = file.read()
        expect(b'WholeExtent="0 31 0 31 0 31"' in text, "extent of the image")
        with h5py.File(f"{out}.h5") as file:
            expect(text[text.index(b"\n_") + 10:][:32**3 * 8] == file["phi"][()].tobytes(), "the image is phi")
        with open(f"{out}.pvd", encoding="utf-8") as file:
            names = re.findall('file="([^"]+)"', file.read())
        expect(names == [f"ball_out{ranks}{n}.vti" for n in (".000001", ".000002", "")], f"{names}")
        expect(all(os.path.exists(f"{work}/{name}") for name in names), "all images are there")


def sparse_grids():
    """The OpenVDB file has phi in the tube T around the front, the background elsewhere, and the place and time."""
    h = 1 / 32
    options = ["-i", model(f"{work}/sparse.h5", phi=None, sphere=[[.513, .6, .7, 8 * h]], points=[34, 40, 45], h=h, steps=2,
                           origin=[h / 2, h, 2 * h], dt=1e-3), "-o", f"{work}/sparse_out.h5", "--format", "vdb"]
    if vdb_points is None:
        done = run(1, *options)
        expect(done.returncode != 0 and "this build has no OpenVDB" in programs.words(done.stderr), done.stderr)
        return
    for ranks, precision in ((1, "double"), (3, "single")):
        succeed(ranks, *options, "--snapshot_interval", "1", "--precision", precision)
        for name, group, step in ((".000001.vdb", "snapshot/000001/", 1), (".vdb", "", 2)):
            said = subprocess.run([vdb_points, f"{work}/sparse_out{name}", "34", "40", "45", f"{work}/values"],
                                  capture_output=True, text=True, check=True).stdout.split()
            with h5py.File(f"{work}/sparse_out.h5") as file:
                phi = file[group + "phi"][()].astype("<f4")
                values = [file[group + "time"][0], step, file["series/points"][step - 1]]
            expect(said[0] == "1" and numpy.allclose([float(v) for v in said[1:]], [h, h / 2, h, 2 * h, *values], rtol=1e-12),
                   f"OpenVDB {name} on {ranks}: {said}")
            expect(numpy.array_equal(numpy.fromfile(f"{work}/values", "<f4").reshape(phi.shape), phi),
                   f"OpenVDB {name} on {ranks}: values")


def box_triangles(low, high):
    """Returns the corners of the twelve triangles of a box, with normals outward."""
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side, order in ((low, (0, 2, 1, 0, 3, 2)), (high, (0, 1, 2, 0, 2, 3))):
            corners = []
            for a, b in ((low, low), (high, low), (high, high), (low, high)):
                p = [0.] * 3
                p[axis], p[u], p[v] = side[axis], a[u], b[v]
                corners.append(p)
            faces += [corners[n] for n in order]
    return numpy.array(faces, "<f4").reshape(-1, 3, 3)


def write_stl(path, triangles, text=False):
    if text:
        with open(path, "w", encoding="utf-8") as file:
            file.write("solid made\n")
            for t in triangles:
                file.write("facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x!r} {y!r} {z!r}\n" for x, y, z in
                                                                        t.tolist()) + "endloop\nendfacet\n")
            file.write("endsolid made\n")
        return path
    rows = numpy.zeros(len(triangles), numpy.dtype([("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")]))
    rows["p"] = triangles
    with open(path, "wb") as file:
        file.write(b"made".ljust(80) + numpy.uint32(len(rows)).tobytes() + rows.tobytes())
    return path


def triangles():
    """A box of triangles gives its exact distance, also with corners on grid points.

    The triangles written for a ball give the same ball."""
    n, h = 24, 1 / 24
    x = (numpy.arange(n) + .5) * h
    for low, high in (([.21, .3, .33], [.7, .64, .8]), ([x[5], x[6], x[4]], [x[15], x[17], x[18]])):
        surface = box_triangles(low, high)
        low, high = surface.min((0, 1)).astype(float), surface.max((0, 1)).astype(float)
        q = [numpy.abs(x - (low[a] + high[a]) / 2) - (high[a] - low[a]) / 2 for a in range(3)]
        q = numpy.broadcast_arrays(q[0][None, None], q[1][None, :, None], q[2][:, None, None])
        exact = (numpy.sqrt(sum(numpy.maximum(v, 0)**2 for v in q)) + numpy.minimum(numpy.maximum.reduce(q), 0))
        model(f"{work}/points.h5", phi=None, speed=None, steps=0, points=[n] * 3)
        for ranks, text in ((1, False), (3, True)):
            stl = write_stl(f"{work}/box.stl", surface, text)
            succeed(ranks, "-i", f"{work}/points.h5", "-o", f"{work}/box_out.h5", "--stl", stl)
            with h5py.File(f"{work}/box_out.h5") as file:
                error = numpy.abs(file["phi"][()] - numpy.clip(exact, -6 * h, 6 * h)).max()
            expect(error < 1e-6 * h, f"box of triangles on {ranks}: phi deviates by {error / h} h")
    succeed(1, "-i", f"{work}/points.h5", "-o", f"{work}/box_out.h5", "--stl", f"{work}/box.stl", "--profile", "-r", "50")
    h = 1 / 32
    model(f"{work}/points.h5", phi=None, speed=None, steps=0, points=[32] * 3, h=h, origin=[h / 2] * 3)
    succeed(2, "-i", f"{work}/points.h5", "-o", f"{work}/again.h5", "--stl", f"{work}/ball_out1.stl")
    with h5py.File(f"{work}/again.h5") as file, h5py.File(f"{work}/ball_out1.h5") as ball:
        a, b = file["phi"][()], ball["phi"][()]
        near = numpy.abs(b) < 2 * h
        expect(numpy.abs(a - b)[near].max() < .05 * h, f"a ball's triangles: {numpy.abs(a - b)[near].max() / h} h")
    for stl, pattern in ((write_stl(f"{work}/open.stl", surface[1:]),
                          r"open.stl: found an open edge of triangle 0, from \(.*\) to \(.*\), expected a closed surface"),
                         (write_stl(f"{work}/nan.stl", surface * numpy.nan), "found nan in triangle 0, expected finite"),
                         (write_stl(f"{work}/none.stl", surface[:0]), "found no triangles"),
                         (f"{work}/points.h5", "points.h5: found .* bytes, expected"),
                         (f"{work}/absent.stl", "absent.stl: found no file that can be read, expected an STL file")):
        refused(2, pattern, "-i", f"{work}/points.h5", "--stl", stl)
    refused(1, "dataset sphere, --stl: found both", "-i", f"{work}/spheres.h5", "--stl", f"{work}/box.stl")
    refused(1, "dataset points is missing, expected Nx, Ny and Nz with --stl", "-i",
            model(f"{work}/bad.h5", phi=None), "--stl", f"{work}/box.stl")


def refused(ranks, pattern, *options):
    out = f"{work}/refused.h5"
    done = run(ranks, *options, "-o", out)
    said = programs.words(done.stderr)
    expect(done.returncode == 1 and re.search(pattern, said), f"{pattern}: status {done.returncode}, {said}")
    expect(not os.path.exists(out), f"{pattern}: no output is left")


def vanishing():
    """The program reports a front that vanishes, and succeeds."""
    model(f"{work}/gone.h5", speed=-1., steps=40, dt=.02)
    said = succeed(2, "-i", f"{work}/gone.h5", "-o", f"{work}/gone_out.h5")
    expect("the front has vanished" in said, said)
    with h5py.File(f"{work}/gone_out.h5") as file:
        expect(file["tile/phi"].shape[0] == 0 and file["step"][0] == 40, "no tiles are left")
        expect((file["tile/sign"][()] == 1).all() and file["series/volume"][-1] == 0, "nothing is inside")
    said = succeed(1, "-i", model(f"{work}/none.h5", phi=numpy.ones((24, 24, 24)), rubbish=1), "-o",
                   f"{work}/none_out.h5", "--precision", "single")
    expect("no value below 0, expected a change of sign" in said and "rubbish is not known" in said, said)


def nan(file):
    file["phi"][3, 4, 5] = numpy.nan


grid = numpy.ones((24, 24, 24))
REFUSALS = [
    (dict(phi=None), r"found none of them, expected one of them"),
    (dict(sphere=[[.5, .5, .5, .2]]), r"found phi and sphere, expected one"),
    (dict(h=0.), r"dataset h: found 0, expected a length above 0"),
    (dict(h=None), r"dataset h is missing"),
    (dict(steps=None), r"datasets steps, t_end: found none of them"),
    (dict(flow="swirl", speed=None), r"attribute flow: found 'swirl', expected rotation or deformation"),
    (dict(x_boundary="open"), r"x_boundary: found 'open', expected outflow, periodic or fixed"),
    (dict(order=3), r"dataset order: found 3, expected 1 or 5"),
    (dict(change=nan), r"dataset phi at point \(5, 4, 3\): found nan, expected finite"),
    (dict(phi=grid[:5]), r"dataset phi: found 5 points along z, expected at least 7"),
    (dict(speed=grid[:, :, :20]), r"dataset speed: found an array of 24 x 24 x 20, expected one number, 24 x 24 x 24"),
    (dict(flow="rotation", ux=1.), r"attribute flow, dataset ux: found both"),
    (dict(gamma=.1, beta=.2), r"dataset gamma: found 0\.1, expected more than beta, 0\.2"),
    (dict(gamma=.9), r"dataset gamma: found 0\.9, expected at most 16 h"),
    (dict(speed=numpy.ones((2, 24, 24, 24))), r"flow_time is missing, expected 2 times for speed"),
    (dict(speed=numpy.ones((2, 24, 24, 24)), flow_time=[0., 1., 2.]), r"flow_time: found 3 times, expected 2"),
    (dict(speed=numpy.ones((2, 24, 24, 24)), flow_time=[1., 0.]), r"flow_time: found 0 at position 1, expected ascending"),
    (dict(dt=.05), r"dataset dt: found 0\.05, expected at most h / 1 m/s = 0\.0416"),
    (dict(bending=-1.), r"dataset bending: found -1, expected 0 or more"),
    (dict(bending=1., dt=.001), r"dataset dt: found 0\.001, expected at most h\^2/\(6 bending\)"),
    (dict(speed=None), r"dataset dt is missing, expected one where nothing moves"),
]


def refusals():
    for number, (values, pattern) in enumerate(REFUSALS):
        refused(2 if number % 5 == 0 else 1, pattern, "-i", model(f"{work}/bad.h5", **values))


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
cases()
same_bits()
thin_blocks()
balance()
writers()
full_disk()
tiles()
labels_and_media()
formats()
sparse_grids()
triangles()
vanishing()
refusals()
sys.exit(1 if failures else 0)
