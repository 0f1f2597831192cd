#include "plan/layout_places.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hybridfft::plan {

namespace {

bool is_exchange(const std::vector<LayoutStep> &steps, std::size_t k) {
  return steps[k].kind == StepKind::exchange;
}

} // namespace

bool has_window(const LayoutStep &s) {
  return s.transposition && s.transposition->window() != nullptr;
}

std::vector<Place> few_places(const std::vector<LayoutStep> &steps, Place input) {
  std::vector<Place> places;
  Place at = input;
  Place window = Place::window;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (has_window(steps[k]))
      at = std::exchange(window, window == Place::window ? Place::window2 : Place::window);
    else if (k + 1 < steps.size() && has_window(steps[k + 1]))
      at = window;
    else if (k + 1 == steps.size())
      at = Place::out;
    else if (at == Place::in || !steps[k].may_be_in_place())
      at = at == Place::work0 ? Place::work1 : Place::work0;
    places.push_back(at);
  }
  return places;
}

std::vector<Place> many_places(const std::vector<LayoutStep> &steps, Place input,
                               const std::vector<std::size_t> &bytes, std::size_t out_bytes) {
  if (steps.empty() || std::any_of(steps.begin(), steps.end(), has_window)) return {};
  std::vector<Place> places;
  const auto source = [&](std::size_t k) { return k == 0 ? input : places[k - 1]; };
  const std::size_t last = steps.size() - 1;
  for (std::size_t k = 0; k < last; ++k) {
    std::vector<Place> taken{source(k)};
    if (k > 0 && is_exchange(steps, k) != is_exchange(steps, k - 1)) taken.push_back(source(k - 1));
    if (k > 1 && is_exchange(steps, k) && is_exchange(steps, k - 2)) taken.push_back(source(k - 2));
    // The last step writes `out`, beside an exchange that sends from where the step before it
    // wrote.
    if (bytes[k] > out_bytes || k + 1 == last || (k + 2 == last && is_exchange(steps, k + 1)))
      taken.push_back(Place::out);
    const auto is_free = [&](Place p) {
      return std::find(taken.begin(), taken.end(), p) == taken.end();
    };
    constexpr std::array all{Place::out, Place::work0, Place::work1, Place::work2};
    const auto found = std::find_if(all.begin(), all.end(), is_free);
    if (found == all.end()) return {};
    places.push_back(*found);
  }
  places.push_back(Place::out);
  return places;
}

} // namespace hybridfft::plan
