#include "plan/buffers.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/memory.h"

namespace hybridfft::plan {

namespace {

bool is_exchange(const Steps &steps, std::size_t k) {
  return k < steps.size() && steps[k].is_exchange();
}

Slot window_of(const Step &s) { return s.window == 0 ? Slot::window : Slot::window2; }

/// Finds the assignment by dynamic programming over the steps. Later steps depend only on the last
/// three slots, so the search keeps the best route for each combination of three slots.
class Assignment {
public:
  Assignment(const Steps &steps, std::size_t real_bytes, const BufferLimits &limits)
      : steps_(steps), real_bytes_(real_bytes), limits_(limits) {}

  Route run() const {
    std::optional<Candidate> best;
    for (std::size_t n = 0; n <= limits_.work_buffers; ++n) {
      std::optional<Candidate> with_n = best_with(n);
      if (with_n && (!best || with_n->savings > best->savings)) best = std::move(with_n);
      if (best && !limits_.spend) break;
    }
    if (!best)
      throw Failure(HFFT_ERROR_INTERNAL, "no assignment of buffers fits the steps of a plan");
    return best->route;
  }

private:
  struct Candidate {
    Route route;
    int savings = 0; ///< number of overlaps of passes with exchanges, and of elided copies
  };
  using Recent = std::array<Slot, 3>;

  std::optional<Candidate> best_with(std::size_t work_buffers) const {
    std::vector<Slot> slots{Slot::out};
    for (std::size_t i = 0; i < work_buffers; ++i)
      slots.push_back(work_slot(i));
    slots.insert(slots.end(), {Slot::window, Slot::window2});
    const Route start{limits_.in_place ? Slot::out : Slot::in, {}, work_buffers};
    std::map<Recent, Candidate> reached{{Recent{}, {start, 0}}};
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      std::map<Recent, Candidate> next;
      for (const auto &[recent, candidate] : reached)
        for (const Slot slot : slots)
          if (fits(candidate.route, k, slot)) extend(candidate, k, slot, next);
      reached = std::move(next);
    }
    std::optional<Candidate> best;
    for (auto &[recent, candidate] : reached)
      if (!best || candidate.savings > best->savings) best = std::move(candidate);
    return best;
  }

  void extend(Candidate c, std::size_t k, Slot slot, std::map<Recent, Candidate> &reached) const {
    c.route.destinations.push_back(slot);
    c.savings += savings(c.route, k);
    const Recent recent{slot, c.route.source(k), k > 0 ? c.route.source(k - 1) : Slot::in};
    const auto [known, added] = reached.try_emplace(recent, c);
    if (!added && c.savings > known->second.savings) known->second = std::move(c);
  }

  /// Returns the savings gained by the slot of step k.
  int savings(const Route &route, std::size_t k) const {
    int sum = 0;
    if (steps_[k].in_chunks() && may_receive_early(steps_, route, k)) ++sum;
    if (k > 0 && steps_[k - 1].in_chunks() && may_send_late(steps_, route, k - 1)) ++sum;
    if (may_elide_self_copy(steps_, route, k)) ++sum;
    return sum;
  }

  /// True if step k can write this slot.
  bool fits(const Route &route, std::size_t k, Slot slot) const {
    const Slot source = route.source(k);
    const bool last = k + 1 == steps_.size();
    if (last && slot != Slot::out) return false;
    if (!last && slot == Slot::out && room_after(k) > limits_.out_bytes) return false;
    if (slot == source && !steps_[k].may_be_in_place()) return false;
    // Only an exchange through a window, and the step before it, may write to the window.
    if (steps_[k].uses_window())
      return source == window_of(steps_[k]) && slot == window_of(steps_[k]);
    if (steps_[k].is_exchange() && steps_[k].may_be_in_place()) return slot == source;
    if (is_exchange(steps_, k)) return !is_window(source) && !is_window(slot);
    return !is_window(slot) ||
           (!last && steps_[k + 1].uses_window() && slot == window_of(steps_[k + 1]));
  }

  /// Returns the bytes that the destination of step k needs. Step k is not the last one. The next
  /// step may need more than step k writes, because an exchange may use this buffer as scratch.
  std::size_t room_after(std::size_t k) const {
    return std::max(buffer_bytes(steps_[k].to, real_bytes_),
                    buffer_bytes(steps_[k + 1].from, real_bytes_));
  }

  const Steps &steps_;
  std::size_t real_bytes_;
  const BufferLimits &limits_;
};

} // namespace

Slot work_slot(std::size_t number) {
  return static_cast<Slot>(static_cast<std::size_t>(Slot::work) + number);
}

std::optional<std::size_t> work_number(Slot slot) {
  if (slot < Slot::work) return std::nullopt;
  return static_cast<std::size_t>(slot) - static_cast<std::size_t>(Slot::work);
}

std::string name_of(Slot slot) {
  if (const auto number = work_number(slot))
    return *number == 0 ? "work" : "work" + std::to_string(*number + 1);
  constexpr std::array names{"in", "out", "window", "window2"};
  return names[static_cast<std::size_t>(slot)];
}

bool may_receive_early(const Steps &steps, const Route &route, std::size_t step) {
  if (step == 0 || is_exchange(steps, step - 1)) return false;
  const Slot received = route.destinations[step];
  if (received == route.source(step - 1)) return false;
  // The exchange before the preceding pass may still be sending from this buffer.
  const bool second = step >= 2 && is_exchange(steps, step - 2);
  return !second || received != route.source(step - 2);
}

bool may_send_late(const Steps &steps, const Route &route, std::size_t step) {
  if (step + 1 >= steps.size() || is_exchange(steps, step + 1)) return false;
  const Slot written = route.destinations[step + 1];
  const bool in_place = written == route.destinations[step];
  return written != route.source(step) && (!in_place || steps[step + 1].may_be_in_place());
}

bool may_elide_self_copy(const Steps &steps, const Route &route, std::size_t step) {
  if (step == 0 || !is_exchange(steps, step) || steps[step].exchange) return false;
  const Slot sent = route.source(step);
  // The preceding step writes the rank's own block to the receive buffer, so this buffer must be
  // free before that step.
  return work_number(sent) && work_number(route.destinations[step]) &&
         sent != route.source(step - 1) && may_receive_early(steps, route, step);
}

Route assign_buffers(const Steps &steps, std::size_t real_bytes, const BufferLimits &limits) {
  return Assignment(steps, real_bytes, limits).run();
}

std::array<Route, 2> assign_field_buffers(const Steps &steps) {
  std::array<Route, 2> routes;
  std::size_t buffers = 0;
  std::array<std::optional<Slot>, 2> passing; ///< buffers between two passes, used alternately
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::array<Slot, 2> slots{Slot::out, Slot::out};
    if (k + 1 == steps.size()) {
      // The user's output has room for all fields, so even and odd fields may both write it.
    } else if (is_exchange(steps, k) || is_exchange(steps, k + 1)) {
      slots = {work_slot(buffers), work_slot(buffers + 1)};
      buffers += 2;
    } else {
      std::optional<Slot> &shared = passing[k % 2];
      if (!shared) shared = work_slot(buffers++);
      slots = {*shared, *shared};
    }
    routes[0].destinations.push_back(slots[0]);
    routes[1].destinations.push_back(slots[1]);
  }
  routes[0].work_buffers = routes[1].work_buffers = buffers;
  return routes;
}

WorkBuffers place_work(const Steps &steps, std::span<const Route> routes, std::size_t real_bytes) {
  std::vector<std::size_t> room(routes.front().work_buffers, 0);
  const auto reserve = [&](Slot slot, const Storage &s) {
    if (const auto number = work_number(slot))
      room[*number] = std::max(room[*number], buffer_bytes(s, real_bytes));
  };
  for (const Route &route : routes)
    for (std::size_t k = 0; k < steps.size(); ++k) {
      reserve(route.source(k), steps[k].from);
      reserve(route.destinations[k], steps[k].to);
    }
  WorkBuffers placed;
  for (const std::size_t bytes : room) {
    placed.offsets.push_back(placed.bytes);
    placed.bytes += whole_lines(bytes);
  }
  return placed;
}

} // namespace hybridfft::plan
