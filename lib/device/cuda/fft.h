/// Fourier transforms by cuFFT. Backward transforms of a batch run at once or one by one, chosen by
/// measuring.
#pragma once

#include <complex>
#include <memory>

#include "device/cuda/fft_plan.h"

namespace hybridfft::device::cuda {

/// Maximum work space of transforms of this shape, in bytes. Allocates nothing.
std::size_t fft_work_bytes(const FftShape &shape, bool double_precision);

/// Plans transforms. They share `area` with other transforms and run in turn. Measures, in the idle
/// `stream` and the memory of `spectra`, whether a batch is faster at once or one by one. Batches
/// are transformed one by one if the work space for all at once cannot be allocated. Instantiated
/// for float and double.
template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream, std::complex<Real> *spectra);

} // namespace hybridfft::device::cuda
