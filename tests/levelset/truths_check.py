"""Compares fronts of hybridfft-levelset with exact distances.

The expected errors are those of an independent program in double precision. Arguments: work folder, program, and "full"
for the large grids."""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

work, program, *extra = sys.argv[1:]
full = extra == ["full"]
failures = []


def expect(found, expected, share, what):
    """Expects `found` to differ from `expected` by at most `share` times `expected`."""
    good = abs(found - expected) <= share * abs(expected) + 1e-12
    print(f"{what:66s} {found: .4e}  expected {expected: .4e}{'' if good else '  FAILED'}", flush=True)
    if not good:
        failures.append(what)


def ball(centre, r):
    return lambda x, y, z: np.sqrt((x - centre[0])**2 + (y - centre[1])**2 + (z - centre[2])**2) - r


def two_balls(r):
    return lambda x, y, z: np.minimum(ball((3, 5, 7), r)(x, y, z), ball((7, 5, 3), r)(x, y, z))


class Grid:
    """A grid of n^3 points, or n^2 in the plane, and runs of the program on it."""

    def __init__(self, n, cells=None, origin=None, plane=False):
        self.shape = (1 if plane else n, n, n)
        self.h = 1 / n if cells is None else cells
        first = self.h / 2 if origin is None else origin
        self.origin = np.array([first, first, 0 if plane else first])

    def axes(self, pads=0):
        x = [self.origin[a] + np.arange(-pads, self.shape[2 - a] + pads) * self.h for a in range(3)]
        return x[0][None, None, :], x[1][None, :, None], x[2][:, None, None]

    def run(self, front, pads=0, **values):
        """Runs the program and reads phi, the scalars and the series of its output."""
        with h5py.File(f"{work}/in.h5", "w") as file:
            file["phi_padded" if pads else "phi"] = front(*self.axes(pads)) + np.zeros((1, 1, 1))
            file["h"], file["origin"] = self.h, self.origin
            for name, value in values.items():
                if isinstance(value, str):
                    file.attrs[name] = value
                else:
                    file[name] = value
        done = subprocess.run([program, "-i", f"{work}/in.h5", "-o", f"{work}/out.h5"], capture_output=True, text=True,
                              check=False, env=dict(os.environ, OMP_NUM_THREADS="1"))
        if done.returncode != 0:
            sys.exit(f"{values}: {done.stdout}{done.stderr}")
        with h5py.File(f"{work}/out.h5") as file:
            self.points = file["series/points"][()]
            self.volume, self.area = file["series/volume"][()], file["series/area"][()]
            self.time, self.phi = float(file["time"][0]), file["phi"][()]

    def front_error(self, exact):
        """Returns the mean and the largest distance in h between the front and the zeros of phi along grid lines."""
        found, axes = [], np.broadcast_arrays(*self.axes())
        for axis in range(3):
            if self.shape[axis] == 1:
                continue
            near, far = [slice(None)] * 3, [slice(None)] * 3
            near[axis], far[axis] = slice(None, -1), slice(1, None)
            a, b = self.phi[tuple(near)], self.phi[tuple(far)]
            cross = (a < 0) != (b < 0)
            at = [x[tuple(near)][cross] for x in axes]
            at[2 - axis] = at[2 - axis] + self.h * a[cross] / (a[cross] - b[cross])
            found.append(np.abs(exact(*at)))
        error = np.concatenate(found) / self.h
        return error.mean(), error.max()

    def expect_front(self, exact, mean, most, share, what):
        found = self.front_error(exact)
        expect(found[0], mean, share, f"{what}: mean front error / h")
        if most is not None:
            expect(found[1], most, share, f"{what}: largest front error / h")

    def pieces(self):
        """Returns the number of connected pieces of phi < 0, joined by six neighbours."""
        left = self.phi < 0
        label = np.where(left, np.arange(1, left.size + 1).reshape(left.shape), 0)
        while True:
            new = label.copy()
            for axis in range(3):
                near, far = [slice(None)] * 3, [slice(None)] * 3
                near[axis], far[axis] = slice(None, -1), slice(1, None)
                new[tuple(near)] = np.maximum(new[tuple(near)], new[tuple(far)])
                new[tuple(far)] = np.maximum(new[tuple(far)], new[tuple(near)])
            new[~left] = 0
            if (new == label).all():
                return len(np.unique(label[left]))
            label = new


def demonstration(n):
    return Grid(n, cells=10 / (n - 1), origin=0.)


def growing():
    """Fronts grow: in Wang's demonstration (arXiv:1612.04040), as merging balls, and across sides of the grid."""
    rows = [(51, 1, 0.370, 0.501), (51, 5, 4.54e-3, 1.52e-2), (101, 1, 0.221, 0.300), (101, 5, 2.95e-3, 9.13e-3)]
    if full:
        rows += [(201, 1, 0.126, 0.162), (201, 5, 1.69e-3, 5.51e-3)]
    for n, order, mean, most in rows:
        g = demonstration(n)
        g.run(two_balls(1), order=order, speed=1., dt=g.h / 2, steps=10)
        g.expect_front(two_balls(1 + g.time), mean, most, .01, f"demonstration {n}^3 order {order}")
    g = demonstration(51)
    for order, mean, most, volume in ((1, 0.634, 0.780, -.117), (5, 6.6e-3, 0.108, 2.2e-3)):
        g.run(two_balls(1), order=order, speed=1., dt=g.h / 2, steps=20)
        r, d = 1 + g.time, np.sqrt(32)
        exact = 8 / 3 * np.pi * r**3 - np.pi * (2 * r - d)**2 * (4 * r + d) / 12
        g.expect_front(two_balls(r), mean, most, .01, f"merge order {order}")
        expect(g.volume[-1] / exact - 1, volume, .03, f"merge order {order}: volume / exact - 1")
        expect(g.pieces(), 1, 0, f"merge order {order}: pieces")
    for order, steps, mean, most in ((1, 25, .764, .887), (1, 30, .875, .982), (5, 25, 7.2e-3, .158), (5, 30, 9.5e-3, .163)):
        g.run(two_balls(1), order=order, speed=1., dt=g.h / 2, steps=steps - 10)
        g.run(two_balls(1), order=order, speed=1., dt=g.h / 2, steps=steps)
        g.expect_front(two_balls(1 + g.time), mean, most, .01, f"through the sides, order {order}, t = {g.time:.1f}")


def dumbbell(x, y, z, big=1.5, small=0.5):
    """Returns the signed distance of two balls joined by a rod between their centres. It is exact inside."""
    rho = np.sqrt((y - 5)**2 + (z - 5)**2) + 0 * x
    along = 2 - np.abs(x - 5) + 0 * rho  # distance from the nearer ball's centre towards the middle
    edge = np.sqrt(big**2 - small**2)
    ball_distance, rod = np.sqrt(along**2 + rho**2) - big, rho - small
    crease = np.sqrt((along - edge)**2 + (rho - small)**2)
    on_cap = (along > 0) & (rho * edge < small * along)
    inside = np.minimum(np.where(on_cap, crease, -ball_distance), np.where(along > edge, np.abs(rod), crease))
    outside = np.where(along > edge, np.minimum(ball_distance, rod), ball_distance)
    return np.where((ball_distance < 0) | ((rod < 0) & (along > 0)), -inside, outside)


def splitting_and_leaving():
    """A dumbbell splits into two balls, and a ball leaves the grid."""
    for order, mean, most in ((1, .353, .471), (5, 1.90e-2, .121)):
        g = demonstration(51)
        g.run(dumbbell, order=order, speed=-1., dt=g.h / 2, steps=8)
        g.expect_front(lambda x, y, z, t=g.time: dumbbell(x, y, z) + t, mean, most, .01, f"pinch-off order {order}")
        expect(g.pieces(), 2, 0, f"pinch-off order {order}: pieces")
    for order, mean, most in ((1, .617, .737), (5, 2.48e-2, .118)):
        g = demonstration(51)
        g.run(ball((8, 5, 5), 1), order=order, ux=1., dt=g.h / 2, steps=20)
        g.expect_front(ball((8 + g.time, 5, 5), 1), mean, most, .01, f"carried out, order {order}")
        g.run(ball((8, 5, 5), 1), order=order, ux=1., dt=g.h / 2, steps=35)
        expect((g.phi < 0).sum(), 0, 0, f"carried out, order {order}: points inside")
    for order, mean, volume in ((1, 1.35, -.42), (5, 1.97e-2, -4.8e-3)):
        g = Grid(32)
        g.run(ball((.5,) * 3, .25), order=order, ux=1., dt=g.h / 2, steps=1, **ENDS)
        first = g.volume[0]
        g.run(ball((.5,) * 3, .25), order=order, ux=1., dt=g.h / 2, steps=64, **ENDS)
        g.expect_front(ball((.5,) * 3, .25), mean, None, .01, f"once through a periodic cube, order {order}")
        expect(g.volume[-1] / first - 1, volume, .03, f"once through a periodic cube, order {order}: volume")


ENDS = {f"{axis}_boundary": "periodic" for axis in "xyz"}


def circle(r):
    return lambda x, y, z: np.hypot(x - .5, y - .5) - r + 0 * z


def plane_and_curvature():
    """Circles and balls move by a normal speed, or by their curvature."""
    for n, order, mean in ((32, 1, .205), (64, 1, .124), (32, 5, 2.43e-3), (64, 5, 1.70e-3)):
        g = Grid(n, plane=True)
        g.run(circle(.2), order=order, speed=1., dt=g.h / 2, steps=10)
        g.expect_front(circle(.2 + g.time), mean, None, .01, f"circle {n}^2 order {order}")
    for n, mean in ((32, 2.89e-3), (64, 1.21e-3)):
        g, end = Grid(n, plane=True), (.3**2 - .15**2) / 2
        steps = int(np.ceil(end / (.15 * g.h**2)))
        g.run(circle(.3), bending=1., dt=end / steps, steps=steps)
        expect(g.front_error(circle(.15))[0] * g.h / .15, mean, .02, f"circle under curvature {n}^2: mean error / r")
    for n, mean in ((16, 1.93e-2), (24, 8.83e-3), (32, 5.01e-3)) + (((48, 2.47e-3),) if full else ()):
        g, end = Grid(n), (.3**2 - .15**2) / 4
        steps = int(np.ceil(end / (.15 * g.h**2)))
        g.run(ball((.5,) * 3, .3), bending=1., dt=end / steps, steps=steps)
        expect(g.front_error(ball((.5,) * 3, .15))[0] * g.h / .15, mean, .02,
               f"ball under curvature {n}^3: mean error / r")


def redistancing():
    """Turns a function that is far from a distance into one by 8 x 3 iterations. The pads stay fixed."""
    distance = ball((.52, .49, .51), .27)

    def bad(x, y, z):
        return distance(x, y, z) * (1.6 + 1.4 * np.sin(7 * x + 3 * y) * np.cos(5 * z))

    fixed = {f"{axis}_boundary": "fixed" for axis in "xyz"}
    for n, mean, most in ((24, 1.39e-2, 6.3e-2), (48, 9.0e-3, 4.7e-2)):
        g = Grid(n)
        g.run(bad, pads=3, redistance=3, reinitialise=3, dt=1., steps=7, **fixed)
        g.expect_front(distance, mean, most, .02, f"redistancing {n}^3")


def slotted(x, y, z):
    d = ball((.5, .75, .5), .15)(x, y, z)
    return np.maximum(d, np.minimum(.025 - np.abs(x - .5), .85 - y))


def hard_flows():
    """One rotation, and a deformation and its reverse. Each run begins with 4 iterations of redistancing."""
    turn, around = 2 * np.pi * .45, ball((.5, .75, .5), .15)
    rows = [("ball", 40, around, "rotation", 1., turn, -6.6e-3, 2.21e-2, .112)]
    if full:
        rows += [("slotted ball", 50, slotted, "rotation", 1., turn, -.211, .330, 1.51),
                 ("slotted ball", 64, slotted, "rotation", 1., turn, -.0980, .246, 1.51),
                 ("deformation", 50, ball((.35,) * 3, .15), "deformation", 3., 2., -.839, 2.82, 6.05),
                 ("deformation", 64, ball((.35,) * 3, .15), "deformation", 3., 2., -.646, 2.57, 8.24)]
    for name, n, front, flow, end, speed, volume, mean, most in rows:
        g = Grid(n)
        steps = int(np.ceil(end * speed / (.5 * g.h)))
        g.run(front, redistance=3, reinitialise=1, dt=1e-9, steps=1)
        first = g.volume[0]
        g.run(front, redistance=4, dt=end / steps, steps=steps, flow=flow)
        g.expect_front(front, mean, most, .02, f"{name} {n}^3, {flow}")
        expect(g.volume[-1] / first - 1, volume, .02, f"{name} {n}^3, {flow}: volume / start - 1")


def measures():
    """Compares volume and area of balls with the exact ones."""
    for n, volume, area in ((32, 9.0e-3, 8.4e-4), (64, 2.2e-3, 2.3e-4)):
        g = Grid(n)
        g.run(ball((.513, .488, .502), .31), dt=1e-9, steps=1, reinitialise=0)
        expect(g.volume[-1] / (4 / 3 * np.pi * .31**3) - 1, volume, .03, f"ball {n}^3: volume / exact - 1")
        expect(g.area[-1] / (4 * np.pi * .31**2) - 1, area, .03, f"ball {n}^3: area / exact - 1")


def start_of_the_demonstration():
    """Expects the exact number of points in the tube T around the front. It grows with the square of the side."""
    for n, order, points in ((51, 1, 6010), (51, 5, 11038), (101, 1, 21143), (101, 5, 33642)):
        g = demonstration(n)
        g.run(two_balls(1), order=order, dt=1e-9, steps=1, reinitialise=0)
        expect(g.points[-1], points, 0, f"points of T, {n}^3 order {order}")


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
for check in (start_of_the_demonstration, measures, growing, splitting_and_leaving, plane_and_curvature, redistancing,
              hard_flows):
    check()
sys.exit(1 if failures else 0)
