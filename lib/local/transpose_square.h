/// Square matrices transposed in place by exchanging pairs of tiles.
#pragma once

#include <cstddef>

#include "simd/transpose.h"

namespace hybridfft::local {

std::size_t transpose_square_scratch(std::size_t element, int threads);

/// n x n elements of 4, 8 or 16 bytes, ld >= n; scratch as told by transpose_square_scratch.
void transpose_square(simd::Isa isa, std::size_t element, std::size_t n, std::byte *a,
                      std::size_t ld, int threads, std::byte *scratch);

} // namespace hybridfft::local
