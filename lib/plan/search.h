/// Search among the candidates of a problem by timing. The cost model orders the candidates, and
/// only candidates near its best cost are timed. MEASURE, PATIENT and EXHAUSTIVE use it with
/// different limits.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/agreement.h"
#include "plan/candidates.h"

namespace hybridfft::plan {

/// Interface through which a search times the plans of choices, one plan at a time. All calls are
/// collective, return the same on all ranks and throw on all ranks alike.
class Trial {
public:
  virtual ~Trial() = default;
  /// Makes the plan of a choice; with `estimate` FFTW does not measure for it. Returns false if the
  /// choice has no plan.
  virtual bool prepare(const Choice &choice, bool estimate) = 0;
  /// Executes the plan and returns the seconds of the slowest rank.
  virtual double run() = 0;
  /// Returns the remaining seconds for planning.
  virtual double seconds_left() = 0;
  /// Calls f(), which may allocate. Throws on all ranks if f() throws on any rank.
  template <class F> void agree(const F &f) { agree_on(std::cref(f)); }

protected:
  virtual void agree_on(const std::function<void()> &f) = 0;
};

/// Limits of a search, set by the planner effort.
struct SearchLimits {
  bool wide = false;       ///< also try values of properties that are rarely the fastest
  bool exhaustive = false; ///< true: time all candidates
  /// Choices whose estimated cost exceeds the model's best cost by more than this factor are not
  /// tried.
  double radius = infinity;
  /// Limits of the total time of all executions. With t the time of the best choice, the total time
  /// is limited to `budget_seconds`, and to max_executions * t if this is less. However, at least
  /// min_executions * t and at least `min_seconds` are always allowed.
  double max_executions = infinity;
  double budget_seconds = infinity;
  double min_executions = 0;
  double min_seconds = 0;
  bool counted = false; ///< true: `max_executions` also limits the number of executions
  int repeats = 4;      ///< maximum number of repeats of a short execution
  int rounds = 6;       ///< number of rounds in which all finalists are timed

  /// Returns the limits of a planner effort, on one node or between several.
  static SearchLimits of(unsigned effort, bool several_nodes);
};

/// Starts with the model's choice and varies one property of the best known choice at a time. At
/// the end it times the fastest choices and the model's choice in turn, in several rounds. Another
/// choice replaces the model's choice only if it is clearly faster, so that noise does not decide.
class Search {
public:
  /// \param first candidates.first(); outlives the search
  Search(const Candidates &candidates, const std::vector<Choice> &first, const SearchLimits &limits,
         Trial &trial)
      : candidates_(candidates), first_(first), limits_(limits), trial_(trial) {}

  /// Runs the search. Returns true if at least one choice had a plan and was timed. Collective.
  bool run();

  const Choice &best() const { return contenders_[best_].choice; }
  /// Seconds of best().
  double cost() const { return contenders_[best_].min_seconds; }
  /// True if the time limit ended the search.
  bool cut_short() const { return cut_short_; }
  int executions() const { return executions_; }

private:
  struct TimedChoice {
    Choice choice;
    double min_seconds =
        infinity; ///< minimum time of all executions, because disturbances only add time
  };

  void queue(const std::vector<Choice> &list);
  std::vector<Choice> neighbours() const;
  bool screen(const Choice &choice);
  bool screen_queue();
  void hold_rounds();
  void find_finalists();
  double execute();
  double repeat(double seconds);
  int executions_of_turn(double seconds) const;
  double budget() const;
  bool allows(double executions) const;
  void take_turn(TimedChoice &c);
  bool is_clearly_better(std::size_t contender, std::size_t than) const;

  const Candidates &candidates_;
  const std::vector<Choice> &first_;
  SearchLimits limits_;
  Trial &trial_;
  double model_best_ = infinity; ///< model's estimate of the first contender, in seconds
  std::set<std::string> tried_;
  std::vector<Choice> queue_;
  std::vector<TimedChoice> contenders_; ///< timed choices, the model's choice first
  std::size_t best_ = 0;                ///< index of the best contender
  std::vector<std::size_t> finalists_;  ///< indices of contenders
  int executions_ = 0;
  double spent_ = 0; ///< total seconds of executions
  bool cut_short_ = false;
};

} // namespace hybridfft::plan
