"""Tests wrong arguments. The error names the argument, the value found and the value expected. All ranks raise it, even
if the argument is wrong on one rank only."""

import numpy as np
import pytest
from mpi4py import MPI

import hybridfft
from hybridfft import (ArgumentTypeError, DistArray, Error, Layout, PFFT, Plan, WorkSpace, choose_grid, fftw,
                       newDistArray, pencils)
from hybridfft.pencil import Pencil, Subcomm

COMPLEX = np.zeros((4, 6), complex)


def plan(comm, **options):
    return Plan(**{**dict(shape=(8, 6, 4), comm=comm, effort="estimate"), **options})


def between(comm, **options):
    layout = Layout.grid((8, 6, 4), (comm.size, 1, 1))
    return Plan(comm=comm, effort="estimate", **{**dict(layout_in=layout, layout_out=layout), **options})


def pfft(comm, **options):
    return PFFT(comm, **{**dict(shape=(8, 6, 4), effort="estimate"), **options})


def executed(comm, array):
    made = plan(comm)
    return made.execute(made.empty_input() if array is None else array, made.empty_output())


def transformed(comm, **options):
    fft = pfft(comm)
    try:
        return fft.forward(**options)
    finally:
        fft.destroy()


def redistributed(comm, **options):
    return DistArray((8, 6, 4), subcomm=Subcomm(comm, (0, 0, 1))).redistribute(**options)


def gotten(comm, index):
    return DistArray((8, 6, 4), subcomm=Subcomm(comm, (0, 0, 1))).get(index)


def transferred(comm, source):
    first = Pencil(Subcomm(comm, (0, 1, 1)), (8, 6, 4))
    second = first.pencil(0)
    first.transfer(second, float).forward(np.zeros(first.subshape) if source is None else source,
                                          np.zeros(second.subshape))


#: Collective calls: a function, good arguments, bad arguments, and the expected error message.
COLLECTIVE = [
    (plan, {}, dict(shape=(8.5, 6, 4)), r"shape\[0\] is 8.5, expected an integer"),
    (plan, {}, dict(shape="864"), "shape is '864', expected a sequence of integers"),
    (plan, {}, dict(shape={8, 6, 4}), "shape is .*, expected a sequence of integers"),
    (plan, {}, dict(shape=8), "shape is 8, expected a sequence of integers"),
    (plan, {}, dict(shape=(True, 6, 4)), r"shape\[0\] is True, expected an integer"),
    (plan, {}, dict(shape=(2**70, 6, 4)), r"shape\[0\] is 1180591620717411303424, expected"),
    (plan, {}, dict(dtype=None), "dtype is None, expected float32, float64, complex64 or complex128"),
    (plan, {}, dict(dtype="cheese"), "dtype is 'cheese', expected float32"),
    (plan, {}, dict(dtype=">c16"), "dtype is >c16, expected float32"),
    (plan, {}, dict(kind=["c2c"]), "kind is .*, expected one of 'c2c'"),
    (plan, {}, dict(direction=-1), "direction is -1, expected one of 'forward'"),
    (plan, {}, dict(effort=0), "effort is 0, expected one of 'estimate'"),
    (plan, {}, dict(wire=False), "wire is False, expected one of None"),
    (plan, {}, dict(scale="2"), "scale is '2', expected a real number"),
    (plan, {}, dict(scale=np.inf), "scale is inf, expected a finite number"),
    (plan, {}, dict(scale=[2.0]), r"scale is \[2.0\], expected a real number"),
    (plan, {}, dict(threads=1.5), "threads is 1.5, expected an integer"),
    (plan, {}, dict(threads=True), "threads is True, expected an integer"),
    (plan, {}, dict(threads=-1), "threads is -1, expected 0 to"),
    (plan, {}, dict(threads=2**40), "threads is 1099511627776, expected 0 to"),
    (plan, {}, dict(time_limit="1"), "time_limit is '1', expected a real number"),
    (plan, {}, dict(time_limit=-1.0), "time_limit is -1.0, expected a finite number of 0 or more"),
    (plan, {}, dict(deterministic="no"), "deterministic is 'no', expected True or False"),
    (plan, {}, dict(nonblocking=2), "nonblocking is 2, expected True or False"),
    (plan, {}, dict(wisdom_only=None), "wisdom_only is None, expected True or False"),
    (plan, {}, dict(in_place=1.0), "in_place is 1.0, expected True or False"),
    (plan, {}, dict(transposed_out="yes"), "transposed_out is 'yes', expected True or False"),
    (plan, {}, dict(howmany=2.0), "howmany is 2.0, expected an integer"),
    (plan, {}, dict(block_in=-4), "block_in is -4, expected 0 or more"),
    (plan, {}, dict(modes=(8, 6, 3.5)), r"modes\[2\] is 3.5, expected an integer"),
    (plan, {}, dict(work=8), "work is of type int, expected WorkSpace"),
    (plan, {}, dict(axes=(0,)), r"axes is \(0,\)"),
    (plan, {}, dict(input=[1.0]), "input is of type list, expected numpy.ndarray"),
    (between, {}, dict(layout_in=8), "layout_in is of type int, expected Layout"),
    (between, {}, dict(axes=1), "axes is 1, expected a sequence of integers"),
    (between, {}, dict(axes=(0.0,)), r"axes\[0\] is 0.0, expected an integer"),
    (between, {}, dict(howmany=np.ones(3)), "howmany is .*, but layouts have their own"),
    (choose_grid, {}, dict(shape=(8, "b", 4)), r"shape\[1\] is 'b', expected an integer"),
    (choose_grid, {}, dict(dtype=int), "dtype is int64, expected float32"),
    (choose_grid, {}, dict(effort="x"), "effort is 'x', expected one of"),
    (choose_grid, {}, dict(howmany=1.5), "howmany is 1.5, expected an integer"),
    (choose_grid, {}, dict(fields=0), "fields is 0, expected one of"),
    (choose_grid, {}, dict(wisdom_only="no"), "wisdom_only is 'no', expected True or False"),
    (executed, dict(array=None), dict(array=np.zeros(3)), "input is of dtype float64, expected complex128"),
    (pfft, {}, dict(shape=(8, 6.5, 4)), r"shape\[1\] is 6.5, expected an integer"),
    (pfft, {}, dict(shape=(8, 0, 4)), r"shape\[1\] is 0, expected 1 or more"),
    (pfft, {}, dict(axes=(0, 1, 7)), r"axes has \[7\], expected numbers of -3 to 2"),
    (pfft, {}, dict(axes=(0, 1.0)), r"axes\[1\] is 1.0, expected an integer"),
    (pfft, {}, dict(dtype=int), "dtype is int64, expected float32"),
    (pfft, {}, dict(grid=(1, "x")), r"grid\[1\] is 'x', expected an integer"),
    (pfft, {}, dict(grid=(7, 1, 1)), r"grid is \[7, 1, 1\], expected ranks"),
    (pfft, {}, dict(padding="x"), "padding is 'x', expected a sequence of numbers"),
    (pfft, {}, dict(padding=0.5), "padding is 0.5, expected a finite number of 1 or more"),
    (pfft, {}, dict(collapse="no"), "collapse is 'no', expected True or False"),
    (pfft, {}, dict(slab=5), "slab is 5, expected -3 to 2"),
    (pfft, {}, dict(threads="x"), "threads is 'x', expected an integer"),
    (pfft, {}, dict(effort="x"), "effort is 'x', expected one of"),
    (pfft, {}, dict(backend=3), "backend is 3, expected a string"),
    (pfft, {}, dict(darray=3), "darray is of type int, expected DistArray"),
    (pfft, {}, dict(transforms={(2,): 3}), r"transforms\[\(2,\)\] is 3, expected two functions"),
    (transformed, {}, dict(input_array=np.zeros(3)), r"input_array has the shape \(3,\), expected"),
    (transformed, {}, dict(output_array=[1.0]), "output_array is of type list, expected numpy.ndarray"),
    (transformed, {}, dict(normalize="no"), "normalize is 'no', expected True or False"),
    (redistributed, dict(axis=0), dict(axis=3), "axis is 3, expected -3 to 2"),
    (redistributed, dict(axis=0), dict(axis=1.0), "axis is 1.0, expected an integer"),
    (redistributed, dict(axis=0), dict(out=[1]), "out is of type list, expected DistArray"),
    (gotten, dict(index=(0, 0, 0)), dict(index=(0, 0, "x")), "index is 'x', expected an integer or a slice"),
    (transferred, dict(source=None), dict(source=[1]), "source is of type list, expected numpy.ndarray"),
    (Subcomm, dict(dims=(0, 0)), dict(dims=(0, 1.5)), r"dims\[1\] is 1.5, expected an integer"),
    (Subcomm, dict(dims=(0, 0)), dict(dims="00"), "dims is '00', expected a sequence of integers"),
    (Subcomm, dict(dims=(0, 0)), dict(dims=(7, 0)), r"dims is \[7, 0\], expected ranks"),
]


@pytest.mark.parametrize("case", range(len(COLLECTIVE)),
                         ids=lambda i: f"{COLLECTIVE[i][0].__name__}-{'-'.join(COLLECTIVE[i][2])}-{i}")
def test_wrong_argument_on_some_rank_is_an_error_on_all(comm, case):
    call, good, bad, words = COLLECTIVE[case]
    if call is choose_grid:
        good = dict(shape=(8, 6, 4), effort="estimate")
    last = comm.size - 1
    for everywhere in (True, False):
        wrong = everywhere or comm.rank == last
        with pytest.raises(Error, match=words if wrong else f"on rank .*{words}"):
            call(comm=comm, **(dict(good, **bad) if wrong else good))


def test_numbers_and_booleans_of_numpy_are_accepted():
    made = Plan(np.array([8, 6]), np.complex64, MPI.COMM_SELF, effort="estimate", scale=np.float32(2),
                threads=np.int8(1), time_limit=np.int64(5), deterministic=np.bool_(True), nonblocking=1,
                in_place=np.False_, howmany=np.uint16(2))
    assert made.layout_in.shape == (8, 6) and made.layout_in.howmany == 2
    assert Layout.grid((np.int32(8), 6), np.array([2, 1])).ranks == 2
    assert hybridfft.empty(np.int16(3), "f").shape == (3,)


def grid(**options):
    return Layout.grid(**{**dict(shape=(8, 6), parts=(2, 1)), **options})


#: Calls on one rank, and the expected error messages.
LOCAL = [
    (lambda: grid(shape=(8, 6.0)), r"shape\[1\] is 6.0, expected an integer"),
    (lambda: grid(shape=()), "shape is empty, expected one axis or more"),
    (lambda: grid(parts=(0, 1)), r"parts\[0\] is 0, expected 1 to"),
    (lambda: grid(parts="21"), "parts is '21', expected a sequence of integers"),
    (lambda: grid(order=(0, 2)), "order has 2, expected axes 0..1"),
    (lambda: grid(padding=(0, 1.5)), r"padding\[1\] is 1.5, expected an integer"),
    (lambda: grid(howmany=0), "howmany is 0, expected 1 or more"),
    (lambda: grid(fields=["separate"]), "fields is .*, expected one of 'interleaved'"),
    (lambda: Layout.blocks([[4, 4], 6]), r"counts\[1\] is 6, expected a sequence of integers"),
    (lambda: Layout.boxes((8, 6), [(slice(0, 8),)]), r"boxes\[0\] has 1 slices, expected 2"),
    (lambda: Layout.boxes((8, 6), [(slice(0, 8, 2), slice(0, 6))]), r"boxes\[0\]\[0\] has the step 2, expected 1"),
    (lambda: Layout.boxes((8, 6), [(8, slice(0, 6))]), r"boxes\[0\]\[0\] is of type int, expected slice"),
    (lambda: Layout.slab((8, 6), "2"), "ranks is '2', expected an integer"),
    (lambda: Layout.slab((8, 6), 2, transposed="no"), "transposed is 'no', expected True or False"),
    (lambda: grid().local_slice(1.0), "rank is 1.0, expected an integer"),
    (lambda: grid().local_shape(2), "rank is 2, expected 0 to 1"),
    (lambda: grid().locate((0, 0.5)), r"index\[1\] is 0.5, expected an integer"),
    (lambda: grid().empty(0, "cheese"), "dtype is 'cheese', expected"),
    (lambda: grid().empty(0, float, -1), "capacity is -1, expected 0 or more"),
    (lambda: grid().view(np.zeros(3, np.uint8), 0, float), "memory has 3 bytes, expected 192"),
    (lambda: pencils((8, 6, 4), (1,)), "grid has 1 numbers, expected 2"),
    (lambda: pencils((8, 6, 4), (1, 1), real="no"), "real is 'no', expected True or False"),
    (lambda: hybridfft.set_threads(1.5), "threads is 1.5, expected an integer"),
    (lambda: hybridfft.set_threads(-1), "threads is -1, expected 0"),
    (lambda: hybridfft.set_time_limit("1"), "seconds is '1', expected a real number"),
    (lambda: hybridfft.next_fast_length(3.5), "n is 3.5, expected an integer"),
    (lambda: hybridfft.import_wisdom(3), "text is 3, expected a string"),
    (lambda: hybridfft.load_wisdom(3.5), "file is 3.5, expected a path"),
    (lambda: hybridfft.empty((3, -1)), r"shape\[1\] is -1, expected 0 or more"),
    (lambda: hybridfft.empty(3, object), "dtype is object, expected a dtype without objects"),
    (lambda: WorkSpace().give([1]), "array is of type list, expected numpy.ndarray"),
    (lambda: DistArray((4,), val="x"), "val is 'x', expected a number or None"),
    (lambda: DistArray((4, 6), [MPI.COMM_SELF] * 2, alignment=2), "alignment is 2, expected -2 to 1"),
    (lambda: DistArray((4, 6), [MPI.COMM_SELF] * 2, rank=-1), "rank is -1, expected 0 to 2"),
    (lambda: newDistArray(None, 3), "forward_output is 3, expected True or False"),
    (lambda: fftw.fftn(COMPLEX, axes=5), r"axes\[0\] is 5, expected -2 to 1"),
    (lambda: fftw.fftn(COMPLEX, axes=(0, 0)), r"axes is \(0, 0\), expected one or more, each once"),
    (lambda: fftw.fftn(COMPLEX, s=(5,)), r"s is \(5,\), expected \(6,\)"),
    (lambda: fftw.fftn([1]), "input_array is of type list, expected numpy.ndarray"),
    (lambda: fftw.fftn(COMPLEX, threads="x"), "threads is 'x', expected an integer"),
    (lambda: fftw.fftn(COMPLEX)(normalize="no"), "normalize is 'no', expected True or False"),
    (lambda: fftw.rfftn(COMPLEX.real.copy())(COMPLEX), "complex128 cannot become float64"),
]


@pytest.mark.parametrize("case", range(len(LOCAL)))
def test_wrong_argument_of_a_local_call_is_an_error(case):
    call, words = LOCAL[case]
    with pytest.raises(Error, match=words) as caught:
        call()
    assert caught.value.code == hybridfft.ErrorCode.ARGUMENT or "order" in words or "howmany" in words


def test_argument_of_a_wrong_type_is_a_type_error():
    for call in (lambda: plan(MPI.COMM_SELF, shape=(4.9, 6, 4)), lambda: plan(3),
                 lambda: plan(MPI.COMM_SELF, deterministic="no")):
        with pytest.raises(TypeError) as caught:
            call()
        assert isinstance(caught.value, ArgumentTypeError) and isinstance(caught.value, Error)


def test_values_other_than_communicators_are_refused():
    with pytest.raises(Error, match="MPI_COMM_NULL"):
        plan(MPI.COMM_NULL)
    freed = MPI.COMM_SELF.Dup()
    freed.Free()
    for call in (plan, pfft, choose_grid, hybridfft.collect, hybridfft.broadcast_wisdom):
        with pytest.raises(Error, match="MPI_COMM_NULL"):
            call(comm=freed) if call is not choose_grid else call((4, 4), comm=freed)


def test_ranks_of_pfft_with_different_arguments_fail(comm):
    if comm.size == 1:
        return
    with pytest.raises(Error, match="the ranks disagree on the arguments of PFFT"):
        pfft(comm, shape=(8, 6 + comm.rank, 4))
    fft = pfft(comm)
    with pytest.raises(Error, match="normalize is True on some ranks and False on others"):
        fft.forward(normalize=comm.rank == 0)
    fft.destroy()
