/// Vector type of 64 bytes, the widest of all supported processors. Compilers split it into
/// narrower registers where necessary.
#pragma once

#include <cstddef>

namespace hybridfft::lfb {

/// Vector of Real: its size in bytes, its number of values and its type.
template <class Real> struct WideVector {
  static constexpr std::size_t bytes = 64;
  static constexpr auto values = static_cast<std::ptrdiff_t>(bytes / sizeof(Real));
  using Type __attribute__((vector_size(bytes))) = Real;
};

} // namespace hybridfft::lfb
