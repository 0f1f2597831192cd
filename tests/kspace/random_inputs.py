"""Makes random k-Wave input files in two and three dimensions: media with sharp layers at cuts of local
bases and elsewhere, initial pressures and sources at random distances from cuts, absorption, and PML."""

import h5py
import numpy as np

SPACING, SPEED, DENSITY, PRESSURE = 1e-4, 1500.0, 1000.0, 1e5
AXES = "xyz"
FLAGS = ("ux_source", "uy_source", "uz_source", "p_source", "p0_source", "transducer_source",
         "nonuniform_grid", "axisymmetric", "elastic", "sxx_source", "syy_source", "szz_source",
         "sxy_source", "sxz_source", "syz_source")


def bell(extents, centre, width):
    """Returns a Gaussian on the periodic grid with the value 1 at its centre."""
    squares = 0
    for axis, n in enumerate(extents):
        distance = (np.arange(n) - centre[axis] + n / 2) % n - n / 2
        squares = squares + (distance.reshape([-1 if a == axis else 1 for a in
                                               range(len(extents))]) / width) ** 2
    return np.exp(-squares / 2)


def blackman(array):
    """Smooths an array as k-Wave smooths initial pressures."""
    spectrum = np.fft.fftn(array)
    for axis, n in enumerate(array.shape):
        k = 2 * np.pi * np.fft.fftfreq(n)
        window = 0.42 + 0.5 * np.cos(k) + 0.08 * np.cos(2 * k)
        spectrum = spectrum * window.reshape([-1 if a == axis else 1 for a in range(array.ndim)])
    return np.fft.ifftn(spectrum).real


class RandomInput:
    """The datasets of a random input file. `text` describes them. Arrays are [x][y][z]."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        r = self.random
        self.n = tuple(int(n) for n in r.choice([32, 36, 40, 45, 48, 54, 60, 64, 72, 80, 90, 96],
                                                3 if r.random() < 0.3 else 2))
        if len(self.n) == 3:
            self.n = tuple(min(n, 64) for n in self.n)
        self.ranks = int(r.choice([2, 3, 4, 8]))
        self.whole = {f"{flag}_flag": 0 for flag in FLAGS}
        self.real = {}
        self.text = f"seed {seed}, {'x'.join(map(str, self.n))}, {self.ranks} ranks"
        self.add_grid()
        self.add_medium()
        self.add_absorption()
        source = str(r.choice(["p0", "p", "u"], p=[0.5, 0.3, 0.2]))
        self.centre = [self.position(axis) for axis in range(len(self.n))]
        if source == "p0":
            self.add_initial_pressure()
        else:
            self.add_source(source)

    def position(self, axis):
        """Returns a point near a face between equal blocks, or anywhere."""
        r, n = self.random, self.n[axis]
        if r.random() < 0.5:
            return int(r.integers(0, n))
        blocks = int(r.choice([p for p in (1, 2, 3, 4, 8) if self.ranks % p == 0]))
        return int((n * int(r.integers(0, blocks)) // blocks + r.integers(-6, 7)) % n)

    def add_grid(self):
        pml = int(self.random.choice([0, 6, 10]))
        for axis, name in enumerate(AXES):
            used = axis < len(self.n)
            self.whole[f"N{name}"] = self.n[axis] if used else 1
            self.whole[f"pml_{name}_size"] = pml if used else 0
            if used:
                self.real[f"d{name}"] = SPACING
                self.real[f"pml_{name}_alpha"] = 2.0
        points = int(np.prod(self.n))
        self.whole["sensor_mask_type"] = 0
        self.whole["sensor_mask_index"] = np.sort(
            self.random.choice(points, 300, replace=False)) + 1
        self.text += f", PML {pml}"

    def shape_of_medium(self):
        """Returns numbers from 0 to 1 in the shape of layers, patches or a Gaussian."""
        r = self.random
        self.kind = str(r.choice(["layer", "patches", "bell"], p=[0.6, 0.2, 0.2]))
        if self.kind == "bell":
            return bell(self.n, [self.position(a) for a in range(len(self.n))], r.uniform(5, 12))
        if self.kind == "layer":
            axis = int(r.integers(0, len(self.n)))
            shape = np.zeros(self.n)
            place = (self.position(axis) + np.arange(int(r.integers(2, 12)))) % self.n[axis]
            shape[tuple(place if a == axis else slice(None) for a in range(len(self.n)))] = 1
            return shape
        size = int(r.integers(4, 12))
        shape = r.random([-(-n // size) for n in self.n])
        for axis in range(len(self.n)):
            shape = np.repeat(shape, size, axis)
        return shape[tuple(slice(0, n) for n in self.n)]

    def add_medium(self):
        r = self.random
        speed, density = SPEED, DENSITY
        if r.random() < 0.6:
            shape = self.shape_of_medium()
            contrast = r.random(2) < 0.7
            if contrast[0]:
                speed = SPEED + (r.uniform(1400, 3000) - SPEED) * shape
            if contrast[1]:
                density = DENSITY + (r.uniform(900, 2000) - DENSITY) * shape
            if contrast.any():
                names = " ".join(np.array(["c", "rho"])[contrast])
                self.text += f", {self.kind} of {names}"
        self.slowest = np.min(speed)
        self.real |= {"c0": speed, "rho0": density, "c_ref": np.max(speed),
                      "dt": r.choice([0.1, 0.2, 0.3]) * SPACING / np.max(speed)}
        for axis in range(len(self.n)):
            self.real[f"rho0_sg{AXES[axis]}"] = (
                density if np.ndim(density) == 0 else (density + np.roll(density, -1, axis)) / 2)
        crossing = max(self.n) * SPACING / SPEED / self.real["dt"]
        self.steps = int(np.clip(r.uniform(0.4, 1.2) * crossing, 60, 150 if len(self.n) == 3 else 300))
        self.whole["Nt"] = self.steps
        self.whole["nonlinear_flag"] = int(r.random() < 0.2)
        if self.whole["nonlinear_flag"]:
            self.real["BonA"] = 6.0

    def add_absorption(self):
        r = self.random
        kind = int(r.choice([0, 1, 2], p=[0.5, 0.4, 0.1]))
        self.whole["absorbing_flag"] = kind
        if kind == 0:
            return
        power = 2.0 if kind == 2 else float(r.choice([0.6, 0.8, 1.1, 1.3, 1.5, 1.8]))
        alpha = r.uniform(0.1, 1)
        self.text += f", y {power}"
        if r.random() < 0.6:
            alpha = alpha + r.uniform(0.5, 9) * self.shape_of_medium()
            self.text += f" in {self.kind}"
        self.real |= {"alpha_coeff": alpha, "alpha_power": power}

    def add_initial_pressure(self):
        r = self.random
        kind = str(r.choice(["bell", "smoothed ball", "ball", "point"], p=[0.6, 0.2, 0.1, 0.1]))
        width = r.uniform(1.2, 4)
        shape = bell(self.n, self.centre, width)
        if kind == "point":
            shape = (shape == 1).astype(float)
        elif kind != "bell":
            shape = (shape > 0.1).astype(float)
        if kind == "smoothed ball":
            shape = blackman(shape)
        self.real["p0_source_input"] = PRESSURE * shape
        self.whole["p0_source_flag"] = 1
        self.text += f", p0 {kind} {width:.1f} at {self.centre}"

    def source_points(self):
        """Returns one-based indices of a single point, some points, or a plane."""
        r = self.random
        kind = str(r.choice(["point", "points", "plane"]))
        mask = np.zeros(self.n, bool)
        mask[tuple(self.centre)] = True
        if kind == "points":
            for _ in range(int(r.integers(1, 8))):
                mask[tuple((c + int(r.integers(-10, 11))) % n
                           for c, n in zip(self.centre, self.n))] = True
        elif kind == "plane":
            self.normal = int(r.integers(0, len(self.n)))
            mask[tuple(self.centre[a] if a == self.normal else slice(None)
                       for a in range(len(self.n)))] = True
        self.text += f" {kind} at {self.centre}"
        return np.flatnonzero(mask.ravel(order="F")) + 1

    def signals(self, count):
        """Returns signals [step][point] of amplitude 1."""
        r = self.random
        kind = str(r.choice(["burst", "pulse", "tone", "noise"], p=[0.4, 0.4, 0.1, 0.1]))
        wave = r.uniform(3, 12)  # grid points per wavelength
        frequency = self.slowest / (wave * SPACING)
        time = np.arange(self.steps)[:, None] * self.real["dt"] * frequency
        phase = r.uniform(0, 6, count) if count > 1 else 0
        self.text += f" {kind} of {wave:.1f} points"
        if kind == "noise":
            return r.standard_normal((self.steps, count))
        if kind == "pulse":
            return np.exp(-4 * (time - 1.5) ** 2) * (1 + 0.3 * np.sin(phase))
        if kind == "tone":
            return np.sin(2 * np.pi * time + phase)
        window = np.where(time < 3, np.sin(np.pi * time / 3) ** 2, 0)
        return np.sin(2 * np.pi * time + phase) * window

    def add_source(self, quantity):
        r = self.random
        self.normal = int(r.integers(0, len(self.n)))
        mode, many = int(r.integers(0, 3)), int(r.random() < 0.3)
        self.text += f", {quantity} mode {mode}, {'many signals' if many else 'one signal'},"
        points = self.source_points()
        signals = self.signals(len(points) if many else 1)
        dt = self.real["dt"]
        additive = 1 if mode == 0 else 2 * dt * SPEED / SPACING
        name, scale = "p", PRESSURE / (len(self.n) * SPEED**2)
        if quantity == "u":  # a velocity tangential to a plane source would generate no pressure
            name, scale = f"u{AXES[self.normal]}", PRESSURE / (SPEED * DENSITY)
        self.whole |= {f"{name}_source_flag": self.steps, f"{quantity}_source_mode": mode,
                       f"{quantity}_source_many": many, f"{quantity}_source_index": points}
        self.real[f"{name}_source_input"] = (signals * scale * additive)[None]

    def write(self, path):
        with h5py.File(path, "w") as file:
            for name, text in (("file_type", "input"), ("major_version", "1"),
                               ("minor_version", "2"), ("file_description", self.text),
                               ("created_by", "random_inputs.py"), ("creation_date", "")):
                file.attrs[name] = np.bytes_(text + "\0")
            for values, kind, data_type in ((self.whole, "<u8", "long"), (self.real, "<f4", "float")):
                for name, value in values.items():
                    dataset = file.create_dataset(name, data=self.on_disk(value).astype(kind))
                    dataset.attrs["data_type"] = np.bytes_(data_type + "\0")
                    dataset.attrs["domain_type"] = np.bytes_(b"real\0")

    def on_disk(self, value):
        """Converts an array of the grid to [z][y][x], lists to [1][1][n], and signals to [1][steps][n]."""
        value = np.asarray(value)
        if value.shape != self.n:
            return value.reshape((1,) * (3 - value.ndim) + value.shape)
        return np.ascontiguousarray(np.atleast_3d(value).T)
