"""Tests which arrays PFFT reads and writes, on 1, 2, 3, ... ranks: it never overwrites a returned result, and it uses
or copies the arrays of the caller. Expected values are numpy's; values have a size of 1, the tolerance is 100 eps."""

import numpy as np
import pytest
from mpi4py import MPI

from hybridfft import Error, PFFT, newDistArray

SHAPE = (8, 10)
TOLERANCE = 1e-12


@pytest.fixture(params=range(1, MPI.COMM_WORLD.size + 1), ids=lambda n: f"ranks{n}")
def comm(request):
    world = MPI.COMM_WORLD
    part = world.Split(0 if world.rank < request.param else 1, world.rank)
    yield part if world.rank < request.param else None
    part.Free()


@pytest.fixture(params=[False, 1.5], ids=["plan", "stages"])
def fft(request, comm):
    """A PFFT with one plan, and a padded PFFT, which has a plan for each stage."""
    if comm is None:
        yield None
        return
    made = PFFT(comm, SHAPE, dtype=float, padding=request.param, effort="estimate")
    yield made
    made.destroy()


def fields(fft, seed):
    """Returns this rank's parts of a random field without modes n/2, and of its spectrum."""
    shape = fft.global_shape(False)
    values = np.random.default_rng(seed).random(SHAPE)
    small = np.fft.rfftn(values, norm="forward")
    small[SHAPE[0] // 2], small[:, -1] = 0, 0
    spectrum = np.zeros((shape[0], shape[1] // 2 + 1), complex)
    kept = np.r_[0:SHAPE[0] // 2, shape[0] - SHAPE[0] // 2:shape[0]]
    spectrum[kept, :small.shape[1]] = small
    whole = np.fft.irfftn(spectrum, shape, norm="forward")
    return whole[fft.local_slice(False)].copy(), small[fft.local_slice(True)].copy()


def close(found, expected):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max(initial=0) < TOLERANCE


def test_spectrum_after_transforms_of_its_products_is_unchanged(comm):
    fft = PFFT(comm, SHAPE, dtype=float, effort="estimate")
    g = np.random.default_rng(1).random(SHAPE)
    whole = np.fft.rfftn(g)
    waves = np.fft.fftfreq(SHAPE[0], 1 / SHAPE[0])[:, None], np.fft.rfftfreq(SHAPE[1], 1 / SHAPE[1])[None, :]
    spectrum = fft.forward(g[fft.local_slice(False)])
    for wave in waves * 2:
        k = np.broadcast_to(wave, whole.shape)
        derivative = fft.backward(1j * k[fft.local_slice(True)] * spectrum, newDistArray(fft, False))
        close(derivative, np.fft.irfftn(1j * k * whole, SHAPE)[fft.local_slice(False)])
    close(spectrum, whole[fft.local_slice(True)] / g.size)
    fft.destroy()


def test_result_of_a_call_without_output_is_not_written_again(fft):
    results = []
    for seed in range(4):
        values, spectrum = fields(fft, seed)
        results += [(fft.forward(values), spectrum), (fft.backward(spectrum), values)]
        fft.forward(np.asfortranarray(values), newDistArray(fft))
        fft.backward(spectrum.astype(np.complex64), newDistArray(fft, False))
        fft.forward()
        fft.backward()
    for found, expected in results:
        close(found, expected)
    assert len({id(found) for found, _ in results}) == len(results)


def test_calls_without_arrays_work_in_two_arrays(fft):
    u, u_hat = fft.forward.input_array, fft.forward.output_array
    assert fft.backward.input_array is u_hat and fft.backward.output_array is u
    for seed in range(3):
        u[...], spectrum = fields(fft, seed)
        assert fft.forward() is u_hat
        close(u_hat, spectrum)
        u_hat *= 2
        expected = 2 * fields(fft, seed)[0]
        assert fft.backward() is u
        close(u, expected)


@pytest.mark.parametrize("wrong_rank", [0, -1])
def test_array_without_room_on_one_rank_gives_the_same_results(fft, comm, wrong_rank):
    values, spectrum = fields(fft, 7)
    u, u_hat = newDistArray(fft, False, view=True), newDistArray(fft, view=True)
    if comm.rank == wrong_rank % comm.size:
        u, u_hat = np.zeros(u.shape, order="F"), np.zeros(u_hat.shape, order="F", dtype=complex)
    u[...] = values
    assert fft.forward(u, u_hat) is u_hat
    close(u_hat, spectrum)
    assert np.array_equal(u, values)
    u.fill(0)
    assert fft.backward(u_hat, u) is u
    close(u, values)
    close(u_hat, spectrum)


def test_input_and_output_in_one_memory(comm):
    n = 4 * comm.size
    fft = PFFT(comm, (n, n), dtype=complex, effort="estimate")
    whole = np.random.default_rng(1).random((n, n)) + 0j
    u = whole[fft.local_slice(False)].copy()
    u_hat = u.reshape(fft.shape(True))
    assert fft.forward(u, u_hat) is u_hat
    close(u_hat, np.fft.fftn(whole, norm="forward")[fft.local_slice(True)])
    fft.destroy()


def test_threads_take_turns():
    """Threads share a transform and its arrays, and each thread has its own input and output arrays."""
    import threading

    fft = PFFT(MPI.COMM_SELF, SHAPE, dtype=float, effort="estimate")
    wrong = []

    def work(seed):
        values, spectrum = fields(fft, seed)
        for _ in range(50):
            found = fft.forward(np.asfortranarray(values), newDistArray(fft))
            back = fft.backward(np.asfortranarray(found))
            if np.abs(found - spectrum).max() > TOLERANCE or np.abs(back - values).max() > TOLERANCE:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_destroyed_transform_is_refused(comm):
    fft = PFFT(comm, SHAPE, effort="estimate")
    fft.destroy()
    with pytest.raises(Error, match="has been destroyed"):
        fft.forward()
