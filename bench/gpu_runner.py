"""Runs the steps of bench/gpu: runs programs with time limits, makes inputs, writes the report and the log.

Every program runs in its own session, so a program that exceeds its limit ends with all its children. The
report is rewritten after every line, so a killed run keeps its results.
"""
import concurrent.futures
import datetime
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMULATED = os.environ.get("HFFT_GPU", "").startswith("emulated")
CORES = len(os.sched_getaffinity(0))
LOG_LIMIT = 12_000_000  # bytes

# Programs used by the steps, and their folders in a build tree.
PROGRAMS = {"hybridfft-kspace": "tools", "hybridfft-phantom": "tools", "hybridfft-compare": "tools",
            "hybridfft-bench-device": "bench/device", "hybridfft-bench": "bench/scaling",
            "device_cuda": "tests/device", "kspace_device": "tests/kspace", "lfb_blocks": "tests/lfb",
            "elastic_blocks": "tests/elastic"}

LINEAR, ABSORBING = "linear, homogeneous", "nonlinear, absorbing, heterogeneous"
PHANTOM = {LINEAR: ["--homogeneous"],
           ABSORBING: ["--nonlinearity", "6", "--absorption", "0.5", "--absorption-power", "1.5"]}


class Failed(Exception):
    """Raised if a program fails or its output lacks the expected text."""

    def __init__(self, reason, output=""):
        super().__init__(reason)
        self.output = output


class NotRun(Exception):
    """Raised if the machine, the build or the remaining time does not permit a step."""


def build(folder, architectures=None, jobs=None, cuda="ON"):
    """Configures the build tree and builds the programs in it."""
    targets = [name for name in PROGRAMS if cuda == "ON" or name != "device_cuda"]
    generator = [] if (pathlib.Path(folder) / "CMakeCache.txt").exists() else ["-G", "Ninja"]
    for command in (["cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
                     "-DHFFT_TESTS=ON", "-DHFFT_BENCH=ON", "-DHFFT_FAST_BUILD=ON", "-DHFFT_CUDA=" + cuda,
                     *(["-DCMAKE_CUDA_ARCHITECTURES=" + architectures] if architectures else [])],
                    ["cmake", "--build", folder, *(["-j", str(jobs)] if jobs else []), "--target", *targets]):
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            raise Failed("status of '%s' is not 0" % " ".join(map(str, command)))


def find_program(programs, name):
    """Returns the path of a program in a build tree or in a folder with all programs; None if it is missing."""
    for place in ("", PROGRAMS.get(name, "")):
        path = os.path.join(programs, place, name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None


def find_tool(name):
    """Returns the path of a tool of the CUDA toolkit; None if it is missing."""
    folders = [os.environ.get("PATH", ""), *sorted(glob.glob("/usr/local/cuda*/bin"), reverse=True),
               *sorted(glob.glob("/opt/nvidia/nsight-compute/*"), reverse=True)]
    return shutil.which(name, path=":".join(folders))


def last_message(text):
    """Returns the last line that reports an error, else the last line."""
    lines = [line for line in (raw.strip(" │\t") for raw in text.splitlines()) if re.search(r"\w", line)]
    errors = [line for line in lines if re.search(r"[Ee]rror|FAILED", line)]
    return (errors or lines or ["no output"])[-1][:300]


def end_session(session):
    """Ends all processes of a session started by this program."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        alive = False
        for stat in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = pathlib.Path(stat).read_text().rsplit(")", 1)[1].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    os.kill(int(stat.split("/")[2]), signal_number)
                    alive = True
            except (OSError, IndexError, ValueError):
                pass
        if not alive:
            return
        time.sleep(0.5)


def scratch_root():
    """Returns a folder in memory if there is plenty of it, else the usual folder for temporary files."""
    memory = "/dev/shm"
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 24e9:
        return memory
    return tempfile.gettempdir()


def has_open_mpi():
    try:
        said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    return "Open MPI" in said or "OpenRTE" in said


class Runner:
    """Time limits, programs, inputs and results of one run of bench/gpu."""

    def __init__(self, programs, output, seconds, command):
        self.programs = programs
        self.output = pathlib.Path(output)
        self.command = command
        self.begin = time.monotonic()
        self.finish = self.begin + seconds  # end of the run
        self.end = self.finish  # end of the current step
        self.folder = tempfile.mkdtemp(prefix="hybridfft-gpu-", dir=scratch_root())
        self.open_mpi = has_open_mpi()
        self.copy_rate = None  # bytes per second, read and written
        self.wrong = []
        self.header = []
        self.sections = {}
        self.current = None
        self.finished = False
        self.lock = threading.RLock()
        self.inputs = {}
        self.sessions = set()  # sessions of running programs
        self.output.parent.mkdir(parents=True, exist_ok=True)
        self.log_file = open(self.beside(".log"), "w", errors="replace")  # pylint: disable=R1732

    def close(self):
        for session in list(self.sessions):
            end_session(session)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.log_file.close()

    # Section: report and log

    def beside(self, suffix):
        """Returns the path of another result file: beside the report, but never among the committed results."""
        folder = self.output.resolve().parent
        if folder == ROOT / "bench" / "results":
            folder = ROOT / "build"
            folder.mkdir(exist_ok=True)
        return folder / (self.output.stem + suffix)

    def say(self, text=""):
        """Adds a line to the section of the current step."""
        with self.lock:
            print(text, flush=True)
            self.sections[self.current].append(text)
        self.write()

    def table(self, *columns):
        self.say("| %s |" % " | ".join(columns))
        self.say("|%s" % ("---|" * len(columns)))

    def row(self, *cells):
        self.say("| %s |" % " | ".join(map(str, cells)))

    def fail(self, text):
        """Adds a wrong result to the report, which makes the exit status 1."""
        self.wrong.append(text)
        print("WRONG: " + text, flush=True)

    def verdict(self, reason, subject):
        """Returns the text of a table cell without a result; a failure counts as a wrong result."""
        if isinstance(reason, NotRun):
            return "not run: %s" % reason
        self.fail("%s: %s" % (subject, reason))
        return "FAILED: %s" % reason

    def write(self):
        with self.lock:
            sections = [("\n".join(lines)).strip() for lines in self.sections.values()]
            verdict = "\n".join(["Wrong:", *("- " + text for text in self.wrong)] if self.wrong else
                                ["Nothing was wrong."] if self.finished else [])
            if not self.finished:
                verdict += "\nThe run has not come to its end: step %s." % self.current
            text = "\n\n".join(["\n".join(self.header).strip(), *filter(None, sections), verdict]) + "\n"
            partial = self.output.with_suffix(".part")
            partial.write_text(text)
            os.replace(partial, self.output)

    def log(self, text):
        with self.lock:
            if self.log_file.tell() + len(text) < LOG_LIMIT:
                self.log_file.write(text + "\n")
                self.log_file.flush()

    # Section: time

    def left(self):
        end = self.finish if threading.current_thread().name == "inputs" else self.end
        return end - time.monotonic()

    def over(self):
        """True if the current step has no time left to start something."""
        return self.left() < 4

    # Section: programs

    def program(self, name):
        path = find_program(self.programs, name)
        if path is None:
            raise NotRun("no program " + name)
        return path

    def launcher(self, ranks, share_cores):
        if self.open_mpi is None:
            raise NotRun("no mpirun for %d ranks" % ranks)
        if not self.open_mpi:
            return ["mpirun", "-np", str(ranks)]
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        idle = ["--mca", "mpi_yield_when_idle", "1"] if share_cores else []
        return ["mpirun", *root, "--oversubscribe", "--bind-to", "none", *idle, "-np", str(ranks)]

    def run(self, command, ranks=1, limit=120.0, threads=None, variables=None, allowed=(0,)):
        """Returns the output of a program. Fails if the program exceeds its limit or its exit status is not
        allowed."""
        command = [str(word) for word in command]
        threads = threads or max(1, min(16, CORES) // ranks)
        share_cores = ranks * threads > CORES
        if ranks > 1:
            command = self.launcher(ranks, share_cores) + command
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMPI_MCA_btl_base_warn_component_unused="0",
                           OMPI_MCA_ess_singleton_isolated="1", **(variables or {}))
        if share_cores:
            environment.setdefault("OMP_WAIT_POLICY", "passive")
        # A process of Open MPI removes the session folder in TMPDIR at its end, although other programs may still
        # need it. Each program therefore has its own TMPDIR.
        environment["TMPDIR"] = tempfile.mkdtemp(prefix="s", dir=self.folder)
        wanted, limit = limit, max(1.0, min(limit, self.left()))
        begin = time.monotonic()
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        except OSError as error:
            raise Failed("%s: %s" % (command[0], error.strerror)) from None
        self.sessions.add(process.pid)
        late = False
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            late = True
            end_session(process.pid)
            said, _ = process.communicate()
        self.sessions.discard(process.pid)
        shutil.rmtree(environment["TMPDIR"], ignore_errors=True)
        text = said.decode(errors="replace")
        status = "stopped" if late else "status %d" % process.returncode
        self.log("$ %s\n%s[%s after %.1f s]\n" % (" ".join(command), text[:200_000], status, time.monotonic() - begin))
        if late and limit < min(wanted, 20):
            raise NotRun("the time is over")
        if late:
            raise Failed("exceeded its limit of %.0f s: %s" % (limit, last_message(text)), text)
        if process.returncode not in allowed:
            raise Failed("%s: %s" % (status, last_message(text)), text)
        return text

    def path(self, name):
        return os.path.join(self.folder, name)

    def phantom(self, n, physics, source="p0", pml=None):
        """Returns an input file of n^3 points. Each file is made once, by one thread."""
        with self.lock:
            lock = self.inputs.setdefault((n, physics, source), threading.Lock())
        with lock:
            path = self.path("%s-%s-%d.h5" % (physics.split(",")[0], source, n))
            if not os.path.exists(path):
                ranks = min(8, CORES) if n >= 256 and self.open_mpi is not None else 1
                self.run([self.program("hybridfft-phantom"), "-o", path + ".part", "--extents",
                          "x".join([str(n)] * 3), "--pml", pml or (4 if n < 64 else 10), "--source", source,
                          *PHANTOM[physics]], ranks)
                os.rename(path + ".part", path)
            return path

    def prepare(self, wanted):
        """Makes the inputs (points per axis, medium) in the background."""
        def work():
            for n, physics in wanted:
                try:
                    self.phantom(n, physics)
                except (Failed, NotRun) as reason:
                    self.log("(input of %d^3: %s)" % (n, reason))
        threading.Thread(target=work, name="inputs", daemon=True).start()

    def simulate(self, path, output, device="gpu", precision="single", steps=0, options=(), program="hybridfft-kspace",
                 **more):
        command = [self.program(program), "-i", path, "-o", output, "--device", device, "--precision", precision,
                   *options]
        if steps:
            command += ["--benchmark", steps]
        return self.run(command, **more)

    def map(self, work, items, workers):
        """Returns work(item) for all items in order. `workers` threads work at the same time."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
            return list(pool.map(work, items))

    # Section: steps

    def run_steps(self, steps):
        """Runs steps (name, seconds, title, function) in order; a failed step does not stop the others."""
        for name, seconds, title, step in steps:
            self.current = name
            self.sections[name] = ["## " + title, ""]
            begin = time.monotonic()
            self.end = min(self.finish, begin + seconds)
            print("\n== %s, at %.0f s" % (name, begin - self.begin), flush=True)
            try:
                if self.finish - begin < 4:
                    raise NotRun("the time is over")
                step(self)
            except NotRun as reason:
                self.say("Not run: %s." % reason)
            except Exception as error:  # pylint: disable=broad-except
                reason = str(error) if isinstance(error, Failed) else "%s: %s" % (type(error).__name__, error)
                self.fail("%s: %s" % (name, reason))
                self.say("FAILED: %s" % reason)
            print("== %s took %.1f s" % (name, time.monotonic() - begin), flush=True)
            self.end = self.finish
        self.finished = True
        self.write()


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
