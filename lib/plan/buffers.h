/// Which array each step of a plan reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "plan/draft.h"

namespace hybridfft::plan {

/// The user's arrays, work buffers, and the memory that exchanges share with other ranks.
enum class Place { in, out, work0, work1, window, window2, work2 };

/// What lies at all places; nullptr at those that a plan has not. Windows may move with each of
/// their exchanges.
struct Addresses {
  std::byte *in = nullptr;
  std::byte *out = nullptr;
  std::array<std::byte *, 3> work{};
  std::array<const exchange::Exchange *, 2> windows{};
};
std::byte *at(const Addresses &addresses, Place p);

struct Route {
  Place input = Place::in;         ///< `out` in place
  std::vector<Place> destinations; ///< of each step; its source is the destination before it
  int work_buffers = 0;
  Place source(std::size_t step) const { return step == 0 ? input : destinations[step - 1]; }
};

/// May the exchange at `step` receive while the pass before it still works: is the array that it
/// receives into out of use by then?
bool may_receive_early(const std::vector<Draft> &steps, const Route &route, std::size_t step);
/// May the pass after the exchange at `step` work while it still sends and receives: is what that
/// pass writes neither sent from nor received into?
bool may_send_late(const std::vector<Draft> &steps, const Route &route, std::size_t step);

/// The assignment with the fewest work buffers and, among those, the most overlap of passes with
/// exchanges that work in chunks; the last step writes `out` and none `in`. `in_place` means that
/// in and out are one array. Unless `out_between` only the last step writes `out`: it may be
/// smaller than what the others write.
Route assign_buffers(const std::vector<Draft> &steps, bool in_place, bool out_between = true);

} // namespace hybridfft::plan
