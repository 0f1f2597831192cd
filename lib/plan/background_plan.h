/// Plans whose executions may go on in the background: those between slabs, and between layouts.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "plan/background.h"
#include "plan/executable.h"
#include "plan/sequence.h"
#include "plan/stage.h"

namespace hybridfft::plan {

class BackgroundPlan : public Executable, private Background {
public:
  void execute(void *in, void *out) final;

  void start(void *in, void *out) final;
  bool test() final;
  void wait() final;
  bool under_way() const final { return execution_.number != 0; }

  std::size_t work_size() final;
  void share(std::shared_ptr<WorkSpace> work) final;

  /// Whether it does all that its choice says: where a part of that applies to no step, the plan is
  /// that of another choice.
  virtual bool as_chosen() const { return true; }
  const std::vector<Stage> &stages() const { return stages_; }
  Recorder &recorder() final;

protected:
  /// What executions go through.
  virtual const Sequence &sequence() const = 0;
  virtual Addresses addresses(void *in, void *out) const = 0;
  /// The buffers between the steps.
  virtual std::vector<Memory *> buffers() = 0;
  virtual int threads() const = 0;

  std::vector<Stage> stages_; ///< of the steps

private:
  void require_under_way(bool expected) const;
  void advance(bool goes_on, bool waits) noexcept;
  void progress() noexcept override;
  bool complete() const noexcept override { return execution_.done; }
  void tell_failure();
  void end();

  struct Execution {
    int number = 0; ///< 0: none is under way
    Addresses addresses{};
    Progress progress;
    bool done = false;
    std::exception_ptr failure; ///< to be told by test() or wait()
  };

  Execution execution_;                   ///< that has been started
  std::shared_ptr<WorkSpace> work_space_; ///< that the buffers are taken from, if any
  std::unique_ptr<Recorder> recorder_;
};

} // namespace hybridfft::plan
