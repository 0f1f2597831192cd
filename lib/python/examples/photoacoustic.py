# %% [markdown]
# # Photoacoustic reconstruction
#
# Light heats vessels, which become sources of sound. A ring of sensors records it. Played backwards from the
# ring, the waves return to their origin (time reversal).

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np

from hybridfft import kspace

shape, spacing, speed = (128, 128), 1e-4, 1500.0
x, y = (np.indices(shape) - 64) * spacing
vessels = [(0, 0, 9e-4, 1.0), (-1.5e-3, 1.2e-3, 5e-4, 0.7), (1.6e-3, 0.8e-3, 6e-4, 0.5)]
p0 = sum(a * np.exp(-((x - u) ** 2 + (y - v) ** 2) / (r / 2) ** 2) for u, v, r, a in vessels)
ring = np.abs(np.hypot(x, y) - 4e-3) < spacing / 2

# %%
grid = kspace.Grid(shape, spacing).make_time(speed, t_end=8e-6)
medium = kspace.Medium(speed, 1000.0)
recorded = kspace.simulate(grid, medium, kspace.Source(p0=p0), kspace.Sensor(ring), ranks=1, threads=2)

# %% [markdown]
# The recorded series, reversed in time, are now the source. Their rows are in the order of the ring's points.

# %%
backwards = kspace.Source(p_mask=ring, p=recorded["p"][:, ::-1], p_mode="dirichlet")
image = kspace.simulate(grid, medium, backwards, record="p_final", ranks=1, threads=2)["p_final"]
inside = np.hypot(x, y) < 3.5e-3
image = np.where(inside, image, 0)
likeness = np.corrcoef(image[inside], p0[inside])[0, 1]
error = np.abs(image - p0)[inside].max()
print(f"correlation {likeness:.3f}, largest error {error:.3f} of 1")

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
recorded.plot("p", axes=axes[1])
for a, values, title in ((axes[0], p0, "initial pressure"), (axes[2], image, "reconstruction")):
    picture = a.imshow(values, cmap="inferno", vmin=0, vmax=1)
    a.set(title=title)
    figure.colorbar(picture)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "photoacoustic.png", dpi=120)
