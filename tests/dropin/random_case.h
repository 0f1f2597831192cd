/// Random calls of FFTW-MPI's planner, the same on all ranks and in every run.
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
  /// 0 .. n-1
  std::ptrdiff_t below(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(next() % static_cast<std::uint64_t>(n));
  }
  bool one_in(std::ptrdiff_t n) { return below(n) == 0; }
  /// -0.5 .. 0.5, exact in single precision
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
  /// A distributed Fourier transform with an extent of 1, for which FFTW 3.3.10 has wrong results
  /// or no plan on several ranks. It has default blocks.
  bool flat() const;
  /// FFTW-MPI has plans for such transforms: not for real data that are transposed.
  bool possible() const;
  std::string describe() const;
};

/// The case of a seed on `ranks` ranks, of at most `points` points.
Case random_case(std::uint64_t seed, int ranks, std::ptrdiff_t points);

} // namespace conformance
