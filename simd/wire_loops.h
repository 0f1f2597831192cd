/// Conversions of wire.h as loops without branches, for automatic vectorisation. One file per
/// instruction set includes this header; everything is internal to the file.
#pragma once

#include <algorithm>
#include <bit>

#include "simd/wire.h"

namespace hybridfft::simd {

namespace {

inline constexpr std::uint32_t magnitude_bits = 0x7fffffffU;
inline constexpr std::uint32_t infinity_bits = 0x7f800000U;

inline void narrow_double(const double *__restrict from, float *__restrict to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = static_cast<float>(from[i]);
}

inline void widen_single(const float *__restrict from, double *__restrict to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = static_cast<double>(from[i]);
}

inline void narrow_to_bfloat16(const float *__restrict from, std::uint16_t *__restrict to,
                               std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(from[i]);
    // The upper half of the bits, rounded to nearest, ties to even: first add half a unit of the
    // last remaining bit, or one less if this bit is 0.
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    const std::uint32_t quiet = (bits >> 16U) | 0x40U;
    to[i] = static_cast<std::uint16_t>((bits & magnitude_bits) > infinity_bits ? quiet : rounded);
  }
}

inline void widen_bfloat16(const std::uint16_t *__restrict from, float *__restrict to,
                           std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16U);
}

/// binary16 has 10 fraction bits and a bias of 15; binary32 has 23 and 127.
inline constexpr std::uint32_t rebias = (127U - 15U) << 23U;
inline constexpr std::uint32_t min_normal = 113U << 23U; ///< 2^-14
inline constexpr std::uint32_t too_large = 143U << 23U;  ///< 2^16
inline constexpr std::uint32_t subnormal_magic = 126U
                                                 << 23U; ///< 1/2 in binary32; its last bit is 2^-24

inline void narrow_to_half(const float *__restrict from, std::uint16_t *__restrict to,
                           std::size_t n, float scale) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto all = std::bit_cast<std::uint32_t>(from[i] * scale);
    const std::uint32_t bits = all & magnitude_bits;
    const std::uint32_t normal = (bits - rebias + 0xfffU + ((bits >> 13U) & 1U)) >> 13U;
    // The addition rounds to multiples of 2^-24, the smallest binary16. Numbers from 2^-14 on are
    // excluded here, because they may be infinite.
    const float small = std::bit_cast<float>(bits < min_normal ? bits : 0U);
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(small + std::bit_cast<float>(subnormal_magic)) -
        subnormal_magic;
    const std::uint32_t special = bits > infinity_bits ? 0x7e00U : 0x7c00U;
    const std::uint32_t finite = bits < min_normal ? subnormal : normal;
    to[i] =
        static_cast<std::uint16_t>((bits >= too_large ? special : finite) | (all >> 31U) << 15U);
  }
}

inline void widen_half(const std::uint16_t *__restrict from, float *__restrict to, std::size_t n,
                       float scale) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t all = from[i];
    const std::uint32_t bits = (all & 0x7fffU) << 13U;
    const std::uint32_t normal = bits + rebias;
    // Computes 2^-14 (1 + fraction) - 2^-14 without subnormal numbers of binary32.
    const float small = std::bit_cast<float>(bits + min_normal) - std::bit_cast<float>(min_normal);
    const std::uint32_t special = bits | infinity_bits;
    const std::uint32_t finite = bits < (1U << 23U) ? std::bit_cast<std::uint32_t>(small) : normal;
    const std::uint32_t value = bits >= (31U << 23U) ? special : finite;
    to[i] = std::bit_cast<float>(value | (all & 0x8000U) << 16U) * scale;
  }
}

inline float largest_finite(const float *from, std::size_t n) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(from[i]) & magnitude_bits;
    most = std::max(most, bits < infinity_bits ? bits : 0U);
  }
  return std::bit_cast<float>(most);
}

inline constexpr WireKernels loops{narrow_double,  widen_single, narrow_to_bfloat16, widen_bfloat16,
                                   narrow_to_half, widen_half,   largest_finite};

} // namespace
} // namespace hybridfft::simd
