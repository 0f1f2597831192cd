/// Values of consecutive points: one value, on devices and at the ends of rows, or a vector of a
/// processor. Expressions of packs have the same bits for any number of points.
#pragma once

#include <cstring>
#include <type_traits>

#include "hybridfft/grid/box.hpp"

/// Functions of vectors must be inlined, since their calling convention depends on instruction
/// sets.
#if defined(__CUDACC__)
#define HFFT_INLINE HFFT_HOST_DEVICE
#else
#define HFFT_INLINE [[gnu::always_inline]] inline
#endif

namespace hybridfft::packs {

#if !defined(__CUDACC__)
/// A vector of `bytes` bytes.
template <class Real, int bytes> struct VectorOf {
  using Type __attribute__((vector_size(bytes))) = Real;
};
template <class Real> struct VectorOf<Real, sizeof(Real)> { using Type = Real; };
#endif

/// Loads values from an unaligned address.
template <class V, class Real> HFFT_INLINE V load(const Real *from) {
  if constexpr (std::is_same_v<V, Real>) {
    return *from;
  } else {
    V values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
}
template <class V, class Real> HFFT_INLINE void store(Real *to, V values) {
  if constexpr (std::is_same_v<V, Real>)
    *to = values;
  else
    std::memcpy(to, &values, sizeof values);
}

/// Sets values = factor (values + change).
template <class V, class Real> HFFT_INLINE void move(Real *values, V change, V factor) {
  store(values, (load<V>(values) + change) * factor);
}

/// Prefetches the cache line of an address into the second cache. The address may be outside of an
/// array. Does nothing for single points.
template <class V, class Real> HFFT_INLINE void prefetch([[maybe_unused]] const Real *address) {
#if !defined(__CUDACC__)
  if constexpr (sizeof(V) >= 32) __builtin_prefetch(address, 0, 2);
#endif
}

} // namespace hybridfft::packs
