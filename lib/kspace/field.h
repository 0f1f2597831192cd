/// One scalar field of a rank.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "base/memory.h"
#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "kspace/local_grid.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Zeroed memory laid out as a LocalGrid says, first touched by the threads that will use it. Holds
/// real values in space or, when sized for transforms, their half spectrum.
class Field {
public:
  Field() = default;
  Field(std::size_t values, int threads) : memory_(values * sizeof(Real), threads), size_(values) {}

  Real *data() const { return reinterpret_cast<Real *>(memory_.data()); }
  std::span<Real> real() const { return {data(), size_}; }
  std::span<std::complex<Real>> spectrum() const {
    return {reinterpret_cast<std::complex<Real> *>(memory_.data()), size_ / 2};
  }

  grid::View<Real> view(const LocalGrid &local) const {
    return {data(), local.plane(), local.pitch(), 0};
  }
  Real *row(const LocalGrid &local, std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data() + local.offset(i, j);
  }
  grid::Rows<Real> rows(const LocalGrid &local) const {
    return {data(), local.plane(), local.pitch()};
  }

private:
  Memory memory_;
  std::size_t size_ = 0;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
