/// Values of test arrays, and their positions on a rank.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hybridfft/layout.hpp"
#include "verifier/hash.h"

namespace hybridfft::test {

/// Returns a number in -1 .. 1. It depends only on the index in the global array and on `which`,
/// which distinguishes numbers with the same index.
inline long double number(const std::vector<std::ptrdiff_t> &index, std::ptrdiff_t which) {
  std::uint64_t hash = static_cast<std::uint64_t>(which);
  for (const std::ptrdiff_t i : index)
    hash = verifier::mix(hash, static_cast<std::uint64_t>(i));
  return static_cast<float>(std::ldexp(static_cast<double>(verifier::mix(hash)), -63) - 1);
}

/// Calls f(position, index, field) for every value of a rank except padding.
template <class F> void for_values(const LayoutView &view, const F &f) {
  const Layout &l = view.layout();
  std::vector<std::ptrdiff_t> index(static_cast<std::size_t>(l.dimensions()));
  for (std::ptrdiff_t at = 0; at < view.size(); ++at)
    if (view.global(at, index))
      f(at, index,
        static_cast<std::size_t>(l.fields() == Fields::separate ? at / l.field_stride(view.rank())
                                                                : at % l.howmany()));
}

} // namespace hybridfft::test
