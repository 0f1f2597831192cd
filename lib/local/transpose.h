/// Threaded local transposes of whole matrices, blocked for the caches.
///
/// Elements have 4, 8 or 16 bytes, leading dimensions count elements. `isa` is an instruction set
/// that this CPU supports, usually simd::active(). `threads` OpenMP threads work; with 1 no
/// parallel region is opened, so that a thread of the caller's own region may call. `scratch` is
/// 64-byte aligned memory of the size that the function next to it returns; without it the call
/// allocates its own (and may throw std::bad_alloc). All throw std::invalid_argument for another
/// element size or a leading dimension that is too small.
#pragma once

#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::local {

/// Out of place: out[j * ld_out + i] = in[i * ld_in + j] for i < rows, j < cols. The arrays do not
/// overlap, ld_in >= cols, ld_out >= rows.
void transpose(simd::Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
               const void *in, std::size_t ld_in, void *out, std::size_t ld_out, int threads,
               void *scratch = nullptr);
std::size_t transpose_scratch(std::size_t element, int threads);

/// Transposes in place. A square matrix may have any leading dimension ld >= n; a rectangular one
/// is tight before (ld == cols) and after (rows), else std::invalid_argument is thrown.
void transpose_in_place(simd::Isa isa, std::size_t element, std::size_t rows, std::size_t cols,
                        void *a, std::size_t ld, int threads, void *scratch = nullptr);
/// Never more than about an eighth of a large rectangular matrix, unless that has less than
/// 8 rows or columns: then at most one of its longer side.
std::size_t transpose_in_place_scratch(std::size_t element, std::size_t rows, std::size_t cols,
                                       int threads);

} // namespace hybridfft::local
