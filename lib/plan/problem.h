/// The problem of a plan: transform, layouts, arrays and flags. All ranks check it and agree on it
/// before planning.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "exchange/exchange.h"
#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"
#include "local/fft.h"
#include "simd/transpose.h"

namespace hybridfft {
class Agreement;
class CheckedSize;
} // namespace hybridfft

namespace hybridfft::plan {

using local::Kind;

/// Returns a text, or a number as a text.
inline std::string as_text(std::string_view text) { return std::string(text); }
template <std::integral N> std::string as_text(N number) { return std::to_string(number); }

/// Throws Failure(code) unless `ok`. The reason consists of texts and numbers.
template <class... Parts> void require(bool ok, hfft_error code, const Parts &...reason) {
  if (!ok) throw Failure(code, (as_text(reason) + ...));
}

/// Throws Failure(HFFT_ERROR_FLAGS) for unknown or contradicting flags.
void check_flags(unsigned flags);

/// Largest accepted number of threads per rank, above the processor count of any node. OpenMP would
/// end the process if the system could not start them.
constexpr int max_threads = 4096;

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless `threads` is 1 to max_threads.
void check_threads(int threads);

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless the precision can represent the scale.
void check_scale(double scale, std::size_t real_bytes);

/// Returns the planner flag of FFTW for flags of hybridfft.h.
unsigned effort_of(unsigned flags);

/// Transform of some axes of an array from any layout to any other. After check() all ranks have
/// the same problem, except for the arrays, the thread count, the time limit and the instruction
/// set. The planner later sets one instruction set for all ranks.
struct Problem {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::size_t real_bytes = sizeof(double); ///< bytes of a real number of either array
  std::vector<int> axes;                   ///< transformed axes; r2c and c2r halve the last one
  std::vector<local::LineKind> kinds;      ///< transform of each of `axes`; empty: all Fourier
  std::vector<std::ptrdiff_t>
      modes; ///< number of retained modes along each axis of a pruned spectrum; empty: all
  Layout in, out;
  void *input = nullptr; ///< arrays of this rank
  void *output = nullptr;
  /// True for a four-step transform of a line of n0 n1 points, stored as an n0 x n1 matrix. It
  /// transforms along axes[0], multiplies by twiddles and transforms along axes[1].
  bool four_step = false;
  /// True for a redistribution of real arrays. It moves each real of 2 * real_bytes bytes as if it
  /// were one complex number.
  bool moves_reals = false;
  bool slab_arrays = false; ///< each array has slab_size() elements, which include padding and room
                            ///< for intermediate data, as in FFTW's interface
  bool in_place = false;
  bool may_destroy_input = false;
  bool deterministic = false;
  bool wisdom_only = false;
  bool result_in_cache = false; ///< the program reads the result right after the execution, so
                                ///< stores leave it in cache
  bool exact_output = false; ///< true if the output has exactly the elements of its layout, and no
                             ///< room for intermediate data
  bool nonblocking = false;  ///< the plan supports start() and wait()
  exchange::WireFormat wire = exchange::WireFormat::full; ///< format of messages
  unsigned flags = 0;  ///< flags of hybridfft.h, see apply_flags()
  unsigned effort = 0; ///< FFTW's planner flag
  double scale = 1;    ///< factor of all results
  int threads = 1;
  double time_limit = -1;         ///< seconds for planning; negative: no limit
  Pages pages = Pages::now;       ///< time of the first touch of buffers and windows
  simd::Isa isa = simd::active(); ///< instruction set of the kernels; the planner sets a common one

  int dimensions() const { return in.dimensions(); }
  std::ptrdiff_t howmany() const { return in.howmany(); }
  /// True if exchanges must use this library's own messages in chunks.
  bool needs_chunked() const { return nonblocking || wire != exchange::WireFormat::full; }
  /// True for r2c and c2r: one axis has n real numbers in one array and n/2+1 complex numbers in
  /// the other.
  bool halves() const { return kind == Kind::r2c || kind == Kind::c2r; }
  bool real_in() const { return kind == Kind::r2c || kind == Kind::r2r; }
  bool real_out() const { return kind == Kind::c2r || kind == Kind::r2r; }
  /// The halved axis; -1 for c2c and r2r.
  int halved_axis() const { return halves() ? axes.back() : -1; }
  local::LineKind line_kind(int axis) const;
  bool pruned() const { return !modes.empty(); }
  /// True if the input is the spectrum. Pruning removes modes on this side.
  bool spectrum_in() const { return kind == Kind::c2r || (kind == Kind::c2c && sign > 0); }
  const Layout &grid_side() const { return spectrum_in() ? out : in; }
  const Layout &spectrum_side() const { return spectrum_in() ? in : out; }
  const Layout &complex_side() const { return kind == Kind::c2r ? in : out; }

  /// Extents of the grid, in real numbers for r2c and c2r.
  std::vector<std::ptrdiff_t> extents() const { return grid_side().extents(); }
  /// Extents of the grid in complex numbers: n/2+1 along the halved axis.
  std::vector<std::ptrdiff_t> complex_extents() const;
  RetainedModes retained_modes(int axis) const;
  /// Points of the array along an axis, before or after the transform of this axis.
  std::ptrdiff_t extent(int axis, bool transformed) const;
};

/// Joins numbers by a separator: "8x6x4".
template <class Numbers> std::string joined(const Numbers &numbers, const char *separator = "x") {
  std::string text;
  for (const auto n : numbers)
    text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

/// Returns a hash of a layout, including the boxes of all ranks; not negative.
std::int64_t hash_of(const Layout &layout);

/// Throws Failure(HFFT_ERROR_LAYOUT) unless the layout has `ranks` ranks.
void require_ranks(const Layout &layout, const char *name, int ranks);

/// Sets the fields derived from the flags. Throws Failure(HFFT_ERROR_FLAGS).
void apply_flags(Problem &problem);

/// Throws Failure(HFFT_ERROR_NULL_POINTER) if an array is null.
void check_arrays(const Problem &problem);

/// Throws Failure(HFFT_ERROR_OVERFLOW) unless 63 bits can count the bytes of an array.
void require_countable(const CheckedSize &bytes);

/// Checks kind, axes, modes, layouts, sign and flags of a call with layouts, and sets the fields
/// derived from the flags. Throws Failure naming the argument, the value found and the value
/// expected.
void check(Problem &problem, int ranks);

/// Adds all properties that must be equal on all ranks to an agreement.
void state(const Problem &problem, Agreement &agreement);

/// Returns the kinds as numbers of enum hfft_r2r_kind.
std::vector<int> numbers_of(const std::vector<local::LineKind> &kinds);

/// Sets the kinds of all axes from an array of numbers of enum hfft_r2r_kind; nullptr: no kinds.
void set_kinds(Problem &problem, const int *numbers);

/// Converts a problem between real arrays without transforms to a redistribution of reals
/// (Problem::moves_reals).
void move_reals(Problem &problem);

/// Throws Failure unless every axis has a valid kind and every length fits its kind.
void check_kinds(const Problem &problem);

/// Returns the transform without its layouts: "c2c forward 8x6x4, 6x4x3 modes", "r2r 8x6 redft10
/// rodft00".
std::string title(const Problem &problem);

} // namespace hybridfft::plan
