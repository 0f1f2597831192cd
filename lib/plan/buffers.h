/// Which buffer each step of a plan reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/step.h"

namespace hybridfft::plan {

/// The user's arrays, the memory that exchanges share with other ranks, and work buffers: `work`
/// is the first of any number of them.
enum class Slot { in, out, window, window2, work };

Slot work_slot(std::size_t number);
/// The number of a work buffer; nothing for other slots.
std::optional<std::size_t> work_number(Slot slot);
/// "in", "work", "work2".
std::string name_of(Slot slot);

/// Where the slots are; nullptr at those that a plan has not. Windows may move with each of their
/// exchanges.
struct Addresses {
  std::byte *in = nullptr;
  std::byte *out = nullptr;
  std::byte *work = nullptr;            ///< all work buffers,
  const std::size_t *offsets = nullptr; ///< and where each of them begins, in bytes
  std::array<const exchange::Exchange *, 2> windows{};
};
std::byte *at(const Addresses &addresses, Slot slot);

/// The slots of a list of steps: each reads where the one before it has written.
struct Route {
  Slot input = Slot::in;          ///< `out` in place
  std::vector<Slot> destinations; ///< slot that each step writes
  std::size_t work_buffers = 0;
  Slot source(std::size_t step) const { return step == 0 ? input : destinations[step - 1]; }
};

/// May the exchange at `step` receive while the pass before it still works: is the buffer that it
/// receives into out of use by then?
bool may_receive_early(const Steps &steps, const Route &route, std::size_t step);
/// May the pass after the exchange at `step` work while it still sends and receives: is what that
/// pass writes neither sent from nor received into?
bool may_send_late(const Steps &steps, const Route &route, std::size_t step);
/// May the step before the exchange of blocks at `step` write what this rank keeps straight into
/// the receive buffer? Both must be work buffers, and neither what that step reads.
bool may_elide_self_copy(const Steps &steps, const Route &route, std::size_t step);

struct BufferLimits {
  bool in_place = false; ///< in and out are one array
  /// Bytes that steps before the last may write to the output, and exchanges use there as scratch.
  std::size_t out_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t work_buffers = 2; ///< at most
  /// More work buffers are taken where more passes then overlap with exchanges, or less is copied;
  /// otherwise the fewest are.
  bool spend = false;
};

/// The assignment with the fewest work buffers and, among those, the most overlap of passes with
/// exchanges that work in chunks and the fewest copies of what a rank keeps; or the other way
/// round, see BufferLimits. The last step writes `out` and none `in`. Throws Failure where there is
/// none.
Route assign_buffers(const Steps &steps, std::size_t real_bytes, const BufferLimits &limits);

/// The same for fields one after another: the routes of fields of even and of odd number. What an
/// exchange sends and receives is kept for both; what lies between two passes is read at once.
std::array<Route, 2> assign_field_buffers(const Steps &steps);

/// Where each work buffer begins, in bytes, and where the last one ends: all in one piece of
/// memory, on cache lines.
struct WorkBuffers {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};
/// With room for what the steps read and write along all routes, which have as many buffers.
WorkBuffers place_work(const Steps &steps, std::span<const Route> routes, std::size_t real_bytes);

} // namespace hybridfft::plan
