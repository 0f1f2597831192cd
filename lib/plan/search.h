/// The search among the choices of a problem: the model goes first, and only choices that it thinks
/// near the best are timed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "plan/candidates.h"

namespace hybridfft::plan {

/// Plans of choices, one at a time, as a search times them. All calls are collective, return the
/// same on all ranks and throw on all ranks alike.
class Trial {
public:
  virtual ~Trial() = default;
  /// Makes the plan of a choice; `estimate`: FFTW is not to measure for it. False where it has
  /// none.
  virtual bool prepare(const Choice &choice, bool estimate) = 0;
  /// Seconds of one execution on the slowest rank.
  virtual double run() = 0;
  /// Seconds that are left for planning.
  virtual double seconds_left() = 0;
  /// Calls f(), which takes memory. Throws on all ranks where it does on any.
  template <class F> void agree(const F &f) { agree_on(std::cref(f)); }

protected:
  virtual void agree_on(const std::function<void()> &f) = 0;
};

/// How much a search may do.
struct SearchLimits {
  bool wide = false;       ///< values that seldom win, and until nothing improves
  bool exhaustive = false; ///< all choices
  /// Choices that the model thinks more than this many times dearer than the best are not tried.
  double near = infinity;
  /// The time of all executions, in executions of the best choice: of long ones as many as take
  /// `enough` seconds, but `least_worth`. Or, where that is more, in seconds.
  double worth = infinity;
  double enough = infinity;
  double least_worth = 0;
  double seconds = 0;
  bool counted = false; ///< `worth` limits the number of executions as well
  int repeats = 4;      ///< repeats of a short execution, at most
  int rounds = 6;       ///< in which the finalists take turns

  /// The limits of an effort of FFTW's on one node or between several.
  static SearchLimits of(unsigned effort, bool several_nodes);
};

/// Starts from the model's choice and goes on from the best one known, by one property at a time.
/// In the end the fastest ones and the model's choice take turns in several rounds, and the model's
/// choice stays unless another one is clearly better: noise does not decide between equals.
class Search {
public:
  /// \param first candidates.first(); outlives the search
  Search(const Candidates &candidates, const std::vector<Choice> &first, const SearchLimits &limits,
         Trial &trial)
      : candidates_(candidates), first_(first), limits_(limits), trial_(trial) {}

  /// Returns whether any choice has a plan that could be timed. Collective.
  bool run();

  const Choice &best() const { return contenders_[best_].choice; }
  /// Its seconds.
  double cost() const { return contenders_[best_].least; }
  /// Whether the time for planning ended the search.
  bool cut_short() const { return cut_short_; }
  int executions() const { return executions_; }

private:
  struct Contender {
    Choice choice;
    double least = infinity; ///< seconds: what disturbs an execution makes it longer
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
  double worth() const;
  bool allows(double executions) const;
  void take_turn(Contender &c);
  bool is_clearly_better(std::size_t contender, std::size_t than) const;

  const Candidates &candidates_;
  const std::vector<Choice> &first_;
  SearchLimits limits_;
  Trial &trial_;
  double model_best_ = infinity; ///< seconds of the first contender by the model
  std::set<std::string> tried_;
  std::vector<Choice> queue_;
  std::vector<Contender> contenders_;  ///< choices that have been timed, the model's the first
  std::size_t best_ = 0;               ///< number of the best contender
  std::vector<std::size_t> finalists_; ///< numbers of contenders
  int executions_ = 0;
  double spent_ = 0; ///< seconds of executions
  bool cut_short_ = false;
};

} // namespace hybridfft::plan
