/// Vectors of 64 bytes, the widest of all processors. Compilers split them for narrower ones.
#pragma once

#include <cstddef>

namespace hybridfft::lfb {

/// The compiler's vector type of Real.
template <class Real> struct WideVector {
  static constexpr std::size_t bytes = 64;
  static constexpr auto values = static_cast<std::ptrdiff_t>(bytes / sizeof(Real));
  using Type __attribute__((vector_size(bytes))) = Real;
};

} // namespace hybridfft::lfb
