/// What to transform, and the agreement of all ranks on it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "base/memory.h"
#include "exchange/wire.h"
#include "hybridfft/hybridfft.h"
#include "hybridfft/layout.hpp"
#include "layout/kept_modes.h"
#include "local/fft.h"
#include "simd/transpose.h"

namespace hybridfft::plan {

class Agreement;

using local::Kind;

/// A plan call's arguments, unchecked.
struct Arguments {
  Kind kind = Kind::c2c;
  int sign = -1; ///< of c2c
  int rank = 0;
  const std::ptrdiff_t *n = nullptr;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0;
  std::ptrdiff_t oblock = 0;
  void *in = nullptr;
  void *out = nullptr;
  unsigned flags = 0;
  int threads = 1;
  double time_limit = -1;                ///< seconds for planning; negative: none
  const std::ptrdiff_t *modes = nullptr; ///< that are kept along each axis
  bool needs_modes = false;              ///< otherwise all are
  double scale = 1;                      ///< of the result
};

/// A checked problem, the same on all ranks but for the thread count, the time limit and, until the
/// planner has it, the instruction set.
struct Problem {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::vector<std::ptrdiff_t> extents; ///< logical (real) extents
  std::vector<std::ptrdiff_t> modes;   ///< logical extents of a pruned spectrum; empty: all modes
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0;
  std::ptrdiff_t oblock = 0;
  bool transposed_in = false;
  bool transposed_out = false;
  bool in_place = false;
  bool may_destroy_input = false;
  bool deterministic = false;
  bool wisdom_only = false;
  bool nonblocking = false; ///< executions are to be started, and waited for later
  exchange::Wire wire = exchange::Wire::full; ///< the format of messages
  unsigned effort = 0;                        ///< FFTW's planner flag
  double scale = 1;                           ///< of the result
  int threads = 1;
  double time_limit = -1;         ///< seconds for planning; negative: none
  Pages pages = Pages::now;       ///< of buffers and windows
  simd::Isa isa = simd::active(); ///< of the kernels: the planner makes it that of all ranks

  /// Extents of the complex array: the last is n/2+1 for r2c and c2r.
  std::vector<std::ptrdiff_t> complex_extents() const;

  bool pruned() const { return !modes.empty(); }
  /// The input is what may be pruned, not the output.
  bool spectrum_in() const { return kind == Kind::c2r || (kind == Kind::c2c && sign > 0); }
  KeptModes kept_modes(std::size_t axis) const;
  /// Extents of the spectrum's array: complex_extents() unless pruned.
  std::vector<std::ptrdiff_t> spectrum_extents() const;
  std::vector<std::ptrdiff_t> input_extents() const;
  std::vector<std::ptrdiff_t> output_extents() const;
};

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected. `ranks` is the size of the communicator, `real_bytes` that of a real number.
Problem check(const Arguments &arguments, int ranks, std::size_t real_bytes);

/// States what has to be the same on all ranks.
void state(const Problem &problem, std::size_t real_bytes, Agreement &agreement);

/// Checks extents (n0.. given as complex extents), howmany and blocks for local_size queries.
/// Throws Failure.
void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes);

} // namespace hybridfft::plan
