#include "io/unpublished.h"

#include <unistd.h>

#include <array>
#include <atomic>

namespace hybridfft::io {

namespace {

/// A slot of fixed size. A signal handler may read it at any time and cannot wait.
struct Slot {
  enum State { free, changing, used };
  std::atomic<int> state{free};
  std::array<char, 4096> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);
std::array<Slot, 8> slots;

bool take(Slot &slot, Slot::State from) {
  int expected = from;
  return slot.state.compare_exchange_strong(expected, Slot::changing);
}

} // namespace

void remember_unpublished(const std::string &path) noexcept {
  for (Slot &slot : slots) {
    if (path.size() >= slot.path.size() || !take(slot, Slot::free)) continue;
    path.copy(slot.path.data(), path.size());
    slot.path[path.size()] = '\0';
    slot.state = Slot::used;
    return;
  }
}

void forget_unpublished(const std::string &path) noexcept {
  for (Slot &slot : slots) {
    if (!take(slot, Slot::used)) continue;
    const bool found = path == slot.path.data();
    slot.state = found ? Slot::free : Slot::used;
    if (found) return;
  }
}

void remove_unpublished() noexcept {
  for (const Slot &slot : slots)
    if (slot.state == Slot::used) ::unlink(slot.path.data());
}

} // namespace hybridfft::io
