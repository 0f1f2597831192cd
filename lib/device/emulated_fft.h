/// Fourier transforms of the emulated device: FFTW's, in its streams.
#pragma once

#include <memory>

#include "device/emulated_stream.h"

namespace hybridfft::device {

/// Throws Error(HFFT_ERROR_FFTW), and Error(HFFT_ERROR_ARGUMENT) for a shape that is none.
template <class Real>
std::unique_ptr<Fft<Real>> make_emulated_fft(std::shared_ptr<EmulatedDevice> device,
                                             const FftShape &shape);

extern template std::unique_ptr<Fft<float>>
make_emulated_fft<float>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);
extern template std::unique_ptr<Fft<double>>
make_emulated_fft<double>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);

} // namespace hybridfft::device
