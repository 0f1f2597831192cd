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

/// How finished rows reach memory: through the caches or past them. Streaming writes full cache
/// lines with non-temporal stores; ends of misaligned rows go through the caches. scalar has no
/// such stores and always uses the caches.
enum class Store { cached, streamed };

/// Returns the number of tiles of a matrix larger than the caches. Tiles with adjacent numbers are
/// adjacent in memory. Any thread can transpose any range of tiles separately.
std::size_t tile_count(std::size_t element, std::size_t rows, std::size_t cols);

/// Returns the bytes of 64-byte aligned scratch for each concurrent call of transpose_tiles.
std::size_t tile_scratch(std::size_t element);

/// Transposes the tiles first <= t < last, as transpose() does. After its return, streamed rows are
/// visible to threads synchronised with this one.
void transpose_tiles(Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                     const void *in, std::size_t ld_in, void *out, std::size_t ld_out,
                     std::size_t first, std::size_t last, void *scratch);

/// Copies `runs` runs of `length` elements, with starts `in_step` and `out_step` elements apart.
/// The arrays must not overlap. Streamed data are visible to other threads after fence().
void copy_runs(Isa isa, Store store, std::size_t element, std::size_t runs, std::size_t length,
               const void *in, std::size_t in_step, void *out, std::size_t out_step);
void fence(Isa isa);

} // namespace hybridfft::simd
