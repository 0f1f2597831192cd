/// Simulates unavailable shared memory, as on a full /dev/shm.
#pragma once

#include <cstdint>

namespace hybridfft::test {

/// True if the system refuses pages requested before their first use.
extern bool lacks_pages;

/// Whether it is asked at all: kernels before 5.14 are not.
bool asks_for_pages();

/// Free bytes reported by /dev/shm; 0: the real number.
extern std::uint64_t shared_memory_room;

} // namespace hybridfft::test
