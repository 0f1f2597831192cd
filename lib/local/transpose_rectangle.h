/// Rectangular matrices transposed in place in three passes that each stay within the rows or
/// within the columns, after Catanzaro, Keller and Garland, "A Decomposition for In-place Matrix
/// Transposition", PPoPP 2014.
#pragma once

#include <cstddef>

namespace hybridfft::local {

/// Bytes of scratch that transpose_rectangle() needs with so many threads.
std::size_t transpose_rectangle_scratch(std::size_t element, std::size_t rows, std::size_t cols,
                                        int threads);

/// Transposes rows x cols tight elements of 4, 8 or 16 bytes in place, both at least 2 and not
/// equal; scratch of transpose_rectangle_scratch() bytes.
void transpose_rectangle(std::size_t element, std::size_t rows, std::size_t cols, std::byte *a,
                         int threads, std::byte *scratch);

} // namespace hybridfft::local
