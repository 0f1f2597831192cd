/// The transform that is wanted, and the agreement of all ranks on it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/memory.h"
#include "exchange/wire.h"
#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"
#include "layout/kept_modes.h"
#include "local/fft.h"
#include "simd/transpose.h"

namespace hybridfft {
class Agreement;
}

namespace hybridfft::plan {

using local::Kind;

/// Throws Failure(HFFT_ERROR_FLAGS) for unknown or contradicting flags.
void check_flags(unsigned flags);

/// The most threads that a rank may ask for: more than any node has processors. OpenMP ends a
/// process for which the system does not start them.
constexpr int most_threads = 4096;

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless threads is 1 to most_threads.
void check_threads(int threads);

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless results in this precision can have the scale.
void check_scale(double scale, std::size_t real_bytes);

/// FFTW's planner flag among those of hybridfft.h.
unsigned effort_of(unsigned flags);

/// The transform of some axes of an array from any layout to any other. Once checked it is the same
/// on all ranks but for the arrays, the thread count, the time limit and, until the planner has it,
/// the instruction set.
struct Problem {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::size_t real_bytes = sizeof(double); ///< size of a real number of either array
  std::vector<int> axes;              ///< to be transformed; of r2c and c2r the last one is halved
  std::vector<local::LineKind> kinds; ///< transform of each of `axes`; empty: all are Fourier's
  std::vector<std::ptrdiff_t> modes;  ///< modes along each axis of a pruned spectrum; empty: all
  Layout in, out;
  void *input = nullptr; ///< the arrays of this rank
  void *output = nullptr;
  /// One line of n0 n1 points as an n0 x n1 matrix: axes[0] is transformed first, then twiddles
  /// follow, then axes[1].
  bool four_step = false;
  /// The numbers of a transposition are reals, of twice real_bytes: only moved, they count as
  /// complex ones of half their size.
  bool moves_reals = false;
  bool slab_arrays = false; ///< each array has the room of slab_size(), as calls of FFTW's want it
  bool in_place = false;
  bool may_destroy_input = false;
  bool deterministic = false;
  bool wisdom_only = false;
  bool nonblocking = false; ///< executions are to be started, and waited for later
  exchange::Wire wire = exchange::Wire::full; ///< the format of messages
  unsigned flags = 0;  ///< flags of hybridfft.h, from which check() sets the above
  unsigned effort = 0; ///< FFTW's planner flag
  double scale = 1;    ///< factor of the result
  int threads = 1;
  double time_limit = -1;         ///< seconds for planning; negative: none
  Pages pages = Pages::now;       ///< when buffers and windows get their pages
  simd::Isa isa = simd::active(); ///< whose kernels plans use: the planner takes one of all ranks

  int dimensions() const { return in.dimensions(); }
  std::ptrdiff_t howmany() const { return in.howmany(); }
  /// Exchanges have to be chunked messages of this library's own.
  bool needs_chunked() const { return nonblocking || wire != exchange::Wire::full; }
  /// One axis has as many real numbers as n/2+1 complex ones stand for.
  bool halves() const { return kind == Kind::r2c || kind == Kind::c2r; }
  bool real_in() const { return kind == Kind::r2c || kind == Kind::r2r; }
  bool real_out() const { return kind == Kind::c2r || kind == Kind::r2r; }
  /// -1 for c2c and r2r.
  int halved_axis() const { return halves() ? axes.back() : -1; }
  local::LineKind line_kind(int axis) const;
  bool pruned() const { return !modes.empty(); }
  /// The input is what may be pruned, not the output.
  bool spectrum_in() const { return kind == Kind::c2r || (kind == Kind::c2c && sign > 0); }
  const Layout &grid_side() const { return spectrum_in() ? out : in; }
  const Layout &complex_side() const { return kind == Kind::c2r ? in : out; }

  /// Extents of the grid, those of the real array for r2c and c2r.
  std::vector<std::ptrdiff_t> extents() const { return grid_side().extents(); }
  /// Extents of the grid in complex numbers: the halved axis has n/2+1 of them.
  std::vector<std::ptrdiff_t> complex_extents() const;
  /// Extents of the spectrum's array: complex_extents() unless pruned.
  std::vector<std::ptrdiff_t> spectrum_extents() const;
  /// Extents of both arrays in complex numbers.
  std::vector<std::ptrdiff_t> input_extents() const;
  std::vector<std::ptrdiff_t> output_extents() const;
  KeptModes kept_modes(int axis) const;
  /// Points of the array along an axis before or after its transform.
  std::ptrdiff_t extent(int axis, bool transformed) const;
};

/// The numbers with a separator between them: "8x6x4".
template <class Numbers> std::string joined(const Numbers &numbers, const char *separator = "x") {
  std::string text;
  for (const auto n : numbers)
    text += (text.empty() ? "" : separator) + std::to_string(n);
  return text;
}

/// A digest of all that a layout says, the boxes of all ranks included; not negative.
std::int64_t hash_of(const Layout &layout);

/// Throws Failure(HFFT_ERROR_LAYOUT) unless the layout is for so many ranks.
void require_ranks(const Layout &layout, const char *name, int ranks);

/// Sets what follows from the flags. Throws Failure(HFFT_ERROR_FLAGS).
void apply_flags(Problem &problem);

/// Throws Failure(HFFT_ERROR_NULL_POINTER) unless there are both arrays.
void check_arrays(const Problem &problem);

/// Checks the kind, axes, modes, layouts, sign and flags of a call that names layouts, and sets
/// what follows from the flags. Throws Failure naming the argument, the value found and the value
/// expected.
void check(Problem &problem, int ranks);

/// States what has to be the same on all ranks.
void state(const Problem &problem, Agreement &agreement);

/// The numbers of enum hfft_r2r_kind.
std::vector<int> numbers_of(const std::vector<local::LineKind> &kinds);

/// Sets the kinds of the axes from so many numbers, if there are any.
void set_kinds(Problem &problem, const int *numbers);

/// Throws Failure unless the kinds belong to the axes, and the lengths to the kinds.
void check_kinds(const Problem &problem);

/// "c2c forward 8x6x4, 6x4x3 modes", "r2r 8x6 redft10 rodft00": the transform without its layouts.
std::string title(const Problem &problem);

} // namespace hybridfft::plan
