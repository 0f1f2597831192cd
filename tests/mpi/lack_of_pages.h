/// Simulates unavailable shared memory, as on a full /dev/shm.
#pragma once

#include <cstdint>

namespace hybridfft::test {

/// True: requests of pages before their first use fail, as if the system had no memory.
extern bool lacks_pages;

/// Returns true if pages can be requested before their first use; kernels before 5.14 do not
/// support it.
bool asks_for_pages();

/// Free bytes that /dev/shm reports; 0: the real number.
extern std::uint64_t shared_memory_room;

} // namespace hybridfft::test
