/// Fourier transforms by cuFFT.
#pragma once

#include <complex>
#include <memory>

#include "device/cuda/fft_plan.h"

namespace hybridfft::device::cuda {

/// Most bytes of work space for transforms of this shape. Allocates nothing.
std::size_t fft_work_bytes(const FftShape &shape, bool double_precision);

/// Takes its turn with other transforms in the work area. Transforms of a batch at once and field
/// after field are measured in `stream`, which is idle, with the memory of `spectra`. Batches are
/// transformed one by one if the work space for all at once cannot be had. Is instantiated for
/// float and double.
template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream, std::complex<Real> *spectra);

} // namespace hybridfft::device::cuda
