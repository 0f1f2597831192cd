#!/usr/bin/env python3
"""Checks registers and stack of all kernels of lib/, as nvcc compiles them for an H100 (sm_90).

A kernel that indexes its parameters at run time copies them to local memory. A kernel with more than 32 registers
leaves threads of a multiprocessor idle. Each of the two has halved the speed of a time step before. No GPU is needed.

Usage: kernel_resources_check.py NVCC SOURCE_DIR BUILD_DIR [FILTER]. FILTER selects sources by a part of their path."""
import pathlib
import re
import subprocess
import sys
import tempfile

# Kernels with more than 32 registers in single or 40 in double precision, and their limits in both.
LARGER = {
    "FillBell": (40, 40), "MultiplyDense": (48, 56), "StressWithMemory": (40, 56), "Stress": (40, 48),
    "Velocity": (32, 48),
    # Kernels of ghosts need registers for the 64-bit addresses of two blocks. With 40 registers a multiprocessor runs
    # 48 of its 64 warps.
    "CopyGhosts": (40, 40), "MeanGhosts": (40, 40), "CoarseGhosts": (40, 40),
    # Full bandwidth of an H100 takes 15 KB in flight per multiprocessor (3.35 TB/s x 600 ns / 132). 72 registers allow
    # 768 threads. Each loads 4 states of 4 or 5 numbers at a time: 49 KB or more in flight.
    "Flux": (56, 72),
    # 48 registers allow 1024 threads. Each loads 8 fluxes or more at a time: 32 KB or more in flight.
    "Stage": (48, 56),
    # Fifth-order stencils and curvatures: 768 threads or more, each with at least 15 loads in flight.
    "Carry": (40, 62), "Grow": (40, 66), "Reinitialise": (40, 68), "Bend": (32, 54), "Extend": (32, 44),
    # Reductions have a thread for each block or row of a tile: fewer threads than the registers would allow.
    "ReduceBlocks": (96, 96), "Fastest": (48, 56), "Measure": (60, 60), "CountTubes": (40, 40),
}
# Functors that call another functor at each point; the limits of the inner one apply.
WALKS = "OnList|ForBlocks|TileWalk|RowWalk"
UNFUSED = ("elastic", "euler", "levelset", "grid")  # folders compiled with --fmad=false


def resources(nvcc, source, build, path):
    """Returns for each kernel with a thread per point its maxima (registers, bytes of stack, bytes spilled)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-DHFFT_CUDA=1", "--expt-relaxed-constexpr",
                   "-I%s/lib" % source, "-I%s/include" % source, "-I%s/include" % build, "-cubin", "-Xptxas", "-v",
                   str(path), "-o", folder + "/kernels.cubin"]
        if set(UNFUSED) & set(path.parts):
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
    chosen = sys.argv[4] if len(sys.argv) > 4 else ""
    for path in sorted(p for p in source.glob("lib/**/*.cu") if chosen in str(p)):
        for name, (registers, stack, spilled) in resources(nvcc, source, build, path).items():
            kernels += 1
            inner = re.sub(r".*\b(?:%s)<" % WALKS, "", name)
            short = re.match(r"[\w:]*?(\w+)([<> ]|$)", inner).group(1)
            limit = LARGER.get(short, (32, 40))["double" in inner]
            print("%-90s %3d registers, %d bytes of stack" % (name, registers, stack))
            if stack or spilled:
                wrong.append("%s: %d bytes of stack, %d spilled, expected none" % (name, stack, spilled))
            if registers > limit:
                wrong.append("%s: %d registers, expected at most %d" % (name, registers, limit))
    if kernels < 60 and not chosen:
        wrong.append("found %d kernels, expected at least 60" % kernels)
    sys.exit("\n".join(wrong) or 0)


main()
