#!/usr/bin/env python3
"""Tests that signals of batch systems cause a checkpoint, and that the continued run gives the same bits as a
single run.

    signal_check.py INPUT WORK_FOLDER H5DIFF MPIRUN... PROGRAM
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

source, work, h5diff, *command = sys.argv[1:]
program = command[-1]
launcher = [os.path.join(os.path.dirname(program), "kspaceFirstOrder-OMP")]
STEPS = 400
LONG = ["--benchmark", "1000000"]
QUANTITIES = ["/p", "/p_max", "/p_final", "/ux_final", "/Ix_avg"]


def options(output, steps=STEPS):
    return ["-i", source, "-o", output, "-t", "1", "-r", "1", "--benchmark", str(steps),
            "--p_raw", "--p_max", "--p_final", "--u_final", "--I_avg"]


def arguments(output, checkpoint, start=command):
    return [*start, *options(output), "--checkpoint_file", checkpoint, "--checkpoint_interval",
            "100000"]


def ranks_of(mpirun):
    """Returns the program's processes below mpirun; with MPICH a proxy process is between them."""
    parents = {}
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                parents[pid] = int(stat.read().rsplit(")", 1)[1].split()[1])
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                found.append(pid)
        except OSError:
            pass
    return [pid for pid in found if mpirun in (parents[pid], parents.get(parents[pid]))]


def interrupted(line, send):
    """Starts a run and sends a signal during its time steps. Returns exit status and output."""
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, start_new_session=True) as run:
        said = ""
        for line in run.stdout:
            said += line
            if send and "%" in line:
                send(run.pid)
                sent = time.monotonic()
                send = None
        run.wait(timeout=60)
    assert send is None, "never under way:\n" + said
    assert time.monotonic() - sent < 30, "ended late"
    return run.returncode, said


def check(name, send, start=command):
    with tempfile.TemporaryDirectory(dir=work) as folder:
        output, checkpoint = f"{folder}/out.h5", f"{folder}/checkpoint.h5"
        # On a busy machine the signal may arrive after the end of the run; then the test tries again.
        for _ in range(5):
            found, said = interrupted(arguments(output, checkpoint, start), send)
            if "End of computation" not in said:
                break
            print(name, "came too late")
        assert "Checkpoint after" in said, f"{name}: no checkpoint:\n{said}"
        assert found == 0, f"{name}: exit status {found}"
        assert os.path.exists(checkpoint) and os.path.exists(output), name
        assert sorted(os.listdir(folder)) == ["checkpoint.h5", "out.h5"], os.listdir(folder)
        subprocess.run(arguments(output, checkpoint), check=True, stdout=subprocess.DEVNULL)
        assert not os.path.exists(checkpoint), name
        for quantity in QUANTITIES:
            subprocess.run([h5diff, whole, output, quantity], check=True)
        print(name, "passed")


def check_removal(number):
    """Without checkpoints, a signal has its default action, and no file remains."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        line = [program, *options(f"{folder}/out.h5", steps=10**6)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as run:
            # The table's head is printed after the output has been created.
            for said in run.stdout:
                if "Simulation progress" in said:
                    break
            there = os.listdir(folder)
            run.send_signal(number)
            run.stdout.read()
            run.wait(timeout=60)
        assert len(there) == 1 and there[0].endswith(".tmp"), there
        assert run.returncode == -number, f"{number!r}: exit status {run.returncode}"
        assert not os.listdir(folder), f"{number!r} left {os.listdir(folder)}"
        print(f"{number!r} without a checkpoint passed")


def check_kill():
    """After SIGKILL files remain. The next run with the same output removes them, but not files of a run that
    is still alive."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        output = f"{folder}/out.h5"
        long = [program, *options(output, steps=10**6)]
        short = [program, *options(output, steps=3), "--xdmf"]

        def temporaries():
            return sorted(name for name in os.listdir(folder) if name.endswith(".tmp"))

        with subprocess.Popen(long, stdout=subprocess.PIPE, text=True) as run:
            for said in run.stdout:
                if "Simulation progress" in said:
                    break
            alive = temporaries()
            assert len(alive) == 1, alive
            subprocess.run(short, check=True, stdout=subprocess.DEVNULL)
            assert temporaries() == alive, "the files of a run that is alive were removed"
            run.kill()
            run.stdout.read()
        assert temporaries() == alive
        for name in (".out.xdmf.00000000deadbeef.tmp", ".c.h5.00000000deadbeef.tmp"):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write("half")
        subprocess.run([*short, "--checkpoint_file", f"{folder}/c.h5", "--checkpoint_timesteps",
                        "100"], check=True, stdout=subprocess.DEVNULL)
        assert sorted(os.listdir(folder)) == ["out.h5", "out.xdmf"], os.listdir(folder)
        print("SIGKILL passed")


def check_kill_of_launcher():
    """SIGKILL ends only the launcher. The kernel then ends mpirun, which ends the ranks."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        with subprocess.Popen(arguments(f"{folder}/out.h5", f"{folder}/checkpoint.h5", launcher) + LONG,
                              stdout=subprocess.PIPE, text=True) as run:
            for said in run.stdout:
                if "Simulation progress" in said:
                    break
            run.kill()
            sent = time.monotonic()
            run.stdout.read()  # returns when the last process has closed the pipe
        assert time.monotonic() - sent < 20, "ranks lived on"
        print("SIGKILL to the launcher passed")


def check_early():
    """Sends SIGUSR1 while MPI starts: Open MPI's plugins are loaded, but the table is not printed yet. MPICH is not
    tested: it would ask its process manager about the signal, and a single rank has no process manager."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        output, checkpoint = f"{folder}/out.h5", f"{folder}/checkpoint.h5"
        line = [program, *arguments(output, checkpoint)[len(command):]]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as run:
            while run.poll() is None:
                with open(f"/proc/{run.pid}/maps", encoding="utf-8") as maps:
                    loaded = maps.read()
                if "/libmpich" in loaded:
                    run.kill()
                    return
                if "/mca_" in loaded:
                    break
            run.send_signal(signal.SIGUSR1)
            said = run.stdout.read()
            run.wait(timeout=60)
        assert run.returncode == 0, f"early SIGUSR1: exit status {run.returncode}\n{said}"
        assert "Checkpoint after" in said and os.path.exists(checkpoint), said
        print("early SIGUSR1 passed")


def to_last_rank(number):
    return lambda mpirun: os.kill(max(ranks_of(mpirun)), number)


with tempfile.TemporaryDirectory(dir=work) as top:
    whole = f"{top}/whole.h5"
    subprocess.run(arguments(whole, f"{top}/unused.h5"), check=True, stdout=subprocess.DEVNULL)
    check("SIGTERM to a rank", to_last_rank(signal.SIGTERM))
    # Open MPI 4 waits before it forwards SIGTERM.
    check("SIGUSR1 to mpirun", lambda mpirun: os.kill(mpirun, signal.SIGUSR1))
    os.environ.update(HFFT_RANKS="2", HFFT_THREADS_PER_RANK="1")
    check("SIGTERM to the launcher", lambda pid: os.kill(pid, signal.SIGTERM), launcher)
    check("SIGTERM to the launcher's group", lambda pid: os.killpg(pid, signal.SIGTERM), launcher)
    check_kill_of_launcher()
    for ending in (signal.SIGINT, signal.SIGTERM):
        check_removal(ending)
    check_kill()
    check_early()
