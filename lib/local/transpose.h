/// Threaded local transposes of whole matrices, blocked for the caches.
#pragma once

#include <cstddef>

namespace hybridfft::local {

/// out[j * ld_out + i] = in[i * ld_in + j], i < rows, j < cols, elements of 4, 8 or 16 bytes,
/// leading dimensions in elements; arrays that do not overlap. Uses `threads` OpenMP threads.
void transpose(std::size_t element, std::size_t rows, std::size_t cols, const void *in,
               std::size_t ld_in, void *out, std::size_t ld_out, int threads);

/// In place. A square matrix may have any leading dimension ld >= n; a rectangular one must be
/// tight: ld == cols before, rows after. Throws std::invalid_argument otherwise.
void transpose_in_place(std::size_t element, std::size_t rows, std::size_t cols, void *a,
                        std::size_t ld, int threads);

} // namespace hybridfft::local
