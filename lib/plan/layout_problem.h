/// A transform from any layout to any other: what is asked for, and the agreement of all ranks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/kept_modes.h"
#include "local/fft.h"
#include "simd/transpose.h"

namespace hybridfft::plan {

class Agreement;

using local::Kind;

/// The arguments of a plan call, checked by check().
struct LayoutProblem {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::vector<int> axes;             ///< to be transformed; of r2c and c2r the last one is halved
  std::vector<std::ptrdiff_t> modes; ///< that a pruned spectrum has along each axis; empty: all
  Layout in, out;
  bool in_place = false;
  bool deterministic = false;
  bool wisdom_only = false;
  bool nonblocking = false; ///< executions are to be started, and waited for later
  unsigned flags = 0;       ///< of hybridfft.h
  unsigned effort = 0;      ///< FFTW's planner flag
  double scale = 1;         ///< of the result
  int threads = 1;
  double time_limit = -1;         ///< seconds for planning; negative: none
  simd::Isa isa = simd::active(); ///< of the kernels: the planner makes it that of all ranks

  int dimensions() const { return in.dimensions(); }
  std::ptrdiff_t howmany() const { return in.howmany(); }
  /// -1 for c2c.
  int halved_axis() const { return kind == Kind::c2c ? -1 : axes.back(); }
  bool pruned() const { return !modes.empty(); }
  /// The input is what may be pruned, not the output.
  bool spectrum_in() const { return kind == Kind::c2r || (kind == Kind::c2c && sign > 0); }
  const Layout &grid_side() const { return spectrum_in() ? out : in; }
  /// Of the grid, that of the real array for r2c and c2r.
  std::vector<std::ptrdiff_t> extents() const { return grid_side().extents(); }
  KeptModes kept_modes(int axis) const;
  /// Points of the array along an axis before or after its transform.
  std::ptrdiff_t extent(int axis, bool transformed) const;
  const Layout &complex_side() const { return kind == Kind::c2r ? in : out; }
};

/// Of all that a layout says, the boxes of all ranks included; not negative.
std::int64_t hash_of(const Layout &layout);

/// Throws Failure(HFFT_ERROR_LAYOUT) unless the layout is for so many ranks.
void require_ranks(const Layout &layout, const char *name, int ranks);

/// Checks the arguments and sets what follows from `flags`. Throws Failure naming the argument, the
/// value found and the value expected.
void check(LayoutProblem &problem, int ranks, std::size_t real_bytes);

/// States what has to be the same on all ranks.
void state(const LayoutProblem &problem, std::size_t real_bytes, Agreement &agreement);

} // namespace hybridfft::plan
