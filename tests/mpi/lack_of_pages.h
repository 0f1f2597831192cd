/// Shared memory that cannot be had, as on a full /dev/shm.
#pragma once

namespace hybridfft::test {

/// Whether the system refuses pages that are asked for before their first use.
extern bool lacks_pages;

/// Whether it is asked at all: kernels before 5.14 are not.
bool asks_for_pages();

} // namespace hybridfft::test
