/// Assigns buffers (slots) to the steps of a plan. It uses few work buffers, makes passes overlap
/// with exchanges, and avoids copies within a rank.
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

/// A buffer: a user's array, a window of shared memory, or a work buffer. `work` is the first of
/// any number of work buffers. A window is that of the exchange itself, before or after the step.
enum class Slot { in, out, window, window2, work };

Slot work_slot(std::size_t number);
/// Returns the number of a work buffer; no value for other slots.
std::optional<std::size_t> work_number(Slot slot);
inline bool is_window(Slot slot) { return slot == Slot::window || slot == Slot::window2; }
/// Returns the name of a slot, for example "in", "work" or "work2".
std::string name_of(Slot slot);

/// Addresses of all slots but windows, which exchanges may move.
struct Addresses {
  std::byte *in = nullptr;
  std::byte *out = nullptr;
  std::byte *work = nullptr;            ///< memory of all work buffers
  const std::size_t *offsets = nullptr; ///< start of each work buffer, in bytes
};

/// The slots of a list of steps. Each step reads the slot that the preceding step has written.
struct Route {
  Slot input = Slot::in;          ///< `out` for plans in place
  std::vector<Slot> destinations; ///< destination of each step
  std::size_t work_buffers = 0;
  Slot source(std::size_t step) const { return step == 0 ? input : destinations[step - 1]; }
};

/// True if the exchange at `step` can receive during the preceding pass, because no step uses its
/// receive buffer until then.
bool may_receive_early(const Steps &steps, const Route &route, std::size_t step);
/// True if the pass after the exchange at `step` can run during the exchange. The pass must not
/// write the send buffer. It may write the receive buffer only if it works in place.
bool may_send_late(const Steps &steps, const Route &route, std::size_t step);
/// True if the step before the exchange of blocks at `step` can write the block that this rank
/// sends to itself straight into the receive buffer. Both buffers of the exchange must be work
/// buffers, and the step must read neither.
bool may_elide_self_copy(const Steps &steps, const Route &route, std::size_t step);

struct BufferLimits {
  bool in_place = false; ///< the user's arrays are one array
  /// Bytes of the output array that exchanges, and steps before the last one, may use as scratch.
  std::size_t out_bytes = std::numeric_limits<std::size_t>::max();
  std::size_t work_buffers = 2; ///< maximum number of work buffers
  /// True: more overlap and fewer copies have precedence over fewer work buffers.
  bool spend = false;
};

/// Returns the assignment with the fewest work buffers. Among assignments with equally many, it
/// returns the one with the largest savings: overlaps of passes with chunked exchanges, and elided
/// copies of a rank's own block. With BufferLimits::spend the savings have precedence. The last
/// step writes `out`, and no step writes `in`. Throws Failure if no assignment exists.
Route assign_buffers(const Steps &steps, std::size_t real_bytes, const BufferLimits &limits);

/// Returns the routes of even and odd fields for transforms field by field. Even and odd fields
/// have separate send and receive buffers. They share the buffers between two passes, because the
/// two passes of a field run one directly after the other.
std::array<Route, 2> assign_field_buffers(const Steps &steps);

/// Start of each work buffer and total size, in bytes. All buffers are parts of one allocation,
/// aligned to cache lines.
struct WorkBuffers {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};
/// Places the work buffers. Each is large enough for all steps of all routes, and the routes have
/// equally many buffers.
WorkBuffers place_work(const Steps &steps, std::span<const Route> routes, std::size_t real_bytes);

} // namespace hybridfft::plan
