/// A plan between any two layouts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "plan/background_plan.h"
#include "plan/field_pipeline.h"
#include "plan/layout_steps.h"
#include "plan/machine.h"
#include "plan/pipeline.h"

namespace hybridfft::plan {

template <class Real> class LayoutPlan final : public BackgroundPlan {
public:
  /// Collective. Throws Failure on all ranks alike.
  static std::unique_ptr<LayoutPlan> make(const Problem &problem,
                                          const std::shared_ptr<exchange::Communicator> &comm,
                                          const Choice &choice);

  Kind kind() const override { return problem_.kind; }
  bool in_place() const override { return problem_.in_place; }
  const std::shared_ptr<exchange::Communicator> &comm() const override { return comm_; }
  std::size_t work_bytes() const override;
  WorkingRanks working_ranks() const override;
  std::string describe() const override;
  void trace_into(Trace &trace) override;
  /// An exchange is done by the choice's algorithm, if it names one, and one goes in chunks, if it
  /// says so.
  bool as_chosen() const override {
    return (choice_.algorithm == nullptr || transpositions_ > 0) &&
           (choice_.messages != Messages::chunks || chunked_ > 0) &&
           (choice_.messages != Messages::shared || shared_);
  }
  /// The number of exchanges that go in chunks.
  int chunked() const { return chunked_; }

private:
  LayoutPlan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm,
             const Choice &choice);
  std::unique_ptr<local::Pass> make_pass(const std::vector<LayoutStep> &steps, std::size_t k,
                                         bool in_place) const;
  std::unique_ptr<exchange::ChunkedExchange> make_exchange(const std::vector<LayoutStep> &steps,
                                                           std::size_t k, int tag) const;
  void transpose_in_groups(std::vector<LayoutStep> &steps);
  void cut_messages(std::vector<LayoutStep> &steps);
  std::vector<Place> destinations(const std::vector<LayoutStep> &steps, Place input) const;
  /// The factor that step k brings into the results.
  double scale_of(const std::vector<LayoutStep> &steps, std::size_t k) const;
  void add_steps(std::vector<LayoutStep> drafts);
  void allocate_work(const std::vector<LayoutStep> &drafts, const std::vector<Place> &to);
  void write_own_blocks(std::vector<LayoutStep> &drafts, const std::vector<Place> &to,
                        Place input) const;
  void add_field_steps(const std::vector<LayoutStep> &drafts);
  const Sequence &sequence() const override;
  Addresses addresses(void *in, void *out) const override;
  std::vector<Memory *> buffers() override;
  int threads() const override { return problem_.threads; }
  std::vector<std::string> details() const;

  Problem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  Choice choice_;
  Pipeline pipeline_;                                          ///< all fields at once,
  FieldPipeline by_field_;                                     ///< or one after another
  std::array<std::shared_ptr<exchange::Exchange>, 2> windows_; ///< exchanges that have one
  int transpositions_ = 0;
  int chunked_ = 0;
  bool shared_ = false;                ///< blocks are in memory that all ranks share
  std::ptrdiff_t largest_message_ = 0; ///< of exchanges in chunks, as of ExchangeOptions
  Memory work_;                        ///< up to three buffers,
  std::array<std::size_t, 3> begin_{}; ///< where they begin
};

extern template class LayoutPlan<float>;
extern template class LayoutPlan<double>;

} // namespace hybridfft::plan
