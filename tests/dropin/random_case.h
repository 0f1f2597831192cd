/// A random call of FFTW-MPI's planner. It is the same on all ranks and in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace conformance {

/// splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Returns a number from 0 to n - 1.
  std::ptrdiff_t below(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(next() % static_cast<std::uint64_t>(n));
  }
  bool one_in(std::ptrdiff_t n) { return below(n) == 0; }
  /// Returns a number from -0.5 to 0.5, exact in single precision.
  double value() { return static_cast<double>(next() >> 40U) * 0x1p-24 - 0.5; }

private:
  std::uint64_t state_;
};

enum class Kind { c2c, r2c, c2r, r2r, transpose };

struct Case {
  std::uint64_t seed = 0;
  Kind kind = Kind::c2c;
  bool single = false;
  int sign = -1;
  std::vector<std::ptrdiff_t> n; ///< extents in points; see element_extents()
  std::vector<int> kinds;        ///< of r2r: fftw_r2r_kind of each axis
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0, oblock = 0;
  unsigned flags = 0;
  bool in_place = false;
  bool new_arrays = false; ///< executed on arrays other than the planned ones
  bool fortran = false;    ///< called by the entry points for Fortran

  bool transposed_in() const;
  bool transposed_out() const;
  /// Extents of the array in elements. The last is n/2+1 for r2c and c2r.
  std::vector<std::ptrdiff_t> element_extents() const;
  /// True for a DFT of two or more dimensions with an extent of 1. FFTW 3.3.10 gives wrong results
  /// or no plan for it on several ranks.
  bool flat() const;
  /// True if FFTW-MPI supports this transform. FFTW-MPI has no plans from or to real data in
  /// transposed order.
  bool possible() const;
  std::string describe() const;
};

/// Returns the case of a seed on `ranks` ranks, with at most `points` points.
Case random_case(std::uint64_t seed, int ranks, std::ptrdiff_t points);

} // namespace conformance
