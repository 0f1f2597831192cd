/// Shared memory that cannot be had, as on a full /dev/shm.
#pragma once

#include <cstdint>

namespace hybridfft::test {

/// Whether the system refuses pages that are asked for before their first use.
extern bool lacks_pages;

/// Whether it is asked at all: kernels before 5.14 are not.
bool asks_for_pages();

/// Bytes that /dev/shm says are free; 0: as many as there are.
extern std::uint64_t shared_memory_room;

} // namespace hybridfft::test
