/// Runs kernels over rows of points with SIMD vectors, for the instruction set of the processor.
#pragma once

#include <vector>

#include "hybridfft/grid/box.hpp"
#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic {

/// Function that runs a kernel once for every point of a box.
template <class Kernel> using RowFunction = void (*)(const Kernel &kernel, const grid::Box &box);

/// Returns the functions for the instruction sets of this processor, widest vectors first. All give
/// the same bits.
template <class Kernel> std::vector<RowFunction<Kernel>> row_functions();

/// Returns the function with the widest vectors.
template <class Kernel> RowFunction<Kernel> fastest_rows() {
  static const RowFunction<Kernel> first = row_functions<Kernel>().front();
  return first;
}

/// Makes this thread flush denormal numbers to zero during the object's lifetime. Many occur ahead
/// of a wave front, and processors take a hundred times longer to compute with them.
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
