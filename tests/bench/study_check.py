"""study_check.py STUDY FOLDER PROGRAMS...: hybridfft-study measures each case once, continues an interrupted
study, reports failures, and writes job scripts with valid shell syntax."""

import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import types

study, folder, *programs = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
output = folder / "study.jsonl"
output.unlink(missing_ok=True)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMP_WAIT_POLICY="passive")
LAUNCHER = "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np {ranks}"


def call(*arguments, status=0):
    done = subprocess.run([sys.executable, study, *map(str, arguments)], capture_output=True, text=True,
                          env=environment, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def measure(*more, status=0):
    return call("run", "--sweeps", "shapes,pairs,bases", "--sizes", "32x24x24", "--cores", "2",
                "--hybrid-threads", 2, "--kinds", "r2c", "--effort", "estimate", "--repetitions", 2,
                "--steps", 2, "--output", output, "--peers", "fftw-mpi", "--launcher", LAUNCHER,
                *(f"--programs={p}" for p in programs), *more, status=status)


def records():
    return [json.loads(line) for line in output.read_text().splitlines()]


measure()
first = records()
assert [r["status"] for r in first] == ["ok"] * 5, first
cases = [(r["case"]["program"], r["case"]["ranks"], r["case"]["threads"]) for r in first]
assert cases == [("bench", 1, 2), ("bench", 2, 1), ("bench", 1, 2), ("kspace", 2, 1), ("kspace", 2, 1)]
assert [r["case"].get("basis") for r in first[3:]] == ["global", "local"]
for r in first:
    assert r["commit"] and r["machine"]["cpus"] and r["binding"] and r["versions"]["MPI"], r
    assert str(r["case"]["ranks"]) in r["command"] and r["date"].endswith("+00:00"), r
for r in first[:3]:
    result = r["result"]
    assert result["ranks"] == r["case"]["ranks"] and result["pairs"] == r["case"]["pairs"], result
    ours, theirs = result["peers"]
    assert theirs["name"] == "fftw-mpi" and theirs["difference"] < 1e-5, theirs
    seconds = sum(stage["seconds"] for stage in ours["stages"])
    assert seconds > 0 and result["floor"]["median"] > 0, ours
# FFTW on two ranks: each rank sends half of its slab in one message. (hybridfft uses shared memory.)
sent = first[1]["result"]["peers"][1]["traffic"]
assert sent["messages"] == 1 and sent["bytes"] == 32 * 24 * 24 * 8 // 4, sent
assert all(r["result"]["seconds_per_step"] > 0 for r in first[3:])

# A second run measures no case again.
assert measure().count("known") == 5 and records() == first
# Only the case with an incomplete line is measured again.
text = output.read_text()
output.write_text(text[:-40])
assert measure().count("known") == 4
again = records()
assert again[:4] == first[:4] and again[4]["case"] == first[4]["case"] and len(again) == 5
# Cases of another commit are measured again.
changed = [dict(r, commit="0123456789") for r in again]
output.write_text("".join(json.dumps(r) + "\n" for r in changed))
assert "known" not in call("run", "--sweeps", "shapes", "--sizes", "32x24x24", "--cores", "1",
                           "--effort", "estimate", "--repetitions", 1, "--output", output, "--peers",
                           "fftw-mpi", "--launcher", LAUNCHER, *(f"--programs={p}" for p in programs))
assert len(records()) == 6

# A failure is reported, recorded and tried again; the other cases continue.
before = len(records())
said = measure("--peers", "abacus", "--sweeps", "shapes,solver", "--cores", "1", status=1)
assert "expected some of hybridfft" in said, said
failed = [r for r in records()[before:] if r["status"] == "failed"]
assert len(failed) == 1 and "abacus" in failed[0]["reason"] and len(records()) == before + 2, failed
output.write_text("not json\n")
assert "study.jsonl: line 1:" in measure(status=1)
assert "found '12x10', expected three extents" in call("run", "--sizes", "12x10", status=2)
assert "found 'stronk', expected some of shapes" in call("run", "--sweeps", "stronk", status=2)
assert "found '0', expected positive numbers" in call("run", "--cores", "0", status=2)
assert "--nodes: found '0', expected a positive number" in call("run", "--nodes", 0, status=2)
assert "--ranks: found '0', expected a positive number" in call("machine", "--ranks", 0, status=2)
per_node = ["jobs", "--scheduler", "slurm", "--nodes", 1, "--cores-per-node"]
assert "--cores-per-node: found '0', expected a positive number" in call(*per_node, 0, status=2)
assert "expected --cores-per-node alone" in call(*per_node, 4, "--cores", 4, status=2)
assert "the following arguments are required: --cores-per-node" in call(*per_node[:-1], "--cores", 4, status=2)
assert "'host' in" in call("run", "--launcher", "run {host}", "--output", folder / "no.jsonl", status=1)

# Every node must have ranks. The program refuses numbers of cores that leave a node without ranks, and its sweeps do
# not contain them.
for cores, found in ((2, 2), (6, 3), (3, 3)):
    assert (f"--cores: found {cores}, ranks of which reach {found} of 4 nodes" in
            call("run", "--nodes", 4, "--cores", cores, "--dry-run", status=2))
assert "--ranks: found 3, ranks of which reach 3 of 4 nodes" in call("machine", "--nodes", 4, "--ranks", 3, status=2)


def planned(*arguments):
    return [json.loads(line.split(" ", 1)[1]) for line in call("run", "--dry-run", *arguments).splitlines()]


for arguments in (["--cores", "8,12", "--hybrid-threads", 4], ["--hybrid-threads", 2], []):
    cases = planned("--nodes", 4, *arguments)
    assert cases and all(case["ranks"] >= 4 and case["nodes"] == 4 for case in cases), cases
efforts = planned("--sweeps", "efforts", "--cores", 2, "--hybrid-threads", 2, "--efforts", "estimate,patient")
assert [(c["effort"], c["ranks"], c["threads"]) for c in efforts] == [("estimate", 1, 2), ("patient", 1, 2)], efforts
teams = {(case["ranks"], case["threads"]) for case in planned("--nodes", 4, "--cores", 16, "--sweeps", "shapes")}
assert teams == {(4, 4), (8, 2), (16, 1)}, teams
# This launcher leaves all ranks on one node.
said = call("run", "--nodes", 2, "--cores", 2, "--sweeps", "shapes", "--output", folder / "no.jsonl", "--launcher",
            LAUNCHER, *(f"--programs={p}" for p in programs), status=1)
assert "found ranks on 1 of 2 nodes, expected all of --nodes: node, ranks 0-1" in said, said

# The default launcher starts ranks with the user's permissions, on all available cores.
plain = {name: value for name, value in environment.items() if not name.startswith(("OMPI_", "SLURM_"))}
for cores in ([min(os.sched_getaffinity(0))], os.sched_getaffinity(0)):
    done = subprocess.run([sys.executable, study, "run", "--sweeps", "shapes", "--sizes", "16x16x16", "--cores", "2",
                           "--effort", "estimate", "--repetitions", "1", "--peers", "fftw-mpi", "--output",
                           folder / f"default-{len(cores)}.jsonl", *(f"--programs={p}" for p in programs)],
                          capture_output=True, text=True, env=plain, check=False,
                          preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores))
    assert done.returncode == 0 and re.findall("on (. x .): (?:measured|known)", done.stdout) == ["1 x 2", "2 x 1"], done

# A peer written in Python is found in the sources, with and without --programs.
programs_of = runpy.run_path(study)["Programs"]
for places in (None, programs):
    peer = pathlib.Path(programs_of(types.SimpleNamespace(programs=places)).path("mpi4py_fft_peer.py"))
    assert peer == pathlib.Path(study).parents[1] / "scaling" / "external" / peer.name and peer.is_file(), peer

# Job scripts of both batch systems.
for scheduler, suffix, *directives in (
        ("slurm", "sh", "#SBATCH --nodes=4", "#SBATCH --account=physics", "#SBATCH --partition=big",
         "#SBATCH --hint=nomultithread"),
        ("pbs", "pbs", "#PBS -l select=4:ncpus=64:mpiprocs=64", "#PBS -A physics", "#PBS -q big")):
    call("jobs", "--scheduler", scheduler, "--nodes", "1,4", "--cores-per-node", 64, "--hybrid-threads",
         32, "--account", "physics", "--partition", "big", "--directory", folder, "--prepare", "module load openmpi", "--sizes", "512x512x512")
    for nodes in (1, 4):
        script = folder / f"study-{nodes}.{suffix}"
        subprocess.run(["bash", "-n", script], check=True)
    lines = script.read_text().splitlines()
    assert {*directives, "module load openmpi"} <= set(lines), lines
    words = lines[-1].split()
    assert words[words.index("--cores") + 1] == "256" and words[words.index("--nodes") + 1] == "4"
    assert words[-2:] == ["--sizes", "512x512x512"], words
assert "unknown arguments" not in call("run", "--dry-run", "--sweeps", "weak", "--cores", "1,6")
weak = planned("--sweeps", "weak", "--cores", "1,6", "--hybrid-threads", 1, "--sizes", "128x128x128")
# A weak sweep has six times the points on six times the cores.
assert [c["problem"] for c in weak] == ["sof]128x128x128", "sof]384x256x128"], weak
print("all done")
