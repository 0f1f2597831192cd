/// An array with guard bytes before and after it, at a chosen misalignment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace hybridfft::verifier {

/// `bytes` of Real, filled with NaN so that reading what was never written shows in the result.
template <class Real> class Guarded {
public:
  /// \param misalignment bytes beyond a 64-byte boundary, a multiple of sizeof(Real)
  Guarded(std::size_t bytes, std::size_t misalignment)
      : memory_(bytes + 2 * guard + 128, pattern), bytes_(bytes) {
    const auto base = reinterpret_cast<std::uintptr_t>(memory_.data());
    offset_ = (base + guard + 63) / 64 * 64 - base + misalignment % 64;
    reset();
  }

  Real *data() { return reinterpret_cast<Real *>(memory_.data() + offset_); }
  const Real *data() const { return reinterpret_cast<const Real *>(memory_.data() + offset_); }
  std::span<const std::byte> contents() const { return {memory_.data() + offset_, bytes_}; }
  void reset() {
    std::fill_n(data(), bytes_ / sizeof(Real), std::numeric_limits<Real>::quiet_NaN());
  }
  /// Nobody wrote outside the array.
  bool intact() const {
    const auto untouched = [](std::byte b) { return b == pattern; };
    const auto array = memory_.begin() + static_cast<std::ptrdiff_t>(offset_);
    return std::all_of(memory_.begin(), array, untouched) &&
           std::all_of(array + static_cast<std::ptrdiff_t>(bytes_), memory_.end(), untouched);
  }

private:
  static constexpr std::size_t guard = 2048;
  static constexpr std::byte pattern{0xa7};

  std::vector<std::byte> memory_;
  std::size_t bytes_;
  std::size_t offset_ = 0;
};

} // namespace hybridfft::verifier
