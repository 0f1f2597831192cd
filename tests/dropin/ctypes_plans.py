"""ctypes_plans.py preloaded | opened DROPIN: transforms by functions that ctypes looks up.

With the drop-in preloaded, all plans must be the drop-in's, from every place of lookup. With the drop-in opened as a
library, lookups bypass it, so plans are FFTW's. The spectrum of ones is known exactly: N0 N1 N2 at the origin, zeros
elsewhere. The exit status is 1 for a wrong result or a plan of the wrong library."""
import ctypes as c
import sys

COMPLEX = {"fftw": c.c_double, "fftwf": c.c_float}
FILES = {"fftw": "libfftw3", "fftwf": "libfftw3f"}
N = (12, 10, 6)
failures = 0


def expect(ok, what):
    global failures
    if not ok:
        failures += 1
        print(f"[rank {rank}] not so: {what}", file=sys.stderr)


def fftw(name, kind, mode):
    return c.CDLL(FILES[name] + {"serial": "", "mpi": "_mpi"}[kind] + ".so.3", mode=mode)


def world(library):
    """Returns MPI_COMM_WORLD as Open MPI or MPICH represents it."""
    try:
        return c.c_void_p(c.addressof(c.c_char.in_dll(library, "ompi_mpi_comm_world")))
    except ValueError:
        return c.c_int(0x44000000)


def function(library, name, result=None):
    f = library[name]  # a new object for each call, so argument types do not persist
    f.restype = result
    return f


class Transform:
    """A transform of ones: N0 N1 N2 at the origin, zeros elsewhere."""

    def __init__(self, prefix, planner, comm):
        self.prefix = prefix
        n = [c.c_ssize_t(x) for x in N]
        planes, start = c.c_ssize_t(), c.c_ssize_t()
        size = function(planner, prefix + "_mpi_local_size_3d", c.c_ssize_t)(*n, comm, c.byref(planes), c.byref(start))
        self.values = (COMPLEX[prefix] * (2 * size))()
        self.used = 2 * planes.value * N[1] * N[2]
        self.has_origin = planes.value > 0 and start.value == 0
        plan = function(planner, prefix + "_mpi_plan_dft_3d", c.c_void_p)
        self.plan = c.c_void_p(plan(*n, self.values, self.values, comm, -1, c.c_uint(64)))

    def is_ours(self, user):
        sprint = function(user, self.prefix + "_sprint_plan", c.c_void_p)
        text = c.c_void_p(sprint(self.plan))
        ours = c.string_at(text).startswith(b"hybridfft")
        free(text)
        return ours

    def run(self, user):
        for i in range(0, self.used, 2):
            self.values[i], self.values[i + 1] = 1, 0
        function(user, self.prefix + "_execute")(self.plan)
        points = N[0] * N[1] * N[2]
        wanted = [0] * self.used
        if self.has_origin:
            wanted[0] = points
        worst = max((abs(a - b) for a, b in zip(self.values, wanted)), default=0)
        function(user, self.prefix + "_destroy_plan")(self.plan)
        return worst < 1e-6 * points


def check(prefix, planner, user, ours, what):
    function(planner, prefix + "_mpi_init")()
    t = Transform(prefix, planner, comm)
    expect(t.plan.value is not None, "a plan, " + what)
    expect(t.is_ours(user) == ours, f"a plan of {'ours' if ours else 'FFTW'}, {what}")
    expect(t.run(user), "the result, " + what)


def check_serial(user):
    """Checks that a serial plan of FFTW still computes, whichever library provides its functions."""
    x = (c.c_double * 8)(1, 0, 1, 0, 1, 0, 1, 0)
    plan = function(user, "fftw_plan_dft_1d", c.c_void_p)
    p = c.c_void_p(plan(4, x, x, -1, c.c_uint(64)))
    function(user, "fftw_execute")(p)
    function(user, "fftw_destroy_plan")(p)
    expect(list(x) == [4, 0, 0, 0, 0, 0, 0, 0], "a serial transform")


def check_all(places, ours):
    for prefix in COMPLEX:
        for a, planner in places(prefix):
            for b, user in places(prefix):
                check(prefix, planner, user, ours, f"{prefix}: planned by {a}, executed by {b}")
    check_serial(fftw("fftw", "serial", c.RTLD_LOCAL))


mpi = c.CDLL("libfftw3_mpi.so.3", mode=c.RTLD_GLOBAL)  # also loads the libraries it depends on
free = function(c.CDLL(None), "free")
free.argtypes = [c.c_void_p]
comm = world(mpi)
function(mpi, "MPI_Init")(None, None)
number = c.c_int()
function(mpi, "MPI_Comm_rank")(comm, c.byref(number))
rank = number.value

if sys.argv[1] == "preloaded":
    check_all(lambda prefix: [
        ("the library of FFTW-MPI", fftw(prefix, "mpi", c.RTLD_LOCAL)),
        ("the same, global", fftw(prefix, "mpi", c.RTLD_GLOBAL)),
        ("the program", c.CDLL(None))], True)
    check("fftw", fftw("fftw", "mpi", c.RTLD_LOCAL), fftw("fftw", "serial", c.RTLD_LOCAL), True, "two libraries")
else:
    dropin = c.CDLL(sys.argv[2])
    check_all(lambda prefix: [
        ("the drop-in", dropin),
        ("the library of FFTW-MPI", fftw(prefix, "mpi", c.RTLD_LOCAL))], False)
function(mpi, "MPI_Finalize")()
sys.exit(1 if failures else 0)
