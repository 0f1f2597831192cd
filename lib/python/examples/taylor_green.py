# %% [markdown]
# # The Taylor-Green vortex
#
# This program solves the Navier-Stokes equations in a periodic box, in rotational form, with a Runge-Kutta method
# of fourth order. A pair of pruned plans between `m` modes and `n` points along each axis implements the 3/2 rule:
# products have no aliasing errors. Run it with `mpirun -np 4 python taylor_green.py`.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np
from mpi4py import MPI

from hybridfft import Plan, WorkSpace

comm = MPI.COMM_WORLD
n, m = 48, 31  # points and modes: modes up to 15 need at least 3 * 15 + 1 points to avoid aliasing
viscosity, dt, steps = 1 / 100, 0.02, 100

# %% [markdown]
# Both plans share their work space. The spectrum stays distributed along its second axis, to save an exchange.

# %%
work = WorkSpace()
to_modes = Plan((n,) * 3, float, comm, modes=(m,) * 3, transposed_out=True, scale=1 / n**3, work=work)
to_points = Plan((n,) * 3, float, comm, kind="c2r", modes=(m,) * 3, transposed_in=True, work=work)
here, modes = to_modes.input_slice, to_modes.output_slice
x, y, z = np.meshgrid(*[2 * np.pi * np.arange(s.start, s.stop) / n for s in here], indexing="ij")
frequencies = [np.fft.fftfreq(m, 1 / m), np.fft.fftfreq(m, 1 / m), np.arange(m // 2 + 1.0)]
k = np.stack(np.meshgrid(*[f[s] for f, s in zip(frequencies, modes)], indexing="ij"))
k2 = (k**2).sum(axis=0)
projection = k / np.where(k2 == 0, 1, k2)


def forward(field):
    """Returns the modes of the three components of a field, in a new array."""
    result = []
    for component in field:
        to_modes.input[...] = component
        result.append(to_modes.execute().copy())
    return np.stack(result)


def backward(spectrum):
    """Returns the values at the points of three components, in a new array."""
    result = []
    for component in spectrum:
        to_points.input[...] = component
        result.append(to_points.execute().copy())
    return np.stack(result)


def slope(u_hat):
    """Returns du/dt: the divergence-free part of u x curl(u), minus viscosity k^2 u."""
    u = backward(u_hat)
    vorticity = backward(1j * np.cross(k, u_hat, axis=0))
    nonlinear = forward(np.cross(u, vorticity, axis=0))
    nonlinear -= k * (projection * nonlinear).sum(axis=0)
    return nonlinear - viscosity * k2 * u_hat


# The half spectrum lacks the conjugate of each mode with k_z > 0, so that such modes count twice.
twice = np.where(k[2] > 0, 2.0, 1.0)


def energy_and_enstrophy(u_hat):
    """Returns the means of u^2 / 2 and of curl(u)^2 / 2 over the whole box. Collective."""
    square = twice * (np.abs(u_hat) ** 2).sum(axis=0)
    return comm.allreduce(np.array([square.sum(), (k2 * square).sum()]) / 2)


# %%
u_hat = forward([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x])
history = [energy_and_enstrophy(u_hat)]
for _ in range(steps):
    a = slope(u_hat)
    b = slope(u_hat + dt / 2 * a)
    c = slope(u_hat + dt / 2 * b)
    d = slope(u_hat + dt * c)
    u_hat = u_hat + dt / 6 * (a + 2 * b + 2 * c + d)
    history.append(energy_and_enstrophy(u_hat))

# %% [markdown]
# Viscosity dissipates the energy: dE/dt = -2 viscosity Z, integrated by Simpson's rule.

# %%
energy, enstrophy = np.array(history).T
weights = np.ones(steps + 1)
weights[1:-1:2], weights[2:-1:2] = 4, 2
dissipated = 2 * viscosity * dt / 3 * (weights * enstrophy).sum()
balance = energy[0] - energy[-1] - dissipated
if comm.rank == 0:
    print(f"energy {energy[0]:.6f} to {energy[-1]:.6f}, balance {balance:.1e}, "
          f"enstrophy {enstrophy[0]:.6f} to {enstrophy[-1]:.6f}")

# %%
vorticity = backward(1j * np.cross(k, u_hat, axis=0))
planes = comm.gather(vorticity[2][:, :, 0])
if planes is not None:  # on the first rank
    plane = np.concatenate(planes)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    largest = np.abs(plane).max()
    picture = axes[0].imshow(plane.T, origin="lower", extent=(0, 2 * np.pi) * 2, cmap="RdBu_r",
                             vmin=-largest, vmax=largest)
    axes[0].set(xlabel="x", ylabel="y", title=f"vorticity along z at t = {steps * dt:.0f}")
    figure.colorbar(picture)
    t = dt * np.arange(steps + 1)
    axes[1].plot(t, energy / energy[0], label="energy")
    axes[1].plot(t, enstrophy / enstrophy[0], label="enstrophy")
    axes[1].set(xlabel="t", title="relative to the start")
    axes[1].legend()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "taylor_green.png", dpi=120)
