#include "device/cuda/fft_layout.h"

#include <string>

#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

FftLayout::FftLayout(const FftShape &shape)
    : real_distance(shape.real_values()), complex_distance(shape.complex_values()) {
  if (shape.n[0] < 1 || shape.n[1] < 1 || shape.n[2] < 1 || shape.batch < 1)
    throw Error(HFFT_ERROR_ARGUMENT, "transforms on a device: found " + std::to_string(shape.n[0]) +
                                         " x " + std::to_string(shape.n[1]) + " x " +
                                         std::to_string(shape.n[2]) + " points in batches of " +
                                         std::to_string(shape.batch) +
                                         ", expected positive numbers");
  // cuFFT halves the last axis. Its documentation does not define the case of a single point.
  if (shape.n[2] == 1 && shape.n[0] * shape.n[1] > 1)
    throw Error(HFFT_ERROR_ARGUMENT,
                "transforms on a device: found " + std::to_string(shape.n[0]) + " x " +
                    std::to_string(shape.n[1]) +
                    " x 1 points, expected positive numbers, the last one at least 2");
  for (int axis = 0; axis < 3; ++axis) {
    if (axis < 2 && shape.n[axis] == 1) continue;
    n[rank] = shape.n[axis];
    reals[rank] = axis < 2 ? shape.n[axis] : 2 * shape.bins();
    complexes[rank] = axis < 2 ? shape.n[axis] : shape.bins();
    ++rank;
  }
}

} // namespace hybridfft::device::cuda
