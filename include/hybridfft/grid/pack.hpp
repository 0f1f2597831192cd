/// \file grid/pack.hpp
/// Packs: values of consecutive points, for functions of a point that also have a member row() for
/// for_blocks(). A pack is one value, on devices and at the ends of rows, or a vector of a
/// processor. Expressions of packs have the same bits for any number of points.
#ifndef HYBRIDFFT_GRID_PACK_HPP
#define HYBRIDFFT_GRID_PACK_HPP

#include <cstring>
#include <type_traits>

#include "hybridfft/grid/box.hpp"

/// Marks functions of vectors. They must be inlined, since their calling convention depends on
/// instruction sets.
#if defined(__CUDACC__)
#define HFFT_INLINE HFFT_HOST_DEVICE
#else
#define HFFT_INLINE [[gnu::always_inline]] inline
#endif

namespace hybridfft::grid::pack {

#if !defined(__CUDACC__)
/// Type of a vector of `bytes` bytes; one value if `bytes` is its size.
/// \tparam Real float or double
template <class Real, int bytes> struct VectorOf {
  using Type __attribute__((vector_size(bytes))) = Real; ///< the vector
};
/// A pack of one value.
template <class Real> struct VectorOf<Real, sizeof(Real)> {
  using Type = Real; ///< the value
};
#endif

/// Loads a pack.
/// \tparam V   the pack
/// \param from address of the first value, of any alignment
/// \return the values
template <class V, class Real> HFFT_INLINE V load(const Real *from) {
  if constexpr (std::is_same_v<V, Real>) {
    return *from;
  } else {
    V values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
}

/// Stores a pack.
/// \param to     address of the first value, of any alignment
/// \param values the pack
template <class V, class Real> HFFT_INLINE void store(Real *to, V values) {
  if constexpr (std::is_same_v<V, Real>)
    *to = values;
  else
    std::memcpy(to, &values, sizeof values);
}

/// Prefetches the cache line of an address into the second cache. Does nothing for single points.
/// \tparam V      the pack
/// \param address may be outside of an array
template <class V, class Real> HFFT_INLINE void prefetch([[maybe_unused]] const Real *address) {
#if !defined(__CUDACC__)
  if constexpr (sizeof(V) >= 32) __builtin_prefetch(address, 0, 2);
#endif
}

} // namespace hybridfft::grid::pack

#endif
