"""Compares the classes of mpi4py-fft with numpy's transforms of the whole array.

PFFT normalises forward transforms: modes of fields of variance 1 have a size of about 1 / sqrt(N), below 1. The
tolerances 1e-12 (double) and 1e-5 (single) exceed 100 eps for the sum of rounding errors.
"""

import itertools

import numpy as np
import pytest

import hybridfft
from hybridfft import DistArray, Error, PFFT, newDistArray
from hybridfft.pencil import Pencil, Subcomm

SHAPE = (9, 8, 10)
TOLERANCE = {"d": 1e-12, "f": 1e-5}


def field(shape, dtype):
    values = np.random.default_rng(3).standard_normal((2, *shape))
    return (values[0] if np.dtype(dtype).kind == "f" else values[0] + 1j * values[1]).astype(dtype)


def close(found, expected):
    assert found.shape == expected.shape
    if found.size:
        assert np.abs(found - expected).max() < TOLERANCE[found.dtype.char.lower()]


def spectrum_of(whole, axes):
    transform = np.fft.fftn if np.iscomplexobj(whole) else np.fft.rfftn
    return transform(whole, axes=axes, norm="forward")


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("axes", [None, (0, 1, 2), (2, 0, 1), ((0,), (1, 2)), (1,), (-1, 0)])
def test_transforms(comm, dtype, axes):
    whole = field(SHAPE, dtype)
    flat = list(range(3)) if axes is None else list(
        itertools.chain.from_iterable(np.atleast_1d(a).tolist() for a in axes))
    for collapse, grid in ((False, None), (True, None), (False, (-1,))):
        if grid is not None and flat[-1] % 3 == 0:
            continue  # the axis that is transformed first must not be distributed
        fft = PFFT(comm, SHAPE, axes=axes, dtype=dtype, collapse=collapse, grid=grid,
                   effort="estimate")
        u = newDistArray(fft, False)
        u[...] = whole[fft.local_slice(False)]
        u_hat = fft.forward(u, newDistArray(fft))
        close(u_hat.v, spectrum_of(whole, flat)[fft.local_slice(True)])
        back = fft.backward(u_hat)
        assert back is fft.backward.output_array is fft.forward.input_array
        close(back, whole[fft.local_slice(False)])
        assert fft.global_shape(False) == SHAPE and fft.global_shape(True) == fft.pencil[1].shape
        assert fft.shape(True) == u_hat.shape and fft.dtype(True) == u_hat.dtype
        fft.destroy()


def test_arrays_are_used_without_copies(comm):
    fft = PFFT(comm, SHAPE, effort="estimate")
    u, u_hat = newDistArray(fft, False), newDistArray(fft)
    u[...] = 1
    own = [fft.forward.input_array, fft.forward.output_array]
    for array in own:
        array.fill(7)
    assert fft.forward(u, u_hat) is u_hat
    for array in own:
        assert np.all(array == 7)
    # Arrays of another order or dtype are copied.
    other = np.asfortranarray(np.ones(u.shape, np.float32))
    assert fft.forward(other) is own[1]
    close(own[1], u_hat.v)
    fft.destroy()


def test_normalize(comm):
    whole = field(SHAPE, "D")
    fft = PFFT(comm, SHAPE, dtype="D", effort="estimate")
    close(fft.forward(whole[fft.local_slice(False)], normalize=False) / whole.size,
          spectrum_of(whole, (0, 1, 2))[fft.local_slice()])
    close(fft.backward(normalize=True), whole[fft.local_slice(False)])
    fft.destroy()


@pytest.mark.parametrize("dtype", "dD")
@pytest.mark.parametrize("shape", [(8, 6, 10), (7, 9, 5)])
def test_padding_is_interpolation(comm, dtype, shape):
    """A padded backward transform evaluates a trigonometric polynomial on the finer grid; forward computes its
    modes."""
    fft = PFFT(comm, shape, dtype=dtype, padding=1.5, effort="estimate")
    fine = fft.global_shape(False)
    assert fine == tuple(int(1.5 * n) for n in shape)
    wave = np.array([2, -1, 2])
    angle = 2 * np.pi * sum(k * x for k, x in zip(wave, np.meshgrid(
        *[np.arange(n) / n for n in fine], indexing="ij")))
    values = np.cos(angle) if dtype == "d" else np.exp(1j * angle)
    u_hat = fft.forward(values[fft.local_slice(False)])
    expected = np.zeros(fft.global_shape(True), complex)
    expected[tuple(wave)] = 0.5 if dtype == "d" else 1
    close(u_hat, expected[fft.local_slice()])
    close(fft.backward(u_hat), values[fft.local_slice(False)])
    fft.destroy()


def test_the_middle_mode_of_an_even_number(comm):
    """On the finer grid cos(n/2 x) has two modes, n/2 and -n/2. On n points both are the same mode."""
    shape = (8, 6)
    for dtype in "dD":
        for axis in (0, 1):
            fft = PFFT(comm, shape, dtype=dtype, padding=[1.5, 1.5], effort="estimate")
            fine = fft.global_shape(False)
            x = np.arange(fine[axis]) / fine[axis]
            line = np.cos(2 * np.pi * (shape[axis] // 2) * x)
            values = np.zeros(fine) + (line[:, None] if axis == 0 else line[None, :])
            u_hat = fft.forward(values[fft.local_slice(False)])
            expected = np.zeros(fft.global_shape(True), complex)
            expected[(shape[0] // 2, 0) if axis == 0 else (0, shape[1] // 2)] = 1
            close(u_hat, expected[fft.local_slice()])
            close(fft.backward(u_hat), values[fft.local_slice(False)])
            fft.destroy()


def test_cosine_transforms(comm):
    scipy_fft = pytest.importorskip("scipy.fft")
    import functools
    from hybridfft import fftw
    whole = field((6, 5, 7), float)
    pairs = {(1, 2): (functools.partial(fftw.dctn, type=3), functools.partial(fftw.idctn, type=3))}
    fft = PFFT(comm, whole.shape, axes=((0,), (1, 2)), transforms=pairs, effort="estimate")
    u_hat = fft.forward(whole[fft.local_slice(False)])
    # After cosine transforms the data are still real, so the first axis is halved.
    expected = np.fft.rfft(scipy_fft.dctn(whole, type=3, axes=(1, 2)), axis=0) / (6 * 10 * 14)
    close(u_hat, expected[fft.local_slice()])
    close(fft.backward(u_hat), whole[fft.local_slice(False)])
    fft.destroy()


def test_transfers_of_any_dtype(comm):
    shape = (7, 5, 6)
    subcomm = Subcomm(comm, (0, 0, 1))
    first = Pencil(subcomm, shape)
    second = first.pencil(0)
    for dtype in "bhfdgFDG":
        whole = (100 * field(shape, "d")).astype(dtype)
        a = whole[tuple(slice(s, s + n) for s, n in zip(first.substart, first.subshape))].copy()
        expected = whole[tuple(slice(s, s + n) for s, n in zip(second.substart, second.subshape))]
        b = np.zeros(second.subshape, dtype)
        transfer = first.transfer(second, dtype)
        transfer.forward(a, b)
        assert np.array_equal(b, expected)
        a.fill(0)
        transfer.backward(b, a)
        assert np.array_equal(a, whole[tuple(slice(s, s + n) for s, n in
                                             zip(first.substart, first.subshape))])
        with pytest.raises(Error, match="source has shape"):
            transfer.forward(a[:1, :1, :1], b)
        transfer.destroy()
    subcomm.destroy()


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_distributed_arrays(comm, rank):
    shape = (3,) * rank + SHAPE
    whole = field(shape, float)
    a = DistArray(shape, subcomm=Subcomm(comm, (0, 0, 1)), rank=rank)
    assert np.all(a.v == 0) and a.global_shape == shape and a.dimensions == 3
    a[...] = whole[a.local_slice()]
    for axis in (0, 1, 2, -3):
        b = a.redistribute(axis)
        assert b.alignment == axis % 3
        assert np.array_equal(b.v, whole[b.local_slice()])
    c = DistArray(shape, subcomm=b.subcomm[rank:], alignment=b.alignment, rank=rank)
    b.redistribute(out=c)
    assert np.array_equal(c.v, whole[c.local_slice()])
    if rank:
        component = a[1]
        assert isinstance(component, DistArray) and component.rank == rank - 1
        assert np.array_equal(component.v, whole[1][component.local_slice()])
    assert type(a[(0,) * rank + (0,)]) is not DistArray


def test_global_slices(comm):
    whole = field((3, *SHAPE), float)
    a = DistArray(whole.shape, subcomm=Subcomm(comm, (0, 0, 1)), rank=1)
    a[...] = whole[a.local_slice()]
    for index in ((1, slice(None), 3, 0), (slice(0, 2), -1, slice(1, 8, 3), slice(None, 4)),
                  (0, 8, 7, 9), (slice(None),) * 4, (2, slice(4, 4), 0, 0)):
        found = a.get(index)
        if comm.rank == 0:
            assert np.array_equal(found, whole[index])
        else:
            assert found is None
    for index, words in (((0, 9, 0, 0), "index is 9, expected -9 to 8"), ((0, 0), "there are 2 indices"),
                         ((0, 0, "x", 0), "expected an integer or a slice"),
                         ((0, slice(None, None, -1), 0, 0), "step is -1")):
        with pytest.raises(Error, match=words):
            a.get(index)


def test_a_transform_of_a_distributed_array(comm):
    a = DistArray(SHAPE, subcomm=Subcomm(comm, (0, 1, 0)), dtype=complex, alignment=1)
    whole = field(SHAPE, complex)
    a[...] = whole[a.local_slice()]
    fft = PFFT(comm, darray=a, effort="estimate")
    assert fft.axes[-1] == (1,)
    close(fft.forward(a), spectrum_of(whole, (2, 0, 1))[fft.local_slice()])
    fft.destroy()


def test_wrong_arguments_are_named(comm):
    for words, arguments in (
            ("dtype is int64", dict(shape=SHAPE, dtype=int)), ("neither shape nor darray", {}),
            ("axes has \\[3\\]", dict(shape=SHAPE, axes=(3,))),
            ("expected each axis once", dict(shape=SHAPE, axes=(0, 0))),
            ("padding has 2 numbers, expected 3", dict(shape=SHAPE, padding=[1.5, 1])),
            ("planner_effort is 'x'", dict(shape=SHAPE, planner_effort="x"))):
        with pytest.raises(Error, match=words):
            PFFT(comm, **arguments)
    if comm.size > 1:
        with pytest.raises(Error, match="axis 2 is cut over"):
            PFFT(comm, SHAPE, grid=(1, 1, -1))


def test_names_of_mpi4py_fft():
    import hybridfft.distarray
    import hybridfft.fftw
    import hybridfft.mpifft
    assert hybridfft.mpifft.PFFT is PFFT and hybridfft.distarray.newDistArray is newDistArray
    a = hybridfft.fftw.aligned((4, 6), dtype=complex)
    a[...] = field(a.shape, complex)
    there = hybridfft.fftw.fftn(a, axes=(0, 1))
    back = hybridfft.fftw.ifftn(there.output_array, axes=(0, 1))
    close(back(there(a), normalize=True), a)
    assert there.input_array is a and there() is there.output_array
    r = hybridfft.fftw.rfftn(a.real.copy(), axes=(1,))
    c = hybridfft.fftw.irfftn(r.output_array, s=(6,), axes=(1,))
    close(c(r(a.real)) * c.get_normalization(), a.real)


def test_netcdf_files_are_refused():
    from hybridfft.io import NCFile

    with pytest.raises(Error, match="NCFile: netCDF files are not supported, expected HDF5File"):
        NCFile("u.nc", mode="w")


def test_names_of_fftw_utilities():
    from hybridfft.fftw import utilities

    kinds = ("R2HC", "HC2R", "DHT", "REDFT00", "REDFT01", "REDFT10", "REDFT11", "RODFT00", "RODFT01", "RODFT10",
             "RODFT11")
    assert [getattr(utilities, f"FFTW_{kind}") for kind in kinds] == list(range(11))
    assert (utilities.FFTW_FORWARD, utilities.FFTW_BACKWARD) == (-1, 1)
    assert (utilities.C2C_FORWARD, utilities.C2C_BACKWARD, utilities.R2C, utilities.C2R) == (-1, 1, -2, 2)
    assert (utilities.FFTW_MEASURE, utilities.FFTW_PRESERVE_INPUT, utilities.FFTW_WISDOM_ONLY) == (0, 16, 2097152)
    z = utilities.aligned((3, 5), fill=2)
    assert z.shape == (3, 5) and (z == 2).all() and utilities.get_alignment(z) == 32
    assert utilities.get_alignment(z.reshape(-1)[1:]) == 8
    assert utilities.aligned_like(z).dtype == z.dtype


class TensorProduct:
    """A transform of a real two-dimensional field as in shenfun: serial transforms of each axis, joined by
    Transform."""

    def __init__(self, comm, shape):
        from hybridfft import fftw
        from hybridfft.mpifft import Transform
        from hybridfft.pencil import Pencil, Subcomm

        flags = (fftw.flag_dict["FFTW_MEASURE"], fftw.flag_dict["FFTW_DESTROY_INPUT"])
        first = Pencil(Subcomm(comm, [0, 1]), shape, 1)
        plan = fftw.rfftn(fftw.aligned(first.subshape), axes=(1,), threads=1, flags=flags)
        back = fftw.irfftn(plan.output_array, s=(shape[1],), axes=(1,), flags=flags, output_array=plan.input_array)
        halved = Pencil(first.subcomm, (shape[0], shape[1] // 2 + 1), 1)
        last = halved.pencil(0)
        transfer = halved.transfer(last, complex)
        columns = fftw.fftn(fftw.aligned(last.subshape, dtype=complex), axes=(0,), flags=flags)
        columns_back = fftw.ifftn(columns.output_array, axes=(0,), output_array=columns.input_array)
        self.forward = Transform([plan, columns], [transfer.forward], [first, last])
        self.backward = Transform([columns_back, back], [transfer.backward], [last, first])


def part(pencil):
    return tuple(slice(s, s + n) for s, n in zip(pencil.substart, pencil.subshape))


def test_transform_of_serial_transforms(comm):
    from hybridfft.mpifft import Transform

    shape = (12, 10)
    values = np.random.default_rng(5).random(shape)
    product = TensorProduct(comm, shape)
    assert isinstance(product.forward, Transform) and isinstance(hybridfft.PFFT(comm, shape).forward, Transform)
    given = values[part(product.forward.input_pencil)]
    spectrum = product.forward(given)
    assert spectrum is product.forward.output_array
    close(spectrum, np.fft.rfft2(values)[part(product.forward.output_pencil)])
    result = np.empty_like(given)
    assert product.backward(spectrum.copy(), result, normalize=True) is result
    close(result, given)
    with pytest.raises(hybridfft.Error, match="transfer has 1 functions, expected 0, one less than xfftn"):
        Transform([len], [len], product.forward._pencil)
    with pytest.raises(hybridfft.Error, match="pencil has 1 pencils, expected 2"):
        Transform([len], [], product.forward._pencil[:1])


def test_serial_transforms_are_mpi4py_ffts():
    """Serial transforms are of the last axis by default, and use the values in the array at the time of the call.
    Expected values are numpy's, and for cosines and sines the examples in mpi4py-fft's documentation."""
    from hybridfft import fftw

    rng = np.random.default_rng(3)
    for shape in ((6,), (4, 6), (3, 4, 6)):
        z = fftw.aligned(shape, dtype=complex)
        plan = fftw.fftn(z, flags=(fftw.FFTW_ESTIMATE, fftw.FFTW_DESTROY_INPUT))
        values = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        z[...] = values
        close(plan(), np.fft.fft(values))
        assert np.array_equal(z, values)
        close(fftw.ifftn(z)(), np.fft.ifft(values) * 6)
        real = values.real.copy()
        close(fftw.rfftn(real)(), np.fft.rfft(real))
        spectrum = np.fft.rfft(real)
        output = fftw.aligned(shape)
        back = fftw.irfftn(spectrum, output_array=output)
        assert back(normalize=True) is output
        close(output, real)
    odd = rng.standard_normal((4, 5))
    close(fftw.irfftn(np.fft.rfftn(odd), s=(4, 5), axes=(0, 1), flags=fftw.FFTW_ESTIMATE)(normalize=True), odd)
    one = fftw.aligned(4)
    one[:] = 1, 2, 3, 4
    for function, expected in ((fftw.dctn, (20, -6.30864406, 0, -0.44834153)),
                               (fftw.idctn, (11.99962628, -9.10294322, 2.61766184, -1.5143449)),
                               (fftw.dstn, (13.06562965, -5.65685425, 5.411961, -4)),
                               (fftw.idstn, (13.13707118, -1.6199144, 0.72323135, -0.51978306))):
        assert np.allclose(function(one)(), expected, atol=1e-8)
        assert np.allclose(function(np.stack([one, one]))(), [expected, expected], atol=1e-8)
        assert np.allclose(function(one + 2j * one)(), np.multiply(expected, 1 + 2j), atol=1e-8)
    assert fftw.dctn(np.zeros((0, 4)))().shape == (0, 4)
    for words, call in (("flags has 1024", lambda: fftw.fftn(z, flags=1024)),
                        ("input_array has the dtype float64", lambda: fftw.fftn(real)),
                        ("output_array has the shape", lambda: fftw.fftn(z, output_array=z[0])),
                        ("s is .7,., whose spectrum", lambda: fftw.irfftn(np.fft.rfft(odd), s=(7,))),
                        ("input_array has the shape", lambda: fftw.fftn(z)(z[0]))):
        with pytest.raises(Error, match=words):
            call()
