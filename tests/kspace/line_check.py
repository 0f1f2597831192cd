#!/usr/bin/env python3
"""Compares grids of one dimension, Ny = Nz = 1, with a solver in double precision that uses dense matrices.

    line_check.py WORK_FOLDER PROGRAM PHANTOM MPIRUN...

The reference applies every operator as a matrix of sums of exponentials, without FFTs. Errors of the
program in single precision are a few epsilons per time step, as in small_reference_test.cpp; in double
precision they are below 1e-10.
"""
import subprocess
import sys
import tempfile

import h5py
import numpy as np

work, program, phantom, *launcher = sys.argv[1:]
SPACING, DT, STEPS, PML = 1e-3, 1.5e-7, 60, 6
TOLERANCE = {"single": 2e-5, "double": 1e-10}
RECORDS = ["--p_raw", "--u_raw", "--u_non_staggered_raw", "--p_max", "--p_min", "--p_rms", "--u_max", "--u_rms",
           "--p_max_all", "--u_min_all", "--p_final", "--u_final", "--I_avg", "--Q_term"]
random = np.random.default_rng(47)


def smooth(n, mean, swing):
    """Returns random values that consist of long waves."""
    x = 2 * np.pi * np.arange(n) / n
    waves = sum(random.standard_normal() * np.cos(m * x + random.uniform(0, 6)) for m in range(1, 7))
    return mean + swing * waves / np.abs(waves).max()


def signals(rows, steps, amplitude):
    t = np.arange(steps)[:, None]
    return amplitude * np.sin(0.25 * t + np.linspace(0, 2, rows)) * np.sin(np.pi * t / steps)


def rounded(value):
    """Returns numbers with the precision of the input file."""
    return np.asarray(value, np.float32).astype(float)


class Line:
    """An input of one dimension. Arrays have n values, and signals are [step][point]."""

    def __init__(self, n, **physics):
        self.n = n
        self.start = physics.pop("start", 1)
        self.cuboids = physics.pop("cuboids", None)
        self.whole = {"Nx": n, "Ny": 1, "Nz": 1, "Nt": STEPS, "pml_x_size": PML, "p_source_flag": 0,
                      "p0_source_flag": 0, "ux_source_flag": 0, "transducer_source_flag": 0, "axisymmetric_flag": 0,
                      "nonuniform_grid_flag": 0, "nonlinear_flag": 0, "absorbing_flag": 0}
        self.real = {"dt": DT, "dx": SPACING, "c0": 1500.0, "rho0": 1000.0, "pml_x_alpha": 2.0}
        if self.cuboids is None:
            self.sensor = random.integers(0, n, 20)  # unordered, with repetitions
            self.whole |= {"sensor_mask_type": 0, "sensor_mask_index": self.sensor + 1}
        else:
            self.whole |= {"sensor_mask_type": 1, "sensor_mask_corners": np.array(
                [[a + 1, 1, 1, b, 1, 1] for a, b in self.cuboids])}
        self.real |= {name: value for name, value in physics.items() if name in ("c0", "rho0")}
        rho = self.real["rho0"]
        self.real["rho0_sgx"] = rho if np.ndim(rho) == 0 else np.append((rho[1:] + rho[:-1]) / 2, rho[-1])
        self.real["c_ref"] = np.max(self.real["c0"])
        if "BonA" in physics:
            self.whole["nonlinear_flag"] = 1
            self.real["BonA"] = physics["BonA"]
        if "alpha" in physics:
            self.whole["absorbing_flag"] = physics.get("law", 1)
            self.real |= {"alpha_coeff": physics["alpha"], "alpha_power": physics["power"]}
        if "p0" in physics:
            self.whole["p0_source_flag"] = 1
            self.real["p0_source_input"] = physics["p0"]
        if "stretch" in physics:
            self.whole["nonuniform_grid_flag"] = 1
            self.real |= {"dxudxn": physics["stretch"], "dxudxn_sgx": physics["stretch"] + 0.01}

    def drive(self, name, points, values, mode):
        quantity = name[0]
        self.whole |= {f"{name}_source_flag": len(values), f"{quantity}_source_mode": mode,
                       f"{quantity}_source_many": int(values.shape[1] > 1), f"{quantity}_source_index": points + 1}
        self.real[f"{name}_source_input"] = values
        return self

    def transducer(self, points, signal, delays):
        self.whole |= {"transducer_source_flag": len(signal) - delays.max(), "u_source_index": points + 1,
                       "delay_mask": delays + 1}
        self.real["transducer_source_input"] = signal
        return self

    def write(self, path):
        with h5py.File(path, "w") as file:
            for name, text in (("file_type", "input"), ("major_version", "1"), ("minor_version", "2"),
                               ("file_description", "line"), ("created_by", "line_check.py"), ("creation_date", "")):
                file.attrs[name] = np.bytes_(text + "\0")
            for values, kind, data_type in ((self.whole, "<u8", "long"), (self.real, "<f4", "float")):
                for name, value in values.items():
                    value = np.asarray(value)
                    dataset = file.create_dataset(name, data=value.reshape((1,) * (3 - value.ndim) + value.shape)
                                                  .astype(kind))
                    dataset.attrs["data_type"] = np.bytes_(data_type + "\0")
                    dataset.attrs["domain_type"] = np.bytes_(b"real\0")


class Reference:
    """Solves the equations of docs/kspace.md on a line."""

    def __init__(self, line):
        self.line, n = line, line.n
        w, self.r = line.whole, {name: rounded(value) for name, value in line.real.items()}
        r = self.r
        m = (np.arange(n) + n // 2) % n - n // 2
        k = 2 * np.pi * m / (n * r["dx"])
        half = r["c_ref"] * np.abs(k) * r["dt"] / 2
        kappa = np.sinc(half / np.pi)
        self.ahead = self.operator(1j * k * np.exp(0.5j * k * r["dx"]) * kappa)
        self.behind = self.operator(1j * k * np.exp(-0.5j * k * r["dx"]) * kappa)
        self.centred = self.operator(np.exp(-0.5j * k * r["dx"]))
        self.corrected = self.operator(np.cos(half))
        self.slope = self.operator(1j * np.where(2 * np.abs(m) == n, 0, k))
        self.pml, self.pml_sg = self.layer(0), self.layer(0.5)
        self.law = w["absorbing_flag"]
        if self.law:
            y = r["alpha_power"]
            alpha = 100 * r["alpha_coeff"] * (1e-6 / (2 * np.pi)) ** y / (20 * np.log10(np.e))
            self.tau, self.eta = -2 * alpha * r["c0"] ** (y - 1), 2 * alpha * r["c0"] ** y * np.tan(np.pi * y / 2)
            with np.errstate(divide="ignore"):
                powers = [np.where(k == 0, 0.0, np.abs(k) ** (y - e)) for e in (2, 1)]
            self.laplacians = [self.operator(p) for p in powers]

    def operator(self, multiplier):
        n = self.line.n
        waves = np.exp(2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
        return ((waves * multiplier) @ waves.conj().T / n).real

    def layer(self, offset):
        r, i = self.r, np.arange(PML)
        factors = np.ones(self.line.n)
        strength = -r["dt"] / 2 * r["pml_x_alpha"] * r["c_ref"] / r["dx"]
        factors[:PML] = np.exp(strength * ((PML - i - offset) / PML) ** 4)
        factors[-PML:] = np.exp(strength * ((i + 1 + offset) / PML) ** 4)
        return factors

    def inject(self, field, quantity, name, t):
        w = self.line.whole
        if w[f"{name}_source_flag"] <= t:
            return field
        at, values = w[f"{quantity}_source_index"] - 1, self.r[f"{name}_source_input"][t]
        source, mode = np.zeros(self.line.n), w[f"{quantity}_source_mode"]
        source[at] = values
        if mode == 0:
            field = field.copy()
            field[at] = values
            return field
        return field + (source if mode == 1 else self.corrected @ source)

    def run(self):
        r, w = self.r, self.line.whole
        p, u, rho = (np.zeros(self.line.n) for _ in range(3))
        stretch, stretch_sg = r.get("dxudxn", 1.0), r.get("dxudxn_sgx", 1.0)
        self.p, self.u, self.ns = [], [], []
        for t in range(STEPS):
            b = r["dt"] / r["rho0_sgx"] * stretch_sg
            u = self.pml_sg * (self.pml_sg * u - b * (self.ahead @ p))
            u = self.inject(u, "u", "ux", t)
            if t < w["transducer_source_flag"]:
                u = u.copy()
                u[w["u_source_index"] - 1] += r["transducer_source_input"][w["delay_mask"] - 1 + t]
            e = stretch * (self.behind @ u)
            q = r["rho0"] + (2 * rho if w["nonlinear_flag"] else 0)
            rho = self.pml * (self.pml * rho - r["dt"] * q * e)
            rho = self.inject(rho, "p", "p", t)
            total = rho + (r["BonA"] * rho**2 / (2 * r["rho0"]) if w["nonlinear_flag"] else 0)
            if self.law == 1:
                total = total + self.tau * (self.laplacians[0] @ (r["rho0"] * e)) - self.eta * (self.laplacians[1] @ rho)
            elif self.law == 2:
                total = total + self.tau * r["rho0"] * e
            p = r["c0"] ** 2 * total
            if t == 0 and w["p0_source_flag"]:
                p = r["p0_source_input"]
                rho = p / r["c0"] ** 2
                u = b / 2 * (self.ahead @ p)
            if t >= self.line.start - 1:
                self.p.append(p), self.u.append(u), self.ns.append(self.centred @ u)
        return self.records(p, u)

    def records(self, p, u):
        p_all, u_all, ns = np.array(self.p), np.array(self.u), np.array(self.ns)
        s = len(ns)
        shift = np.exp(2j * np.pi * np.fft.fftfreq(s) / 2)
        if s % 2 == 0:
            shift[s // 2] = 0  # the Nyquist bin: its shifted wave vanishes at the grid points
        later = np.fft.ifft(np.fft.fft(ns, axis=0) * shift[:, None], axis=0).real
        intensity = (p_all * later).mean(axis=0)
        series = {"p": p_all, "ux": u_all, "ux_non_staggered": ns}
        points = {"p_max": p_all.max(0), "p_min": p_all.min(0), "p_rms": np.sqrt((p_all**2).mean(0)),
                  "ux_max": u_all.max(0), "ux_rms": np.sqrt((u_all**2).mean(0)), "Ix_avg": intensity,
                  "Q_term": -(self.slope @ intensity)}
        found = {"p_max_all": p_all.max(0), "ux_min_all": u_all.min(0), "p_final": p, "ux_final": u}
        cuts = {"": self.line.sensor} if self.line.cuboids is None else {
            f"/{i + 1}": slice(a, b) for i, (a, b) in enumerate(self.line.cuboids)}
        for end, at in cuts.items():
            found |= {name + end: values[:, at] for name, values in series.items()}
            found |= {name + end: values[at] for name, values in points.items()}
        return found


def start(ranks, *command):
    done = subprocess.run([*launcher, str(ranks), *command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def run(ranks, source, output, *options):
    status, text = start(ranks, program, "-i", source, "-o", output, "-t", "1", *options)
    assert status == 0, f"{' '.join(options)} on {ranks} ranks:\n{text[-3000:]}"


def compare(text, truth, output, tolerance):
    with h5py.File(output) as file:
        scales = {}
        for name, values in truth.items():
            quantity = name.split("_")[0].split("/")[0]
            scales[quantity] = max(scales.get(quantity, 0), np.abs(values).max())
        worst = 0
        for name, values in truth.items():
            found = file[name][()].astype(float)
            assert found.size == values.size, f"{text}: {name} has the shape {found.shape}, expected {values.shape}"
            error = np.abs(found.reshape(values.shape) - values).max() / scales[name.split("_")[0].split("/")[0]]
            assert error <= tolerance, f"{text}: error {error:.1e} of {name}, expected at most {tolerance}"
            worst = max(worst, error)
        assert "uy_final" not in file and "dy" not in file, f"{text}: there are values along y"
        assert [int(file[f"N{a}"][()].item()) for a in "xyz"] == [truth["p_final"].size, 1, 1], text
    print(f"{text}: error {worst:.1e}")


def cases():
    n = 54
    yield "arrays of all properties", Line(
        n, c0=smooth(n, 1500, 150), rho0=smooth(n, 1000, 200), BonA=smooth(n, 6, 2), alpha=smooth(n, 2, 1), power=1.6,
        p0=smooth(n, 0, 1e6)).drive("p", np.array([7, 20, 33]), signals(3, 40, 3.0), 2)
    yield "Stokes, velocity, cuboids", Line(
        n, rho0=smooth(n, 1000, 200), alpha=1.5, power=2.0, law=2, start=7,
        cuboids=[(1, 20), (53, 54), (0, 54)]).drive("ux", np.array([9, 30]), signals(2, 30, 0.4), 2)
    n = 45
    yield "uniform, odd size", Line(n, alpha=0.3, power=0.7).drive("ux", np.array([12]), signals(1, 33, 0.3), 0).drive(
        "p", np.array([20, 31]), signals(1, STEPS, 2.0), 1)
    yield "non-uniform grid", Line(
        n, c0=smooth(n, 1500, 80), BonA=5.0, p0=smooth(n, 0, 1e6),
        stretch=1 + 0.2 * np.linspace(-1, 1, n) ** 2).drive("p", np.array([8, 25]), signals(2, 20, 1.0), 0)
    yield "additive velocity", Line(n, c0=smooth(n, 1500, 80)).drive("ux", np.array([22]), signals(1, 50, 0.4), 1)
    yield "transducer", Line(n).transducer(np.array([20, 21, 22]), signals(1, 40, 0.5)[:, 0], np.array([0, 3, 5]))


def check_local_bases(folder):
    """A wave crosses the faces between blocks along x; compares the last step with the global basis."""
    n = 256
    line = Line(n, c0=smooth(n, 1500, 50), p0=1e6 * np.exp(-((np.arange(n) - 100) / 6.0) ** 2))
    source, output = f"{folder}/long.h5", f"{folder}/parts.h5"
    line.write(source)
    truth = Reference(line).run()["p_final"]
    for ranks, options in ((2, ["--basis", "local"]), (4, ["--basis", "local", "--grid", "4"]),
                           (2, ["--basis", "local", "--grid", "2x1x1", "--device", "gpu"])):
        run(ranks, source, output, "--p_final", *options)
        with h5py.File(output) as file:
            error = np.abs(file["p_final"][0, 0] - truth).max() / truth.max()
        print(f"local bases on {ranks} ranks: error {error:.1e}")
        assert error < 1e-4, options


def check_refusals(folder):
    """Datasets of other dimensions cause errors on every rank."""
    for name, value in (("axisymmetric_flag", 1), ("uy_source_flag", 5)):
        line, source = Line(45), f"{folder}/wrong.h5"
        line.whole[name] = value
        line.write(source)
        status, text = start(2, program, "-i", source, "-o", f"{folder}/none.h5")
        assert status == 1 and f"dataset {name} is {value}, expected 0" in text.replace("\n", " "), text


def check_phantom(folder):
    """A phantom on a line: a plane wave with the pressure of the source arrives at the sensor with the sound
    speed of water."""
    source, output = f"{folder}/phantom.h5", f"{folder}/wave.h5"
    status, text = start(2, phantom, "-o", source, "--extents", "512", "--homogeneous", "--frequency", "0.5",
                         "--cycles", "8", "--source-pressure", "100", "--spacing", "0.2")
    assert status == 0, text
    run(2, source, output, "--p_max_all")
    with h5py.File(output) as file:
        values = file["p_max_all"][0, 0, 100:250]
    assert np.abs(values / 1e5 - 1).max() < 0.02, (values.min(), values.max())


def main(folder):
    source, output, checkpoint = (f"{folder}/{name}.h5" for name in ("in", "out", "checkpoint"))
    for text, line in cases():
        line.write(source)
        truth = Reference(line).run()
        records = RECORDS if not line.whole["nonuniform_grid_flag"] else RECORDS[:-1]
        if len(records) < len(RECORDS):
            truth = {name: v for name, v in truth.items() if not name.startswith("Q_term")}
        options = [*records, "-s", str(line.start)]
        for ranks, precision in ((1, "double"), (3, "double"), (2, "single")):
            run(ranks, source, output, *options, "--precision", precision)
            compare(f"{text}, {ranks} ranks, {precision}", truth, output, TOLERANCE[precision])
        leg = [*options, "--precision", "double", "--checkpoint_file", checkpoint, "--checkpoint_timesteps", "25"]
        for ranks in (2, 1, 3):
            run(ranks, source, output, *leg)
        compare(f"{text}, two checkpoints", truth, output, TOLERANCE["double"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        main(scratch)
        check_local_bases(scratch)
        check_refusals(scratch)
        check_phantom(scratch)
