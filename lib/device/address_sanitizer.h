/// Marks memory as forbidden for AddressSanitizer, in builds that use it; elsewhere the calls do
/// nothing.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define HFFT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HFFT_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(HFFT_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace hybridfft::device {

#if defined(HFFT_ADDRESS_SANITIZER)
inline constexpr bool address_sanitizer = true;
/// Forbids access to these bytes: the process ends when it reads or writes one.
inline void forbid(const void *memory, std::size_t bytes) {
  __asan_poison_memory_region(memory, bytes);
}
inline void permit(const void *memory, std::size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
inline constexpr bool address_sanitizer = false;
inline void forbid(const void *, std::size_t) {}
inline void permit(const void *, std::size_t) {}
#endif

} // namespace hybridfft::device
