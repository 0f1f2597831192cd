/// Block transposes in registers, chosen at run time for the CPU.
#pragma once

#include <cstddef>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// Transposes out of place: out[j * ld_out + i] = in[i * ld_in + j] for i < rows, j < cols.
/// Elements have `element` bytes (4, 8 or 16) and any alignment. Leading dimensions are in
/// elements, ld_in >= cols, ld_out >= rows. The arrays must not overlap. It runs on the calling
/// thread, and the CPU must support `isa`. It is meant for matrices in cache. Throws
/// std::invalid_argument for another element size.
void transpose(Isa isa, std::size_t element, std::size_t rows, std::size_t cols, const void *in,
               std::size_t ld_in, void *out, std::size_t ld_out);

/// How results are stored: through the caches, or streamed past them. Streaming writes complete
/// cache lines with non-temporal stores; partial lines at the ends of misaligned rows are stored
/// through the caches. The sets scalar and neon have no such stores and always use the caches.
enum class Store { cached, streamed };

/// Returns the number of tiles of a large matrix. Tiles with successive numbers are adjacent in
/// memory. Any thread can transpose any range of tiles.
std::size_t tile_count(std::size_t element, std::size_t rows, std::size_t cols);

/// Returns the bytes of 64-byte aligned scratch for each concurrent call of transpose_tiles.
std::size_t tile_scratch(std::size_t element);

/// Transposes the tiles first <= t < last, as transpose() does. Afterwards, other threads can read
/// streamed rows once they have synchronised with this thread.
void transpose_tiles(Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                     const void *in, std::size_t ld_in, void *out, std::size_t ld_out,
                     std::size_t first, std::size_t last, void *scratch);

/// Copies `runs` contiguous pieces of `length` elements, whose starts are `in_step` and `out_step`
/// elements apart. The arrays must not overlap. Other threads can read streamed data after fence().
void copy_runs(Isa isa, Store store, std::size_t element, std::size_t runs, std::size_t length,
               const void *in, std::size_t in_step, void *out, std::size_t out_step);
void fence(Isa isa);

} // namespace hybridfft::simd
