/// An executable plan: steps and the buffers between them.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "plan/background.h"
#include "plan/buffers.h"
#include "plan/draft.h"
#include "plan/executable.h"
#include "plan/pipeline.h"
#include "plan/recorder.h"

namespace hybridfft::plan {

template <class Real> class Plan final : public Executable, private Background {
public:
  /// Plans all steps of a choice. Collective. Returns nullptr, on all ranks, when the choice's
  /// exchange does not apply; throws Failure on all ranks alike.
  static std::unique_ptr<Plan> make(const Problem &problem,
                                    const std::shared_ptr<exchange::Communicator> &comm,
                                    const Choice &choice, bool forced_exchange);

  Kind kind() const override { return problem_.kind; }
  bool in_place() const override { return problem_.in_place; }
  const std::shared_ptr<exchange::Communicator> &comm() const override { return comm_; }
  void execute(void *in, void *out) override;

  void start(void *in, void *out) override;
  bool test() override;
  void wait() override;
  bool under_way() const override { return execution_.number != 0; }

  const Problem &problem() const { return problem_; }
  const std::vector<Stage> &stages() const { return stages_; }
  std::size_t work_bytes() const override;
  WorkingRanks working_ranks() const override;
  std::string describe() const override;
  Recorder &recorder() override;
  void trace_into(Trace &trace) override;

private:
  Plan(const Problem &problem, std::shared_ptr<exchange::Communicator> comm);
  Addresses addresses(void *in, void *out) const;
  void require_under_way(bool expected) const;
  void advance(bool goes_on, bool waits) noexcept;
  void progress() noexcept override;
  void tell_failure();
  void end();
  void add_steps(const std::vector<Draft> &drafts, const Choice &choice);

  struct Execution {
    int number = 0; ///< 0: none is under way
    Addresses addresses{};
    Progress progress;
    bool done = false;
    std::exception_ptr failure; ///< to be told by test() or wait()
  };

  Problem problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  Pipeline pipeline_;
  std::vector<Stage> stages_; ///< of the steps
  Execution execution_;       ///< that has been started
  std::unique_ptr<Recorder> recorder_;
  std::vector<Memory> work_;
  std::byte *window_ = nullptr; ///< of the exchanges
  std::size_t window_bytes_ = 0;
};

extern template class Plan<float>;
extern template class Plan<double>;

} // namespace hybridfft::plan
