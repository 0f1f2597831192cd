"""Computes the energy of the Taylor-Green vortex as a power series in time, in rational numbers.

    python3 taylor_green_series.py ORDER

Prints e[m][n] of E(t) = sum of e[m][n] nu^m t^n. The velocity is a power series in t. Its coefficients
u_n are finite Fourier series: (n + 1) u_(n+1) = P(sum of u_j x curl u_(n-j)) - nu k^2 u_n. The
projection P removes the divergence (Taylor and Green, Proc. R. Soc. A 158 (1937) 499, did this by
hand). Each coefficient is a polynomial in nu, interpolated from its values at nu = 0, 1, 2, ...
"""

import itertools
import sys
from fractions import Fraction


def start():
    """Returns the initial velocity (sin x cos y cos z, -cos x sin y cos z, 0) as {k: imaginary parts of its three
    coefficients}."""
    modes = {}
    for k in itertools.product((-1, 1), repeat=3):
        eighth = Fraction(1, 8)
        # sin x = (e^ix - e^-ix)/2i: all coefficients are imaginary.
        modes[k] = [-k[0] * eighth, k[1] * eighth, Fraction(0)]
    return modes


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def curl(u):
    """Returns the curl as {k: real coefficients}: i k x (i a) = -k x a for the imaginary coefficients i a of u."""
    return {k: [-c for c in cross(k, a)] for k, a in u.items()}


def product(u, w, into):
    """Adds the imaginary coefficients of u x w to `into`, for imaginary u and real w."""
    for p, a in u.items():
        for q, b in w.items():
            k = (p[0] + q[0], p[1] + q[1], p[2] + q[2])
            c = cross(a, b)
            old = into.get(k)
            into[k] = c if old is None else [old[0] + c[0], old[1] + c[1], old[2] + c[2]]


def project(f):
    result = {}
    for k, a in f.items():
        square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
        if square == 0:
            continue
        along = Fraction(k[0] * a[0] + k[1] * a[1] + k[2] * a[2], square)
        b = [a[i] - along * k[i] for i in range(3)]
        if any(b):
            result[k] = b
    return result


def energies(nu, order):
    """Returns the coefficients of the energy's power series in t for a viscosity nu."""
    u = [start()]
    w = [curl(u[0])]
    for n in range(order):
        f = {}
        for j in range(n + 1):
            product(u[j], w[n - j], f)
        following = project(f)
        for k, a in u[n].items():
            square = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
            b = following.get(k, [Fraction(0)] * 3)
            following[k] = [b[i] - nu * square * a[i] for i in range(3)]
        u.append({k: [c / (n + 1) for c in a] for k, a in following.items() if any(a)})
        w.append(curl(u[-1]))
    result = []
    for n in range(order + 1):
        total = Fraction(0)
        for j in range(n + 1):
            for k, a in u[j].items():
                b = u[n - j].get(k)
                if b is not None:
                    total += sum(x * y for x, y in zip(a, b))
        result.append(total / 2)
    return result


def interpolate(values):
    """Returns the coefficients of the polynomial with these values at 0, 1, 2, ..."""
    count = len(values)
    coefficients = [Fraction(0)] * count
    for i, value in enumerate(values):
        basis = [Fraction(1)]
        for j in range(count):
            if j != i:
                basis = [(basis[m - 1] if m > 0 else 0) - j * (basis[m] if m < len(basis) else 0)
                         for m in range(len(basis) + 1)]
                basis = [b / (i - j) for b in basis]
        coefficients = [c + value * b for c, b in zip(coefficients, basis)]
    return coefficients


def main():
    order = int(sys.argv[1])
    by_nu = [energies(Fraction(nu), order) for nu in range(order + 1)]
    for n in range(order + 1):
        polynomial = interpolate([energy[n] for energy in by_nu])
        terms = [f"{c} nu^{m}" for m, c in enumerate(polynomial) if c]
        print(f"t^{n}:", " + ".join(terms) or "0")


main()
