/// Transform problems as one-line strings, so that a failing case can be replayed by hand.
///
/// Grammar (no blanks):
///   problem   := { letter } extents [ kinds ] [ howmany ] [ blocks ] [ threads ]
///   letter    := "i" in place | "o" out of place (default)
///              | "f" forward (default) | "b" backward
///              | "c" complex (default) | "r" real: r2c when forward, c2r when backward
///              | "d" double (default) | "s" single precision
///              | "[" transposed input | "]" transposed output
///              | "=" deterministic: the same bits on any number of ranks and threads
///   extents   := n "x" n { "x" n }          logical extents, at least two, each positive
///   kinds     := "(" kind { "," kind } ")"  transform of each axis, or one for all: dft, or a kind
///                                           between reals such as redft10 (benchmarks only)
///   howmany   := "*v" count                 interleaved transforms, default 1
///   blocks    := "/" in "," out             block sizes of input and output, 0 is the default
///   threads   := "@" count                  OpenMP threads per rank, default 1
///
/// Example: "sibr[12x7x5*v3/4,0@2" is a single-precision in-place c2r transform of 12 x 7 x 5 with
/// transposed input, three interleaved fields, input blocks of 4, and two threads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hybridfft/hybridfft.hpp"

namespace hybridfft::verifier {

struct Problem {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward; ///< forward for r2c, backward for c2r
  bool in_place = false;
  bool single = false;
  bool transposed_in = false;
  bool transposed_out = false;
  bool deterministic = false;
  std::vector<std::ptrdiff_t> extents; ///< extents of the real array for r2c and c2r
  std::vector<int> kinds; ///< kind of each axis, of enum hfft_r2r_kind; empty: all HFFT_DFT
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block_in = HFFT_DEFAULT_BLOCK;
  std::ptrdiff_t block_out = HFFT_DEFAULT_BLOCK;
  int threads = 1;

  bool operator==(const Problem &) const = default;
};

/// Parses a problem string.
/// \param with_kinds true to accept kinds
/// \throws std::invalid_argument with the text, the position and the expected input there
Problem parse(std::string_view text, std::size_t min_dimensions = 2, bool with_kinds = false);

/// The canonical string without defaults; parse(to_string(p)) == p.
std::string to_string(const Problem &problem);

/// True if the input or the output is an array of reals.
bool has_real_input(const Problem &problem);
bool has_real_output(const Problem &problem);

/// Returns the axis halved by r2c and c2r: the last one with a Fourier transform; -1 for c2c and
/// r2r.
int halved_axis(const Problem &problem);

/// Extents of the complex array: n/2+1 along the halved axis.
std::vector<std::ptrdiff_t> complex_extents(const Problem &problem);

/// Number of points of the logical array times howmany.
std::ptrdiff_t values(const Problem &problem);

/// False for transposed real data in two dimensions, where padding and distribution would need the
/// same axis. Neither FFTW nor this library supports this.
bool supported(const Problem &problem);

} // namespace hybridfft::verifier
