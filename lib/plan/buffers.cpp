#include "plan/buffers.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace hybridfft::plan {

namespace {

constexpr std::array<Place, 3> places{Place::out, Place::work0, Place::work1};

int work_buffers(const std::vector<Place> &destinations) {
  int used = 0;
  for (const Place p : destinations)
    used = std::max(used, p == Place::work1 ? 2 : p == Place::work0 ? 1 : 0);
  return used;
}

/// Exhaustive over the few steps of a plan.
void search(const std::vector<Draft> &steps, bool in_place, std::vector<Place> &chosen,
            Route &best) {
  const std::size_t k = chosen.size();
  if (k == steps.size()) {
    const int used = work_buffers(chosen);
    if (chosen.back() == Place::out && (best.destinations.empty() || used < best.work_buffers))
      best = {chosen, used};
    return;
  }
  const Place in = in_place ? Place::out : Place::in;
  const Place source = k == 0 ? in : chosen.back();
  for (const Place p : places) {
    if (p == source && !steps[k].may_be_in_place()) continue;
    chosen.push_back(p);
    search(steps, in_place, chosen, best);
    chosen.pop_back();
  }
}

} // namespace

Route assign_buffers(const std::vector<Draft> &steps, bool in_place) {
  Route best;
  std::vector<Place> chosen;
  search(steps, in_place, chosen, best);
  if (best.destinations.empty())
    throw Failure(HFFT_ERROR_INTERNAL, "no assignment of buffers fits the steps of a plan");
  return best;
}

} // namespace hybridfft::plan
