/// FFTW plans for devices whose transforms the host executes.
#pragma once

#include <fftw3.h>

#include "device/runtime.h"
#include "local/fft.h"

namespace hybridfft::device {

/// Plans for one field. Rows of reals are padded to the size of rows of the half spectrum.
template <class Real> struct FieldPlans {
  /// \throws Failure(HFFT_ERROR_FFTW)
  FieldPlans(const FftShape &shape, unsigned effort, int threads)
      : forward(shape_of(shape, local::Kind::r2c), false, effort, threads, false),
        backward(shape_of(shape, local::Kind::c2r), true, effort, threads, false) {}

  local::Fft<Real> forward, backward;

private:
  static local::FftwShape shape_of(const FftShape &shape, local::Kind kind) {
    local::FftwShape local;
    local.kind = kind;
    const std::ptrdiff_t row = shape.bins();
    const bool forward = kind == local::Kind::r2c;
    const auto dimension = [forward](Index n, Index reals, Index complexes) {
      return local::FftDimension{n, forward ? reals : complexes, forward ? complexes : reals};
    };
    local.transform = {dimension(shape.n[0], 2 * shape.n[1] * row, shape.n[1] * row),
                       dimension(shape.n[1], 2 * row, row), dimension(shape.n[2], 1, 1)};
    return local;
  }
};

} // namespace hybridfft::device
