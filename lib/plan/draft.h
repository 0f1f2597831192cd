/// From a Problem and a Choice to the ordered steps of a plan, before buffers and FFTW plans.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exchange/exchange.h"
#include "local/column_pass.h"
#include "local/plane_pass.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// One candidate among the ways to compute a Problem.
struct Choice {
  bool whole = false;        ///< one rank: FFTW's own threaded plan
  bool planes_last = false;  ///< transform the contiguous dimensions after the exchange
  bool split_planes = false; ///< planes as lines and columns, for few planes and many threads
  const exchange::Algorithm *algorithm = nullptr; ///< unused on one rank
  local::Kernel plane_kernel = local::Kernel::simd;
  local::Kernel column_kernel = local::Kernel::simd;
  simd::Store store = simd::Store::streamed;              ///< of simd kernels
  local::TileOrder order = local::TileOrder::interleaved; ///< of FFTW's columns
  std::ptrdiff_t tile_bytes = 0;                          ///< of FFTW's tiles
  int threads = 0;                                        ///< at most; 0: all that are given

  bool operator==(const Choice &) const = default;
};

enum class StepKind { whole, planes, columns, copy, exchange };

/// A step whose source and destination layouts are known.
struct Draft {
  StepKind kind = StepKind::copy;
  SplitRows source;
  SplitRows destination;
  local::PlaneTransform planes;                 ///< of planes and whole
  int sign = -1;                                ///< of columns
  std::shared_ptr<exchange::Exchange> exchange; ///< of exchange
  std::vector<SplitRows> cleared = {};          ///< places in the destination to be zero

  /// May source and destination be the same array?
  bool may_be_in_place() const;
  /// An exchange through memory of its own?
  bool uses_window() const;
};

/// The step that makes the result's numbers, after which they are only moved: which one of `steps`,
/// or their number where none transforms.
template <class S> std::size_t last_transform(const std::vector<S> &steps) {
  for (std::size_t k = steps.size(); k-- > 0;)
    if (steps[k].kind != StepKind::copy && steps[k].kind != StepKind::exchange) return k;
  return steps.size();
}

/// Which forms a Problem admits: r2c starts with planes, c2r ends with them, whole needs one rank
/// and normal order. Pruned ones have planes where the grid is; planes of two axes are pruned in
/// one step by our own kernels for real data, else in two.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Hands the steps of a plan to `use`, which may fail on some ranks. Collective (exchanges are
/// planned). Returns false, without steps, when the choice's exchange does not apply; throws
/// Failure on all ranks alike.
bool draft(const Problem &p, std::size_t real_bytes,
           const std::shared_ptr<exchange::Communicator> &comm, const Choice &choice,
           bool forced_exchange, const std::function<void(const std::vector<Draft> &)> &use);

} // namespace hybridfft::plan
