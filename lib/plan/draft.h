/// From a Problem and a Choice to the ordered steps of a plan, before buffers and FFTW plans.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "exchange/exchange.h"
#include "local/plane_pass.h"
#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step_kind.h"

namespace hybridfft::plan {

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

/// Which forms a pair of slabs admits: r2c starts with planes, c2r ends with them, whole needs one
/// rank and normal order. Pruned ones have planes where the grid is; planes of two axes are pruned
/// in one step by our own kernels for real data, else in two.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Hands the steps of a plan to `use`, which may fail on some ranks. Collective (exchanges are
/// planned). Returns false, without steps, when the choice's exchange does not apply; throws
/// Failure on all ranks alike.
bool draft(const Problem &p, std::size_t real_bytes,
           const std::shared_ptr<exchange::Communicator> &comm, const Choice &choice,
           bool forced_exchange, const std::function<void(const std::vector<Draft> &)> &use);

} // namespace hybridfft::plan
