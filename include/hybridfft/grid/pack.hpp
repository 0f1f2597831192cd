/// \file grid/pack.hpp
/// SIMD packs, the values of consecutive points along a row. A function of a point uses them in its
/// member row() for for_blocks(). A pack is one value (on devices and at the ends of rows) or a
/// vector register. An expression gives the same bits for any pack size.
#ifndef HYBRIDFFT_GRID_PACK_HPP
#define HYBRIDFFT_GRID_PACK_HPP

#include <cstring>
#include <type_traits>

#include "hybridfft/grid/box.hpp"

/// Attribute of functions with vector arguments. They must be inlined, because the calling
/// convention of vectors depends on the instruction set.
#if defined(__CUDACC__)
#define HFFT_INLINE HFFT_HOST_DEVICE
#else
#define HFFT_INLINE [[gnu::always_inline]] inline
#endif

namespace hybridfft::grid::pack {

#if !defined(__CUDACC__)
/// Pack type of `bytes` bytes; a plain Real if `bytes` is its size.
/// \tparam Real float or double
template <class Real, int bytes> struct VectorOf {
  using Type __attribute__((vector_size(bytes))) = Real; ///< the vector
};
/// Pack of one value.
template <class Real> struct VectorOf<Real, sizeof(Real)> {
  using Type = Real; ///< a plain number in place of a vector
};
#endif

/// Loads consecutive values into a pack.
/// \tparam V   the pack
/// \param from address of the first value, of any alignment
/// \return the pack
template <class V, class Real> HFFT_INLINE V load(const Real *from) {
  if constexpr (std::is_same_v<V, Real>) {
    return *from;
  } else {
    V values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
}

/// Stores a pack as consecutive values.
/// \param to     address of the first value, of any alignment
/// \param values the pack
template <class V, class Real> HFFT_INLINE void store(Real *to, V values) {
  if constexpr (std::is_same_v<V, Real>)
    *to = values;
  else
    std::memcpy(to, &values, sizeof values);
}

/// Prefetches the cache line of an address into the L2 cache. Does nothing for packs of one value.
/// \tparam V      the pack
/// \param address may be outside of an array
template <class V, class Real> HFFT_INLINE void prefetch([[maybe_unused]] const Real *address) {
#if !defined(__CUDACC__)
  if constexpr (sizeof(V) >= 32) __builtin_prefetch(address, 0, 2);
#endif
}

} // namespace hybridfft::grid::pack

#endif
