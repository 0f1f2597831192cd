#!/usr/bin/env python3
"""Checks registers and stack of all kernels of lib/, as nvcc compiles them for an H100 (sm_90).

A kernel that indexes its parameters at run time copies them to local memory, and one with more than
32 registers leaves threads of a multiprocessor idle: either has halved the speed of a time step. No GPU is
needed. Usage: kernel_resources_check.py NVCC SOURCE_DIR BUILD_DIR
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Kernels with more than 32 registers in single or 40 in double precision: name, limit of each.
LARGER = {"FillBell": (40, 40), "MultiplyDense": (48, 56), "AnelasticStress": (40, 56), "Stress": (40, 48),
          "Velocity": (32, 48)}


def resources(nvcc, source, build, path):
    """Name of each kernel with a thread for each point: the most (registers, bytes of stack, bytes spilled)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-DHFFT_CUDA=1", "--expt-relaxed-constexpr",
                   "-I%s/lib" % source, "-I%s/include" % source, "-I%s/include" % build, "-cubin", "-Xptxas", "-v",
                   str(path), "-o", folder + "/kernels.cubin"]
        if "elastic" in path.parts:
            command.append("--fmad=false")
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: nvcc failed:\n%s" % (path, done.stderr))
    text = subprocess.run(["c++filt"], input=done.stderr, capture_output=True, text=True, check=True).stdout
    found = {}
    pattern = (r"Compiling entry function '[^']*?on_(?:flat_)?points<(.*?)>\(.*?(\d+) bytes stack frame, (\d+) bytes spill stores"
               r".*?Used (\d+) registers")
    for name, stack, spilled, registers in re.findall(pattern, text, re.S):
        figures = (int(registers), int(stack), int(spilled))
        found[name] = max(found.get(name, figures), figures)
    return found


def main():
    nvcc, source, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    wrong, kernels = [], 0
    for path in sorted(source.glob("lib/**/*.cu")):
        for name, (registers, stack, spilled) in resources(nvcc, source, build, path).items():
            kernels += 1
            double = "double" in name
            short = re.sub(r".*?(\w+)(<.*)?$", r"\1", re.sub(r"<.*", "", name))
            limit = LARGER.get(short, (32, 40))[double]
            print("%-90s %3d registers, %d bytes of stack" % (name, registers, stack))
            if stack or spilled:
                wrong.append("%s: %d bytes of stack, %d spilled, expected none" % (name, stack, spilled))
            if registers > limit:
                wrong.append("%s: %d registers, expected at most %d" % (name, registers, limit))
    if kernels < 60:
        wrong.append("found %d kernels, expected at least 60" % kernels)
    sys.exit("\n".join(wrong) or 0)


main()
