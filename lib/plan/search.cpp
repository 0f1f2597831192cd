#include "plan/search.h"

#include <algorithm>
#include <numeric>

#include "base/fftw.h"

namespace hybridfft::plan {

namespace {

/// A choice replaces another one only if its time is less than this fraction of the other's time.
/// Smaller gains are noise.
constexpr double clearly_better = 0.95;
/// The same fraction for replacing streamed stores by cached ones. It is stricter, because repeated
/// timings find their data in the caches; in a program other data displace them.
constexpr double better_cached = 0.9;
/// Finalists are contenders within this ratio of the fastest one.
constexpr double near_fastest = 1.2;
/// Maximum number of finalists, not counting the model's choice.
constexpr std::size_t max_finalists = 2;
/// Number of additional timings of the model's choice before the search replaces it.
constexpr int last_turns = 3;
/// On one rank FFTW's own plan is tried if its estimated cost is at most this multiple of the best
/// cost. The factor exceeds the limits of other choices, because no plan should be slower than
/// FFTW's.
constexpr double fftw_radius = 3;
/// FFTW measures for a choice only if its plan made by estimates takes less than this multiple of
/// the best time so far.
constexpr double promising = 2;
/// Executions below this time are repeated, after one execution to fill the caches.
constexpr double short_seconds = 5e-3;
/// Approximate seconds of all repeats of a short execution.
constexpr double turn_seconds = 1e-3;
/// Fraction of the limits reserved for the rounds of finalists.
constexpr double for_rounds = 0.5;
/// A choice is tried only if the time left allows this number of executions.
constexpr double min_remaining = 4;

} // namespace

SearchLimits SearchLimits::of(unsigned effort, bool several_nodes) {
  SearchLimits limits;
  limits.wide = effort != FFTW_MEASURE;
  limits.exhaustive = effort == FFTW_EXHAUSTIVE;
  if (limits.exhaustive) return limits;
  if (several_nodes) {
    limits.counted = true;
    limits.repeats = 0;
  }
  if (limits.wide) {
    limits.radius = 3;
    limits.max_executions = 100;
    limits.min_seconds = several_nodes ? 0 : 0.1;
  } else {
    // Between nodes choices differ less, because all spend the same time in the network.
    limits.radius = several_nodes ? 1.2 : 1.4;
    limits.max_executions = 20;
    limits.budget_seconds = 4;
    limits.min_executions = 10;
    limits.min_seconds = several_nodes ? 0 : 0.03;
  }
  return limits;
}

bool Search::run() {
  const CostModel &model = candidates_.model();
  for (const Choice &c : first_) {
    if (cut_short_ || !contenders_.empty()) break;
    trial_.agree([&] { tried_.insert(serialize(c)); });
    screen(c);
  }
  if (contenders_.empty()) return false;
  trial_.agree([&] { model_best_ = model.seconds(best()); });
  if (limits_.exhaustive) {
    trial_.agree([this] {
      std::vector<Choice> all;
      candidates_.for_all([&all](const Choice &c) { all.push_back(c); });
      queue(all);
    });
    while (screen_queue()) {
    }
  }
  do
    trial_.agree([this] { queue(neighbours()); });
  while (screen_queue());
  hold_rounds();
  return true;
}

/// Returns the first candidates, which include other exchanges because exchanges matter most, and
/// all choices that differ from the best known choice in one property.
std::vector<Choice> Search::neighbours() const {
  std::vector<Choice> list = first_;
  for (const Property &property : candidates_.properties(limits_.wide))
    for (const auto &set : property) {
      list.push_back(best());
      set(list.back());
    }
  return list;
}

/// Queues the promising choices of a list that have not been tried. The cheapest come first,
/// because time may run out.
void Search::queue(const std::vector<Choice> &list) {
  const CostModel &model = candidates_.model();
  queue_.clear();
  std::set<std::string> known = tried_;
  for (const Choice &given : list) {
    const Choice c = candidates_.canonical(given);
    const double radius =
        c.passes == Passes::whole ? std::max(limits_.radius, fftw_radius) : limits_.radius;
    if (candidates_.admit(c) && model.seconds(c) <= radius * model_best_ &&
        known.insert(serialize(c)).second)
      queue_.push_back(c);
  }
  std::stable_sort(queue_.begin(), queue_.end(), [&model](const Choice &a, const Choice &b) {
    return model.seconds(a) < model.seconds(b);
  });
}

/// Times the queued choices until one is clearly better than the best so far. Returns true if there
/// was one.
bool Search::screen_queue() {
  while (!queue_.empty() && !cut_short_) {
    if (!allows(1 + for_rounds * budget())) return false;
    const Choice c = queue_.front();
    trial_.agree([&] {
      queue_.erase(queue_.begin());
      tried_.insert(serialize(c));
    });
    if (!screen(c)) continue;
    const std::size_t last = contenders_.size() - 1;
    // Time the best choice again, because a disturbance may have slowed its first execution.
    if (is_clearly_better(last, best_)) take_turn(contenders_[best_]);
    if (!is_clearly_better(last, best_)) continue;
    best_ = last;
    return true;
  }
  return false;
}

/// Times a choice for the first time. Returns true if it becomes a contender.
bool Search::screen(const Choice &c) {
  const bool first = contenders_.empty();
  double expected = 0;
  bool estimate = false; // true: FFTW plans by estimates, because measuring takes long
  trial_.agree([&] {
    expected = first ? candidates_.model().seconds(c) : contenders_[best_].min_seconds;
    estimate = !first && candidates_.uses_fftw(c);
  });
  if (trial_.seconds_left() < min_remaining * expected) {
    cut_short_ = true;
    return false;
  }
  if (estimate &&
      (!trial_.prepare(c, true) || repeat(execute()) >= promising * contenders_[best_].min_seconds))
    return false;
  if (!trial_.prepare(c, false)) return false;
  // The very first execution also connects ranks and starts threads, so it is not timed.
  if (first) execute();
  double seconds = execute();
  if (first || seconds < promising * contenders_[best_].min_seconds) seconds = repeat(seconds);
  trial_.agree([&] { contenders_.push_back({c, seconds}); });
  return true;
}

/// Repeats a short execution. Returns the minimum of `seconds` and of the repeats.
double Search::repeat(double seconds) {
  for (int i = executions_of_turn(seconds); i > 1; --i)
    seconds = std::min(seconds, execute());
  return seconds;
}

int Search::executions_of_turn(double seconds) const {
  if (seconds >= short_seconds) return 1;
  const double repeats = std::max(1.0, turn_seconds / seconds);
  return 1 + static_cast<int>(std::min(repeats, static_cast<double>(limits_.repeats)));
}

/// Selects the model's choice and the fastest others, in the order of their first trial.
void Search::find_finalists() {
  std::vector<std::size_t> &list = finalists_;
  list.resize(contenders_.size());
  std::iota(list.begin(), list.end(), std::size_t{0});
  const auto min_seconds = [this](std::size_t i) { return contenders_[i].min_seconds; };
  std::stable_sort(list.begin() + 1, list.end(),
                   [&](std::size_t a, std::size_t b) { return min_seconds(a) < min_seconds(b); });
  const double fastest =
      std::min(min_seconds(0), min_seconds(list[std::min(list.size() - 1, std::size_t{1})]));
  list.erase(std::find_if(list.begin() + 1, list.end(),
                          [&](std::size_t i) { return min_seconds(i) > near_fastest * fastest; }),
             list.end());
  if (list.size() > max_finalists + 1) list.resize(max_finalists + 1);
  std::sort(list.begin(), list.end());
}

/// Times the finalists in turn, and selects the best one.
void Search::hold_rounds() {
  for (int round = 0; round < limits_.rounds; ++round) {
    trial_.agree([this] { find_finalists(); });
    const auto number = static_cast<double>(finalists_.size());
    const double seconds = contenders_[best_].min_seconds;
    // Skip the round if there is no time for all finalists.
    if (number < 2 || !allows((number + last_turns) * executions_of_turn(seconds))) break;
    if (trial_.seconds_left() < number * seconds) {
      cut_short_ = true;
      break;
    }
    // Reverse the order in every other round, so that no choice is always first.
    if (round % 2 != 0) std::reverse(finalists_.begin(), finalists_.end());
    for (const std::size_t i : finalists_)
      take_turn(contenders_[i]);
  }
  for (int i = 0; i <= last_turns; ++i) {
    trial_.agree([this] { find_finalists(); });
    best_ = 0;
    for (const std::size_t j : finalists_)
      if (is_clearly_better(j, best_)) best_ = j;
    if (best_ == 0 || i == last_turns || !allows(executions_of_turn(contenders_[0].min_seconds)))
      break;
    take_turn(contenders_[0]);
  }
}

void Search::take_turn(TimedChoice &c) {
  if (trial_.prepare(c.choice, false)) c.min_seconds = std::min(c.min_seconds, repeat(execute()));
}

bool Search::is_clearly_better(std::size_t contender, std::size_t than) const {
  using simd::Store;
  const Choice &c = contenders_[contender].choice;
  const Choice &incumbent = contenders_[than].choice;
  Choice other = c;
  other.store = incumbent.store;
  const bool gains_by_caches =
      c.store == Store::cached && incumbent.store == Store::streamed && other == incumbent;
  const double gain = gains_by_caches ? better_cached : clearly_better;
  return contenders_[contender].min_seconds < gain * contenders_[than].min_seconds;
}

double Search::execute() {
  const double seconds = trial_.run();
  ++executions_;
  spent_ += seconds;
  return seconds;
}

/// Returns the total time limit of the search, as a number of executions of the best choice.
double Search::budget() const {
  const double of_long_ones = limits_.budget_seconds / contenders_[best_].min_seconds;
  return std::min(std::max(of_long_ones, limits_.min_executions), limits_.max_executions);
}

/// True if the limits allow this number of further executions.
bool Search::allows(double executions) const {
  if (contenders_.empty() || limits_.max_executions == infinity) return true;
  if (limits_.counted && executions_ + executions > budget()) return false;
  const double best = contenders_[best_].min_seconds;
  return spent_ + executions * best <= std::max(budget() * best, limits_.min_seconds);
}

} // namespace hybridfft::plan
