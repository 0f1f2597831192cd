# %% [markdown]
# # A focused bowl
#
# A bowl sends a tone of 1 MHz through water. `kspace.simulate` starts the solver on several ranks, shows its
# progress and returns numpy arrays. On the axis O'Neil's solution (1949) gives the expected pressure.

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np

from hybridfft import kspace

speed, frequency, spacing = 1500.0, 1e6, 2.5e-4
shape = (80, 54, 54)
curvature, aperture = 12e-3, 10e-3  # radius and diameter in metres
focus = np.array([14 + curvature / spacing, shape[1] // 2, shape[2] // 2])

# %% [markdown]
# The source is the layer of points nearest to the bowl.

# %%
points = np.indices(shape) - focus[:, None, None, None]
distance = np.sqrt((points**2).sum(axis=0)) * spacing
off_axis = np.hypot(points[1], points[2]) * spacing
bowl = (np.abs(distance - curvature) <= spacing / 2) & (off_axis <= aperture / 2) & (points[0] < 0)
grid = kspace.Grid(shape, spacing).make_time(speed, t_end=2.6e-5, cfl=0.3)
t = grid.t_array
ramp = np.clip(t * frequency / 3, 0, 1)
source = kspace.Source(p_mask=bowl, p=1e5 * ramp * np.sin(2 * np.pi * frequency * t))
start = int(2.2e-5 / grid.dt)
sensor = kspace.Sensor(np.ones(shape, bool), record_start_index=start)

# %%
result = kspace.simulate(grid, kspace.Medium(speed, 1000.0), source, sensor, record="p_max_all",
                         pml_size=10, ranks=2, threads=1)
along = result["p_max_all"][:, shape[1] // 2, shape[2] // 2]

# %% [markdown]
# O'Neil: on the axis of a bowl of depth h the amplitude is 2 / |1 - z/R| |sin(k (B - z) / 2)|. z is the
# distance from the bowl's middle, and B the distance from its rim.

# %%
z = (np.arange(shape[0]) - 14) * spacing
depth = curvature - np.sqrt(curvature**2 - aperture**2 / 4)
rim = np.sqrt((z - depth) ** 2 + aperture**2 / 4)
k = 2 * np.pi * frequency / speed
near = np.abs(1 - z / curvature) < 1e-6
with np.errstate(divide="ignore", invalid="ignore"):
    oneil = np.where(near, k * depth, 2 / np.abs(1 - z / curvature) * np.abs(np.sin(k * (rim - z) / 2)))
behind = (z > 5e-3) & (np.arange(shape[0]) < shape[0] - 12)
scale = (along[behind] @ oneil[behind]) / (oneil[behind] @ oneil[behind])
error = np.abs(along - scale * oneil)[behind].max() / along[behind].max()
peak, expected = (z[behind][np.argmax(a[behind])] for a in (along, oneil))
print(f"largest pressure at {1e3 * peak:.2f} mm, O'Neil {1e3 * expected:.2f} mm; shapes differ by {error:.3f}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
result.plot("p_max_all", axes=axes[0], plane=("z", shape[2] // 2))
axes[1].plot(1e3 * z, along / along[behind].max(), label="simulation")
axes[1].plot(1e3 * z[behind], scale * oneil[behind] / along[behind].max(), "--", label="O'Neil")
axes[1].set(xlabel="distance from the bowl [mm]", ylabel="pressure, relative", title="on the axis")
axes[1].legend()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "focused_bowl.png", dpi=120)
