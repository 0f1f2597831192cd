/// One step of a plan on one rank: a pass over its data, or an exchange with other ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "exchange/block_messages.h"
#include "exchange/exchange.h"
#include "layout/kept_modes.h"
#include "layout/split_rows.h"
#include "local/plane_pass.h"
#include "plan/storage.h"
#include "profile/stage.h"

namespace hybridfft::plan {

using local::Kind;

using StepKind = profile::StageKind;

/// The modes of the axis that an FFT transforms, where some are left out.
struct PrunedAxis {
  KeptModes modes;
  bool spectrum_in = false; ///< they are read, not written
  std::ptrdiff_t vec = 0;   ///< first elements of each column that are kept, too; 0: all
};

/// A step before it knows its buffers. FFTs and transpositions work on matrices, copies and
/// exchanges of blocks on boxes.
struct Step {
  Step() = default;
  /// Reads and writes the numbers of the boxes.
  Step(StepKind of_kind, Storage source_storage, Storage destination_storage);

  StepKind kind = StepKind::copy;
  Storage from, to;              ///< storage on either side; of transpositions the size alone
  SplitRows source, destination; ///< matrices that an FFT or a copy works on, in complex elements
  std::ptrdiff_t reads = 0, writes = 0; ///< real numbers, without padding
  local::PlaneTransform transform;      ///< what an FFT computes; along columns of their one axis
  bool twiddles = false;          ///< twiddles follow an FFT, as after the first one of four steps,
  std::ptrdiff_t line_points = 0; ///< those of a line of so many points
  bool makes_result = false;      ///< the last FFT: after it the numbers are only moved
  std::vector<SplitRows> cleared = {};          ///< places in the destination to be zero
  std::shared_ptr<exchange::Exchange> exchange; ///< a transposition; nullptr: messages of blocks
  int window = 0; ///< number of the window that the exchange works in, if any: 0, 1

  /// Real numbers from one of the matrices' elements to the next: along real lines they are single
  /// ones.
  int reals_of_element() const { return transform.kind == Kind::r2r && from.real ? 1 : 2; }

  int axis = -1;                                   ///< the (first) axis that an FFT transforms
  std::optional<PrunedAxis> pruned;                ///< what an FFT leaves out, if it does
  std::vector<exchange::RankBytes> sent, received; ///< blocks of an exchange
  int slowest = -1;      ///< axis of the array in memory, of an exchange of blocks
  int chunks = 1;        ///< number of chunks of its messages, along that axis
  bool reorders = false; ///< an FFT whose rows are in another order, an exchange that reads or
                         ///< leaves an order that is not its own
  AxisOrder cells = {};  ///< order of the axes for an FFT of several matrices, see cells.h
  int line_axis = -1;    ///< for planes in cells the axis that is transformed before `axis`,
  int loop_axis = -1;    ///< and the one along which they follow each other

  bool is_exchange() const { return kind == StepKind::exchange; }
  bool is_fft() const { return !is_exchange() && kind != StepKind::copy; }
  /// May source and destination be the same buffer?
  bool may_be_in_place() const;
  /// Whether an exchange works in pieces, overlapped with passes.
  bool in_chunks() const {
    return is_exchange() && (exchange ? exchange->chunked() != nullptr : chunks > 1);
  }
  /// An exchange through memory of its own?
  bool uses_window() const { return exchange != nullptr && exchange->window() != nullptr; }
  /// Complex lines may be passes of planes: they are contiguous, at least in runs.
  bool may_be_lines() const;
};

using Steps = std::vector<Step>;

/// Lets the matrices of an FFT along an axis have all of its bins where arrays have its modes. What
/// is written and not kept is cleared.
void spread_modes(Step &step, const PrunedAxis &pruned);

/// A copy of a box to the same places in another buffer.
Step copy_of(const Storage &s);

/// Bytes of an element of a storage, and of a buffer that holds it.
std::size_t element_bytes(const Storage &s, std::size_t real_bytes);
std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes);

/// Stages for the steps of one plan. In a pruned one planes of two axes are lines and columns, of
/// which the columns alone are fewer.
std::vector<profile::Stage> stages_of(const Steps &steps, std::size_t real_bytes,
                                      bool pruned = false);

} // namespace hybridfft::plan
