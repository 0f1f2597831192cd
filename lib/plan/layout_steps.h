/// From a path to the steps of a rank: FFTs along lines and columns, copies, messages.
#pragma once

#include <optional>
#include <vector>

#include "exchange/block_messages.h"
#include "local/plane_pass.h"
#include "plan/choice.h"
#include "plan/layout_pruning.h"
#include "plan/stage.h"
#include "plan/storage.h"

namespace hybridfft::plan {

/// A step between two buffers of this rank.
struct LayoutStep {
  LayoutStep(StepKind of_kind, Storage source_storage, Storage destination_storage)
      : kind(of_kind), from(std::move(source_storage)), to(std::move(destination_storage)) {}

  StepKind kind; ///< planes: of one axis or of two
  Storage from, to;
  SplitRows source, destination;                     ///< of FFTs, in complex elements of arrays
  local::PlaneTransform lines;                       ///< of FFTs
  std::optional<PrunedAxis> pruned;                  ///< of FFTs that leave modes out
  int sign = -1;                                     ///< of columns
  int axis = -1;                                     ///< that an FFT transforms (the first)
  std::vector<exchange::RankBytes> sent, received;   ///< of an exchange
  std::shared_ptr<exchange::Exchange> transposition; ///< instead of messages of blocks
  bool reads_transposition = false;                  ///< an FFT behind one
  bool reorders = false;                             ///< an FFT whose rows are in another order
  int slowest = -1; ///< axis of the array in memory, of an exchange
  int chunks = 1;   ///< of its messages, along that axis

  /// May source and destination be the same array?
  bool may_be_in_place() const;
  /// Complex lines may be passes of planes: they are contiguous, and one side is tight.
  bool may_be_lines() const;
};

/// The orders in which the axes may lie in memory between the steps: as in the input, and as in the
/// output. A halved axis is the last but for interleaved fields, which deterministic transforms of
/// real data take apart.
std::vector<AxisOrder> working_orders(const Problem &problem);

/// The steps of a rank. FFTs write messages, and read them, wherever these are cut along the axis
/// that they transform; elsewhere copies do. FFTW's kernels take lines of reals only where these
/// have the room of their spectra. No communication.
std::vector<LayoutStep> make_steps(const Problem &problem, std::size_t real_bytes,
                                   const OrderedPath &path, int rank,
                                   local::Kernel planes = local::Kernel::simd);

/// What they are called, and what they have to do.
std::vector<Stage> stages_of(const std::vector<LayoutStep> &steps, std::size_t real_bytes);

} // namespace hybridfft::plan
