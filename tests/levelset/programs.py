"""Runs programs and collects failures, for the tests of this folder."""
import os
import re
import subprocess

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what, flush=True)


def run(launch, ranks, *command, **environment):
    """Runs a command on several ranks by the launcher, or directly on one rank."""
    return subprocess.run([*launch, str(ranks), *command] if ranks > 1 else command, capture_output=True, text=True,
                          timeout=240, check=False, env=dict(os.environ, OMP_NUM_THREADS="1", **environment))


def words(text):
    """Returns the words of a text without frames and line breaks."""
    return re.sub(r"[\s│]+", " ", text)


def succeed(launch, ranks, *command, **environment):
    """Runs a command, expects status 0, and returns the words of its output."""
    done = run(launch, ranks, *command, **environment)
    expect(done.returncode == 0, f"{command} on {ranks}: {done.stdout}{done.stderr}")
    return words(done.stdout + done.stderr)
