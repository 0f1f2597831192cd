/// One scalar field of a rank, in single precision.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "base/memory.h"
#include "grid/box.h"
#include "kspace/slab.h"

namespace hybridfft::kspace {

/// Zeroed memory laid out as a Slab says, first touched by the threads that will use it. Holds
/// real values in space or, when sized for transforms, their half spectrum.
class Field {
public:
  Field() = default;
  Field(std::size_t floats, int threads)
      : memory_(floats * sizeof(float), threads), size_(floats) {}

  float *data() const { return reinterpret_cast<float *>(memory_.data()); }
  std::span<float> real() const { return {data(), size_}; }
  std::span<std::complex<float>> spectrum() const {
    return {reinterpret_cast<std::complex<float> *>(memory_.data()), size_ / 2};
  }

  grid::View<float> view(const Slab &slab) const { return {data(), slab.real().n1, slab.pitch()}; }
  float *row(const Slab &slab, std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data() + (i * slab.real().n1 + j) * slab.pitch();
  }
  grid::Rows<float> rows(const Slab &slab) const {
    return {data(), slab.real().n1 * slab.pitch(), slab.pitch()};
  }

private:
  Memory memory_;
  std::size_t size_ = 0;
};

} // namespace hybridfft::kspace
