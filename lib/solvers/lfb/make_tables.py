#!/usr/bin/env python3
"""Computes the designs of local Fourier bases, the content of basis_tables.inc, in extended precision.

A design minimises the mean square error of a block's result over random lines. The power spectrum of a random line x
is the squared Blackman window. The error is T x - B g. T x is the contribution that the operators need from outside
the block, and B g is the contribution of a gap g. The operators are both staggered derivatives and the k-space
correction, at three CFL numbers.

- Least-squares bells: g is the neighbours' points times an edge. The edge solves the normal equations.
- Continuations: g = A v. The vector v has own points at both ends and the values received from both neighbours.
  A = (B' B)^-1 B' E[T x v'] E[v v']^-1, with a relative noise of 1e-6 in v. B' B is regularised by 1e-13 of its
  largest eigenvalue.
- Moments: the values sent by a neighbour are F times its points. The rows of F are orthonormal. They span the leading
  directions of the points' influence on T x, given the own points.

Usage: make_tables.py [DESIGN ...], for example ls:8 mom:6/32; without names all designs. Prints the tables.
"""
import itertools
import sys

import numpy as np

Real = np.longdouble
PI = 4 * np.arctan(Real(1))
BLOCK, FAR, LINE = 128, 300, 4096  # points of a block, of the line on each side of it, and of the period
CFL = (Real(0), Real(3) / 10, Real(6) / 10)
NOISE, REGULAR = Real(10) ** -6, Real(10) ** -13
BELLS = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
# Name: (points of a neighbour, points of the gap, own points at each end, sent values or None to send the points).
CONTINUATIONS = {"opt:8": (8, 16, 16, None), "opt:16": (16, 32, 16, None), "mom:4/16": (16, 32, 16, 4),
                 "mom:6/32": (32, 32, 16, 6), "mom:8/64": (64, 32, 32, 8)}


def covariance(a, b):
    """Returns E[x(a) x(b)] for all pairs: the autocorrelation of the window, 0 beyond a distance of 4."""
    window = np.array([4, 25, 42, 25, 4], Real) / 100
    squared = np.append(np.convolve(window, window)[4:], Real(0))
    return squared[np.minimum(np.abs(a[:, None] - b), 5)]


def kernel(period, kind, cfl, distances):
    """Returns an operator's impulse response at distances: '+', '-' staggered derivatives, 'k' correction."""
    m = np.arange(period) - period // 2
    k = 2 * PI * m / period
    half = cfl * k / 2
    correction = np.where(half == 0, Real(1), np.sin(half) / np.where(half == 0, Real(1), half))
    angles = 2 * PI * np.arange(period) / period
    turns = np.outer(distances, m) % period
    if kind == "k":
        return np.cos(angles)[turns] @ correction / period
    # The real part of i k exp(i k (distance + shift)).
    shift = k / 2 if kind == "+" else -k / 2
    return -(np.sin(angles)[turns] @ (k * correction * np.cos(shift)) +
             np.cos(angles)[turns] @ (k * correction * np.sin(shift))) / period


def influence(gap):
    """Returns T, B and the positions of T's columns. Rows are points of the block, for each operator and CFL number."""
    positions, points = np.arange(-FAR, BLOCK + FAR), np.arange(BLOCK)
    gaps = BLOCK + np.arange(gap)
    needed, added = [], []
    reach = BLOCK + FAR
    for cfl, kind in itertools.product(CFL, "+-k"):
        if kind == "k" and cfl == 0:
            continue  # without a time step the correction is 1
        whole = kernel(LINE, kind, cfl, np.arange(-reach, reach))
        local = kernel(BLOCK + gap, kind, cfl, np.arange(BLOCK + gap))
        rows = whole[points[:, None] - positions + reach]
        rows[:, FAR:FAR + BLOCK] -= local[(points[:, None] - points) % (BLOCK + gap)]
        needed.append(rows)
        added.append(local[(points[:, None] - gaps) % (BLOCK + gap)])
    return np.vstack(needed), np.vstack(added), positions


def triangle(matrix):
    """Returns the Cholesky factor L of a positive definite matrix L L'."""
    lower = np.zeros_like(matrix)
    for j in range(len(matrix)):
        column = matrix[j:, j] - lower[j:, :j] @ lower[j, :j]
        lower[j:, j] = column / np.sqrt(column[0])
    return lower


def substitute(lower, right):
    """Returns L^-1 right."""
    result = np.array(right)
    for i in range(len(lower)):
        result[i] = (result[i] - lower[i, :i] @ result[:i]) / lower[i, i]
    return result


def substitute_back(lower, right):
    """Returns L'^-1 right."""
    result = np.array(right)
    for i in reversed(range(len(lower))):
        result[i] = (result[i] - lower[i + 1:, i] @ result[i + 1:]) / lower[i, i]
    return result


def solve(matrix, right):
    """Solves a linear system with a positive definite matrix."""
    lower = triangle(matrix)
    return substitute_back(lower, substitute(lower, right))


def leading_directions(matrix, count):
    """Returns the eigenvectors of the largest eigenvalues of a symmetric matrix, as columns, by Jacobi rotations."""
    a, vectors = np.array(matrix), np.eye(len(matrix), dtype=Real)
    for _ in range(30):
        off = a - np.diag(np.diag(a))
        if np.abs(off).max() <= np.finfo(Real).eps * np.abs(a).max():
            break
        for p, q in itertools.combinations(range(len(a)), 2):
            if a[p, q] == 0:
                continue
            ratio = (a[q, q] - a[p, p]) / (2 * a[p, q])
            t = (1 if ratio >= 0 else -1) / (abs(ratio) + np.sqrt(ratio * ratio + 1))
            c = 1 / np.sqrt(t * t + 1)
            turn = np.array([[c, t * c], [-t * c, c]], Real)
            a[:, [p, q]] = a[:, [p, q]] @ turn
            a[[p, q]] = turn.T @ a[[p, q]]
            vectors[:, [p, q]] = vectors[:, [p, q]] @ turn
    return vectors[:, np.argsort(-np.diag(a))[:count]]


def orthonormal_rows(rows):
    """Orthonormalises the rows by two Gram-Schmidt passes. The first column becomes positive."""
    result = np.array(rows)
    for _ in range(2):
        for i in range(len(result)):
            result[i] -= result[:i].T @ (result[:i] @ result[i])
            result[i] /= np.sqrt(result[i] @ result[i])
    return result * np.sign(result[:, :1])


def noise(count):
    return NOISE ** 2 * covariance(np.zeros(1, int), np.zeros(1, int))[0, 0] * np.eye(count, dtype=Real)


def bell(overlap):
    """Returns the rising edge of a least-squares bell, outermost point first."""
    needed, added, positions = influence(2 * overlap)
    points = np.r_[BLOCK:BLOCK + overlap, -overlap:0]
    quadratic = (added.T @ added) * covariance(points, points)
    linear = np.einsum("ig,ig->g", added, needed @ covariance(positions, points))
    edge = np.arange(overlap)
    select = np.zeros((2 * overlap, overlap), Real)
    select[edge, overlap - 1 - edge] = select[2 * overlap - 1 - edge, overlap - 1 - edge] = 1
    return solve(select.T @ quadratic @ select, select.T @ linear)


def moments(overlap, gap, own_points, numbers):
    """Returns F. The values sent by a neighbour are F times its points, the nearest one first."""
    if numbers is None:
        return np.eye(overlap, dtype=Real)
    needed, _, positions = influence(gap)
    own = np.r_[BLOCK - own_points:BLOCK, 0:own_points]
    far = np.arange(BLOCK, BLOCK + overlap)
    near = np.r_[own, far]
    best = solve(covariance(near, near) + noise(len(near)), covariance(near, positions) @ needed.T).T
    unknown = covariance(far, far) + noise(overlap) - covariance(far, own) @ solve(
        covariance(own, own) + noise(len(own)), covariance(own, far))
    lower = triangle((unknown + unknown.T) / 2)
    effect = best[:, len(own):] @ lower
    directions = leading_directions(effect.T @ effect, numbers)
    return orthonormal_rows(substitute_back(lower, directions).T)


def continuation(overlap, gap, own_points, numbers, moments_of_points):
    """Returns A. It maps own points at both sides, and values received at the near and the far end, to the gap."""
    needed, added, positions = influence(gap)
    f, own = moments_of_points, 2 * own_points
    count = len(f)
    points = np.r_[BLOCK - own_points:BLOCK, 0:own_points, BLOCK:BLOCK + overlap, -1:-overlap - 1:-1]
    known = np.zeros((own + 2 * count, len(points)), Real)
    known[:own, :own] = np.eye(own)
    known[own:own + count, own:own + overlap] = known[own + count:, own + overlap:] = f
    both = known @ covariance(points, points) @ known.T + noise(len(known))
    wanted = solve(both, known @ (covariance(points, positions) @ needed.T)).T
    normal = added.T @ added
    largest = np.linalg.eigvalsh(normal.astype(float))[-1]
    a = solve(normal + REGULAR * largest * np.eye(gap, dtype=Real), added.T @ wanted)
    mirror = np.r_[own - 1:-1:-1, own + count:own + 2 * count, own:own + count]
    return (a + a[::-1][:, mirror]) / 2


def table(name, values):
    text, line = "constexpr double %s[] = {\n" % name, "   "
    numbers = ["%.17g" % float(v) for v in np.ravel(values)]
    for n, number in enumerate(numbers):
        item = " " + number + ("," if n + 1 < len(numbers) else "};")
        if len(line + item) > 100:
            text, line = text + line + "\n", "   "
        line += item
    return text + line + "\n"


def tables_of(name):
    """Returns the text of the tables of one design."""
    label = name.replace(":", "_").replace("/", "_")
    if name.startswith("ls:"):
        return table(label, bell(int(name[3:])))
    overlap, gap, own_points, numbers = CONTINUATIONS[name]
    f = moments(overlap, gap, own_points, numbers)
    a = continuation(overlap, gap, own_points, numbers, f)
    text = "" if numbers is None else table(label + "_moments", f) + "\n"
    return text + table(label + "_continuation", a[:gap // 2])


def main():
    known = ["ls:%d" % h for h in BELLS] + list(CONTINUATIONS)
    names = sys.argv[1:] or known
    for name in names:
        if name not in known:
            sys.exit("found the design '%s', expected one of %s" % (name, ", ".join(known)))
    print("\n".join(tables_of(name) for name in names), end="")


if __name__ == "__main__":
    main()
