/// An executable plan: steps and the buffers between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "plan/background_plan.h"
#include "plan/draft.h"
#include "plan/pipeline.h"

namespace hybridfft::plan {

template <class Real> class Plan final : public BackgroundPlan {
public:
  /// Plans all steps of a choice. Collective. Returns nullptr, on all ranks, when the choice's
  /// exchange does not apply; throws Failure on all ranks alike.
  static std::unique_ptr<Plan> make(const Problem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm,
                                    const Choice &choice, bool forced_exchange);

  Kind kind() const override { return problem_.kind; }
  bool in_place() const override { return problem_.in_place; }
  const std::shared_ptr<exchange::Communicator> &comm() const override { return comm_; }

  const Problem &problem() const { return problem_; }
  std::size_t work_bytes() const override;
  WorkingRanks working_ranks() const override;
  std::string describe() const override;
  void trace_into(Trace &trace) override;

private:
  Plan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm);
  const Sequence &sequence() const override { return pipeline_; }
  Addresses addresses(void *in, void *out) const override;
  std::vector<Memory *> buffers() override;
  int threads() const override { return problem_.threads; }
  void add_steps(const std::vector<Draft> &drafts, const Choice &choice);

  Problem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  Pipeline pipeline_;
  std::vector<Memory> work_;
  const exchange::Exchange *window_ = nullptr; ///< one of those that share the plan's window
};

extern template class Plan<float>;
extern template class Plan<double>;

} // namespace hybridfft::plan
