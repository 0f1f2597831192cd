/// In-register block transposes, chosen at run time for the CPU.
#pragma once

#include <cstddef>

#include "simd/instruction_set.h"

namespace hybridfft::simd {

/// Out of place: out[j * ld_out + i] = in[i * ld_in + j] for i < rows, j < cols.
/// Elements of `element` bytes (4, 8 or 16), leading dimensions counted in elements,
/// ld_in >= cols, ld_out >= rows; the arrays must not overlap; any alignment of the element.
/// Runs on the calling thread, which must have `isa` supported. Made for matrices that fit in a
/// cache. Throws std::invalid_argument for another element size.
void transpose(Isa isa, std::size_t element, std::size_t rows, std::size_t cols, const void *in,
               std::size_t ld_in, void *out, std::size_t ld_out);

/// The way in which finished rows reach memory: through the caches, or past them (full cache lines
/// with non-temporal stores, the ends of misaligned rows through the caches; scalar has no such
/// stores and always uses the caches).
enum class Store { cached, streamed };

/// A matrix larger than the caches is cut into tiles, numbered so that neighbours in number are
/// neighbours in memory. Any range of tiles can be transposed on its own, by any thread.
std::size_t tile_count(std::size_t element, std::size_t rows, std::size_t cols);

/// Bytes of scratch, 64-byte aligned, that each concurrent call of transpose_tiles needs.
std::size_t tile_scratch(std::size_t element);

/// As transpose(), for the tiles first <= t < last. When it returns, streamed rows are visible to
/// threads that synchronise with this one.
void transpose_tiles(Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                     const void *in, std::size_t ld_in, void *out, std::size_t ld_out,
                     std::size_t first, std::size_t last, void *scratch);

/// Copies `runs` runs of `length` elements, which begin `in_step` and `out_step` elements apart;
/// the arrays must not overlap. Streamed data are visible to other threads after fence().
void copy_runs(Isa isa, Store store, std::size_t element, std::size_t runs, std::size_t length,
               const void *in, std::size_t in_step, void *out, std::size_t out_step);
void fence(Isa isa);

} // namespace hybridfft::simd
