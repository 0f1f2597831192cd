"""Tests the texts of objects, pickled layouts, and the annotations of public functions."""

import inspect
import pathlib
import pickle

import numpy as np
import pytest
from mpi4py import MPI

import hybridfft
import hybridfft.kspace
import hybridfft.pencil
from hybridfft import Layout

N = (8, 6, 5)
LAYOUTS = {
    "ordered grid": lambda: Layout.grid(N, (2, 3, 1), order=(2, 0, 1), padding=(0, 1, 0), howmany=2,
                                        fields="separate"),
    "transposed slab": lambda: Layout.slab(N, 3, transposed=True, padding=2),
    "slab in blocks": lambda: Layout.slab(N, 4, block=3),
    "unequal blocks": lambda: Layout.blocks([[3, 5], [6], [4, 1]], order=(1, 0, 2)),
    "one box": lambda: Layout.boxes((4, 4), [(slice(0, 4), slice(0, 4))]),
    "spectrum of a plan": lambda: hybridfft.Plan(N, dtype=float, comm=MPI.COMM_SELF).layout_out,
}
#: Classes that users construct. Objects of other classes are returned by functions.
CONSTRUCTED = {"Plan", "WorkSpace", "PFFT", "DistArray", "Subcomm", "Pencil", "Transfer", "Grid", "Error"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_are_pickled(name):
    layout = LAYOUTS[name]()
    copy = pickle.loads(pickle.dumps(layout))
    assert copy == layout
    for rank in range(layout.ranks):
        assert copy.local_slice(rank) == layout.local_slice(rank)
        assert copy.strides(rank) == layout.strides(rank)
        assert copy.local_size(rank) == layout.local_size(rank)


def test_layouts_travel_between_ranks(comm):
    layout = comm.bcast(Layout.grid(N, (comm.size, 1, 1)) if comm.rank == 0 else None)
    assert layout == Layout.grid(N, (comm.size, 1, 1))


def test_objects_tell_their_problem(comm):
    fft = hybridfft.PFFT(comm, N, dtype=float)
    assert "(8, 6, 5) float64 to (8, 6, 3) complex128" in repr(fft)
    assert "aligned in axis 2" in repr(fft.pencil[0]) and "(8, 6, 5)" in repr(fft.pencil[0])
    assert repr(fft.pencil[0]) in repr(fft.forward) and "Transform" in repr(fft.forward)
    fft.destroy()
    work = hybridfft.WorkSpace()
    assert repr(work) == "<hybridfft.WorkSpace of 0 bytes>"
    plan = hybridfft.Plan(N, comm=comm, nonblocking=True, effort="estimate")
    with plan.start() as execution:
        assert "active" in repr(execution) or "done" in repr(execution)
    assert repr(execution) == "<hybridfft.Execution, done>"
    plan.destroy()
    assert repr(hybridfft.fftw.fftn(np.zeros(4, complex))) == \
        "<hybridfft.fftw.Serial (4,) complex128 to (4,) complex128>"
    assert "spacing (0.001, 0.001) m" in repr(hybridfft.kspace.Grid((4, 4), 1e-3))


def public_functions():
    """Yields public functions and methods, including constructors."""
    for module in (hybridfft, hybridfft.fftw, hybridfft.pencil, hybridfft.kspace):
        names = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
        for name in names:
            thing = getattr(module, name)
            if not hasattr(module, "__all__") and getattr(thing, "__module__", "") != module.__name__:
                continue
            if inspect.isfunction(thing):
                yield f"{module.__name__}.{name}", thing
            elif inspect.isclass(thing) and not issubclass(thing, hybridfft.ErrorCode):
                wanted = {"__init__", "__new__"} if name in CONSTRUCTED else set()
                for attribute, value in vars(thing).items():
                    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                    if inspect.isfunction(value) and value.__module__ == thing.__module__ \
                            and (not attribute.startswith("_") or attribute in wanted | {"__call__"}):
                        yield f"{module.__name__}.{name}.{attribute}", value


def test_public_functions_are_annotated():
    found = dict(public_functions())
    # The functions of hybridfft.pencil are helpers; only its classes are public.
    helpers = {f"hybridfft.pencil.{n}" for n in ("balanced_block", "process_grid", "ranks_of", "require",
                                                 "whole_communicator")}
    missing = []
    for name, function in found.items():
        signature = inspect.signature(function)
        parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        if name not in helpers and (
                any(p.annotation is p.empty for p in parameters)
                or signature.return_annotation is signature.empty
                and not name.endswith(("__init__", "__post_init__"))):
            missing.append(name)
    assert len(found) > 100 and "hybridfft.Plan.execute" in found
    assert not missing
    assert (pathlib.Path(hybridfft.__file__).parent / "py.typed").exists()


def result_of_simulation():
    shape = (4, 3)
    mask = np.zeros(shape, bool)
    mask[1, 2] = mask[3, 0] = True
    records = {"p": np.arange(10.0).reshape(2, 5), "p_final": np.full(shape, -2.5),
               "ux_rms": np.array([0.5, 1.5]), "Ix_avg": np.array([3.0, 4.0])}
    return hybridfft.kspace.Result(records, shape, (1e-3, 1e-3), 1e-7, np.argwhere(mask), 1)


def test_xarray_has_units():
    pytest.importorskip("xarray")
    data = result_of_simulation().xarray()
    found = {name: (v.attrs["units"], v.attrs["long_name"]) for name, v in data.data_vars.items()}
    assert found == {"p": ("Pa", "pressure"), "p_final": ("Pa", "pressure"), "ux_rms": ("m/s", "velocity"),
                     "Ix_avg": ("W/m^2", "intensity")}
    assert data["x"].attrs["units"] == "m" and data["time"].attrs["units"] == "s"


def test_result_in_a_notebook():
    text = result_of_simulation()._repr_html_()
    assert "4 × 3 points" in text and text.count("<tr>") == 5
    assert "<td>p</td><td>pressure</td><td>2 × 5</td><td>0 to 9 Pa</td>" in text
    assert "<td>p_final</td><td>pressure</td><td>4 × 3</td><td>-2.5 to -2.5 Pa</td>" in text


def test_progress_bar_fits_terminal_or_notebook(monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    from hybridfft.kspace.simulate import _watched

    bars = []

    class Bar:
        def __init__(self, **options):
            self.n = 0
            bars.append(self)

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    lines = ["    20 %  1s\n", "    70 %  2s\n"]
    assert list(_watched(iter(lines), True)) == lines
    assert [bar.n for bar in bars] == [70] and bars[0].closed
