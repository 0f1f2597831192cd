/// A step of a plan on one rank: a pass over its data, or an exchange with other ranks. Path
/// lowering makes the steps, rewrites replace them by cheaper ones, and the buffer assignment
/// chooses their buffers (slots). Before and after a step the data are boxes with strides in a
/// buffer (Storage): this describes user arrays, work buffers and messages, in any order of axes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "exchange/exchange.h"
#include "layout/storage.h"
#include "local/box_copy.h"
#include "local/passes.h"
#include "plan/path.h"
#include "profile/recorder.h"

namespace hybridfft::plan {

using local::Kind;

using StepKind = profile::StageKind;

/// Returns the copies from one storage of a box to another.
std::vector<local::BoxCopy> copies(const Storage &from, const Storage &to);

/// Retained modes of a pruned axis.
struct PrunedAxis {
  RetainedModes modes;
  bool spectrum_in = false; ///< true: the FFT reads the modes; false: it writes them
  std::ptrdiff_t vec = 0;   ///< number of retained elements of each matrix entry; 0: all
};

/// A step before its buffers are chosen. FFTs and transpositions work on matrices; copies and
/// exchanges of blocks work on boxes.
struct Step {
  Step() = default;
  /// Sets `reads` and `writes` to the number of reals in the source and in the destination.
  Step(StepKind of_kind, Storage source_storage, Storage destination_storage);

  StepKind kind = StepKind::copy;
  Storage from, to; ///< storage before and after the step; a transposition uses only its size
  SplitRows source, destination;        ///< matrices of an FFT or a copy, in complex elements
  std::ptrdiff_t reads = 0, writes = 0; ///< memory traffic in real numbers, without padding
  local::PlaneTransform transform;      ///< transform of an FFT; columns have one extent
  /// Points of the complete line, for the first FFT of a four-step transform: it multiplies its
  /// results by twiddles. 0 for other FFTs.
  std::ptrdiff_t twiddled_line = 0;
  bool makes_result = false; ///< true for the last FFT of the path; later steps only move numbers
  std::vector<SplitRows> cleared = {};          ///< parts of the destination to be set to zero
  std::shared_ptr<exchange::Exchange> exchange; ///< transposition; nullptr: messages of blocks
  int window = 0; ///< number of the shared window of the exchange, if any: 0, 1

  /// Real numbers per matrix element of the destination: 1 for lines of reals, stored without gaps,
  /// else 2.
  int reals_of_result() const {
    return to.real && (transform.kind == Kind::r2r || kind == StepKind::columns) ? 1 : 2;
  }

  int axis = -1;                    ///< (first) transformed axis of an FFT
  std::optional<PrunedAxis> pruned; ///< pruning of an FFT, if any
  exchange::Redistribution blocks;  ///< blocks of an exchange, by rank
  int slowest = -1;                 ///< slowest axis in memory of the blocks of an exchange
  int chunks = 1;                   ///< number of chunks of each message, cut along `slowest`
  /// True for an FFT that reorders rows, and for an exchange whose blocks need additional
  /// reordering.
  bool reorders = false;
  AxisOrder cells = {}; ///< memory order of the axes for an FFT over several matrices;
                        ///< empty for other FFTs
  /// The two FFTs of a step that transforms planes in cells: of the lines of each plane, and of its
  /// columns.
  std::vector<Step> parts = {};
  int loop_axis = -1; ///< axis of the loop over planes of such a step

  bool is_exchange() const { return kind == StepKind::exchange; }
  bool is_fft() const { return !is_exchange() && kind != StepKind::copy; }
  /// True for an FFT of real lines, which takes half the work of complex ones.
  bool is_of_reals() const { return from.real || to.real; }
  /// True if source and destination may be the same buffer.
  bool may_be_in_place() const;
  /// True if an exchange works in chunks, overlapped with passes.
  bool in_chunks() const {
    return is_exchange() && (exchange ? exchange->chunked() != nullptr : chunks > 1);
  }
  /// True if an exchange works in its own shared memory.
  bool uses_window() const { return exchange != nullptr && exchange->window() != nullptr; }
  /// True if complex lines are contiguous, at least in pieces of several points (runs), so that a
  /// pass over planes can transform them.
  bool may_be_lines() const;
};

using Steps = std::vector<Step>;

/// Extends the matrices of an FFT from the retained modes to all bins of its axis. The FFT clears
/// destination elements outside the retained modes.
void spread_modes(Step &step, const PrunedAxis &pruned);

/// Returns a step that copies a box from one buffer to the same offsets in another buffer.
Step copy_of(const Storage &s);

/// Returns the stages of a plan's steps, for its report. For pruned problems planes of two axes are
/// listed as lines and columns, because pruning reduces the number of columns only.
std::vector<profile::Stage> stages_of(const Steps &steps, std::size_t real_bytes,
                                      bool pruned = false);

} // namespace hybridfft::plan
