/// FFTs of the emulated device, executed by FFTW in its streams.
#pragma once

#include <memory>

#include "device/emulated_stream.h"

namespace hybridfft::device {

/// Plans the transforms of a shape.
/// \throws Error(HFFT_ERROR_FFTW); Error(HFFT_ERROR_ARGUMENT) for a shape with a number below 1
template <class Real>
std::unique_ptr<Fft<Real>> make_emulated_fft(std::shared_ptr<EmulatedDevice> device,
                                             const FftShape &shape);

extern template std::unique_ptr<Fft<float>>
make_emulated_fft<float>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);
extern template std::unique_ptr<Fft<double>>
make_emulated_fft<double>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);

} // namespace hybridfft::device
