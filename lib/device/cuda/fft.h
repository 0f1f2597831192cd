/// Fourier transforms by cuFFT.
#pragma once

#include <memory>

#include "device/cuda/fft_plan.h"

namespace hybridfft::device::cuda {

/// Bytes of work space for transforms of this shape, however they will be done. Allocates nothing.
std::size_t fft_work_bytes(const FftShape &shape, bool double_precision);

/// Takes its turn with other transforms in the work area. If a batch can be transformed at once or
/// field after field, both are measured in `stream`, which is idle, provided that there is memory.
/// Is instantiated for float and double.
template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream);

} // namespace hybridfft::device::cuda
