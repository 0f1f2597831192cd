#include "plan/buffers.h"

#include <algorithm>

#include "base/error.h"

namespace hybridfft::plan {

namespace {

constexpr std::array<Place, 4> places{Place::out, Place::work0, Place::work1, Place::window};

bool is_exchange(const std::vector<Draft> &steps, std::size_t k) {
  return k < steps.size() && steps[k].kind == StepKind::exchange;
}

/// Exhaustive over the few steps of a plan.
class Search {
public:
  Search(const std::vector<Draft> &steps, bool in_place, bool out_between)
      : steps_(steps), out_between_(out_between) {
    route_.input = in_place ? Place::out : Place::in;
  }

  Route run() {
    extend();
    if (best_.destinations.empty())
      throw Failure(HFFT_ERROR_INTERNAL, "no assignment of buffers fits the steps of a plan");
    return best_;
  }

private:
  void extend() {
    const std::size_t k = route_.destinations.size();
    if (k == steps_.size()) {
      consider();
      return;
    }
    for (const Place p : places) {
      if (!fits(k, p)) continue;
      route_.destinations.push_back(p);
      extend();
      route_.destinations.pop_back();
    }
  }

  /// May step k write to p?
  bool fits(std::size_t k, Place p) const {
    const Place source = route_.source(k);
    if (p == Place::out && !out_between_ && k + 1 < steps_.size()) return false;
    if (p == source && !steps_[k].may_be_in_place()) return false;
    // Windows are what exchanges through them work on, and nothing else.
    if (steps_[k].uses_window()) return source == Place::window && p == Place::window;
    if (is_exchange(steps_, k)) return source != Place::window && p != Place::window;
    return p != Place::window || (k + 1 < steps_.size() && steps_[k + 1].uses_window());
  }

  void consider() {
    if (route_.destinations.back() != Place::out) return;
    route_.work_buffers = 0;
    for (const Place p : route_.destinations)
      route_.work_buffers = std::max(route_.work_buffers, p == Place::work1   ? 2
                                                          : p == Place::work0 ? 1
                                                                              : 0);
    const int overlaps = count_overlaps();
    const bool fewer = route_.work_buffers < best_.work_buffers;
    const bool better = route_.work_buffers == best_.work_buffers && overlaps > best_overlaps_;
    if (!best_.destinations.empty() && !fewer && !better) return;
    best_ = route_;
    best_overlaps_ = overlaps;
  }

  int count_overlaps() const {
    int overlaps = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (steps_[k].exchange == nullptr || steps_[k].exchange->chunked() == nullptr) continue;
      overlaps += may_receive_early(steps_, route_, k) ? 1 : 0;
      overlaps += may_send_late(steps_, route_, k) ? 1 : 0;
    }
    return overlaps;
  }

  const std::vector<Draft> &steps_;
  bool out_between_;
  Route route_;
  Route best_;
  int best_overlaps_ = 0;
};

} // namespace

std::byte *at(const Addresses &a, Place p) {
  const auto window = [](const exchange::Exchange *e) { return e ? e->window() : nullptr; };
  switch (p) {
  case Place::in:
    return a.in;
  case Place::out:
    return a.out;
  case Place::work0:
    return a.work[0];
  case Place::work1:
    return a.work[1];
  case Place::work2:
    return a.work[2];
  case Place::window:
    return window(a.windows[0]);
  case Place::window2:
    return window(a.windows[1]);
  }
  return nullptr;
}

bool may_receive_early(const std::vector<Draft> &steps, const Route &route, std::size_t step) {
  if (step == 0 || is_exchange(steps, step - 1)) return false;
  const Place received = route.destinations[step];
  if (received == route.source(step - 1)) return false;
  // The exchange before that pass may still send.
  const bool second = step >= 2 && is_exchange(steps, step - 2);
  return !second || received != route.source(step - 2);
}

bool may_send_late(const std::vector<Draft> &steps, const Route &route, std::size_t step) {
  if (step + 1 >= steps.size() || is_exchange(steps, step + 1)) return false;
  const Place written = route.destinations[step + 1];
  const bool in_place = written == route.destinations[step];
  return written != route.source(step) && (!in_place || steps[step + 1].may_be_in_place());
}

Route assign_buffers(const std::vector<Draft> &steps, bool in_place, bool out_between) {
  return Search(steps, in_place, out_between).run();
}

} // namespace hybridfft::plan
