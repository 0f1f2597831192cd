/// Random calls of FFTW-MPI's planner, equal on all ranks and in every run.
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
  /// A number from 0 to n-1.
  std::ptrdiff_t below(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(next() % static_cast<std::uint64_t>(n));
  }
  bool one_in(std::ptrdiff_t n) { return below(n) == 0; }
  /// A number from -0.5 to 0.5, exact in single precision.
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
  std::vector<std::ptrdiff_t> n; ///< logical (real) extents
  std::vector<int> kinds;        ///< of r2r: fftw_r2r_kind of each axis
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0, oblock = 0;
  unsigned flags = 0;
  bool in_place = false;
  bool new_arrays = false; ///< executed on other arrays than planned
  bool fortran = false;    ///< through the entry points of Fortran

  bool transposed_in() const;
  bool transposed_out() const;
  /// Extents of the array of elements: the last is n/2+1 for r2c and c2r.
  std::vector<std::ptrdiff_t> element_extents() const;
  /// A distributed Fourier transform with an extent of 1. FFTW 3.3.10 has wrong results or no plan
  /// for it on several ranks. It has default blocks.
  bool flat() const;
  /// True if FFTW-MPI has plans for this transform: it has none for transposed real data.
  bool possible() const;
  std::string describe() const;
};

/// The case of a seed on `ranks` ranks, with at most `points` points.
Case random_case(std::uint64_t seed, int ranks, std::ptrdiff_t points);

} // namespace conformance
