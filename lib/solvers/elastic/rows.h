/// Computes rows of points with the vectors of the processor.
#pragma once

#include <vector>

#include "hybridfft/grid/box.hpp"
#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic {

/// Calls a kernel once for every point of a box.
template <class Kernel> using RowFunction = void (*)(const Kernel &kernel, const grid::Box &box);

/// The row functions for the instruction sets of this processor, the widest vectors first. All
/// write the same bits.
template <class Kernel> std::vector<RowFunction<Kernel>> row_functions();

/// The row function with the widest vectors.
template <class Kernel> RowFunction<Kernel> fastest_rows() {
  static const RowFunction<Kernel> first = row_functions<Kernel>().front();
  return first;
}

/// Flushes denormal numbers to zero in this thread during its lifetime. There are many ahead of a
/// wave, and processors compute with them a hundred times slower.
class WithoutDenormals {
public:
  WithoutDenormals();
  ~WithoutDenormals();
  WithoutDenormals(const WithoutDenormals &) = delete;
  WithoutDenormals &operator=(const WithoutDenormals &) = delete;

private:
  [[maybe_unused]] unsigned before_ = 0;
};

} // namespace hybridfft::elastic
