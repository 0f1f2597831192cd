# %% [markdown]
# # Poisson's equation on many ranks
#
# The Laplacian of u is f in a periodic box. In Fourier space u is f divided by -|k|^2. Run it with
# `mpirun -np 4 python poisson.py`, or on one rank as a notebook.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np
from mpi4py import MPI

from hybridfft import PFFT, DistArray, newDistArray

comm = MPI.COMM_WORLD
n = (48, 40, 36)

# %% [markdown]
# PFFT distributes the array over the ranks. `local_slice` returns this rank's part of the global array. The program
# uses it for the coordinates of the points, and later for the wave numbers of the modes.

# %%
fft = PFFT(comm, n, dtype=float)
x, y, z = np.meshgrid(*[2 * np.pi * np.arange(s.start, s.stop) / m
                        for s, m in zip(fft.local_slice(False), n)], indexing="ij")
exact = np.exp(np.cos(x)) * np.sin(2 * y) * np.cos(z)
f = newDistArray(fft, False)
f[...] = (np.sin(x) ** 2 - np.cos(x) - 5) * exact

# %%
frequencies = [np.fft.fftfreq(n[0], 1 / n[0]), np.fft.fftfreq(n[1], 1 / n[1]),
               np.fft.rfftfreq(n[2], 1 / n[2])]
k = np.meshgrid(*[a[s] for a, s in zip(frequencies, fft.local_slice(True))], indexing="ij")
k2 = np.sum([a**2 for a in k], axis=0)
k2[k2 == 0] = 1  # avoids 0 / 0: the mean of f is zero
f_hat = fft.forward(f, newDistArray(fft))
f_hat /= -k2
u = fft.backward(f_hat, newDistArray(fft, False))

# %%
error = comm.allreduce(np.abs(u.v - exact).max(), MPI.MAX)
if comm.rank == 0:
    print(f"largest error: {error:.1e}")

# %% [markdown]
# `get` collects a plane on the first rank, which draws it.

# %%
plane = u.get((slice(None), slice(None), 0))
if comm.rank == 0:
    figure, axes = plt.subplots(layout="constrained")
    picture = axes.imshow(plane.T, origin="lower", extent=(0, 2 * np.pi) * 2, cmap="RdBu_r")
    axes.set(xlabel="x", ylabel="y", title=f"u at z = 0; largest error {error:.0e}")
    figure.colorbar(picture)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "poisson.png", dpi=120)
assert isinstance(u, DistArray)
fft.destroy()
