/// Vectors as wide as any processor's: 64 bytes, which compilers split for narrower ones.
#pragma once

#include <cstddef>

namespace hybridfft::lfb {

/// A vector type of compilers.
template <class Real> struct WideVector {
  static constexpr std::size_t bytes = 64;
  static constexpr auto values = static_cast<std::ptrdiff_t>(bytes / sizeof(Real));
  using Type __attribute__((vector_size(bytes))) = Real;
};

} // namespace hybridfft::lfb
