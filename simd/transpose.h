/// In-register block transposes, chosen at run time for the CPU.
#pragma once

#include <cstddef>

namespace hybridfft::simd {

/// Instruction sets, each a superset of the one before.
enum class Isa { scalar, sse2, avx, avx2, avx512 };

/// The set in use: the best that CPU, OS and build support, or the one that the environment
/// variable HFFT_SIMD names (scalar, sse2, avx, avx2, avx512). Throws Failure
/// (HFFT_ERROR_ENVIRONMENT) when HFFT_SIMD names an unknown set or one that is not supported.
Isa active();
bool supported(Isa isa);
const char *name(Isa isa);

/// Out of place: out[j * ld_out + i] = in[i * ld_in + j] for i < rows, j < cols.
/// Elements of `element` bytes (4, 8 or 16), leading dimensions counted in elements,
/// ld_in >= cols, ld_out >= rows; the arrays must not overlap; any alignment of the element.
/// Runs on the calling thread. Throws std::invalid_argument for another element size.
void transpose(Isa isa, std::size_t element, std::size_t rows, std::size_t cols, const void *in,
               std::size_t ld_in, void *out, std::size_t ld_out);

} // namespace hybridfft::simd
