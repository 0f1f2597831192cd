#include <fftw3.h>

#include <string>

#include "base/error.h"
#include "hybridfft/hybridfft.h"
#include "simd/transpose.h"

namespace {

#ifdef __clang__
constexpr const char *compiler = ""; // its version begins with its name
#else
constexpr const char *compiler = "GCC ";
#endif

std::string simd_in_use() {
  try {
    return hybridfft::simd::name(hybridfft::simd::active());
  } catch (const hybridfft::Failure &e) {
    return std::string("none: ") + e.what();
  }
}

} // namespace

extern "C" const char *hfft_version(void) { return HFFT_VERSION; }

extern "C" const char *hfft_build_info(void) {
  static const std::string text =
      std::string("HybridFFT ") + HFFT_VERSION + "\n" + "build: " + HFFT_BUILD_TYPE + ", " +
      compiler + __VERSION__ + "\n" + "FFTW double: " + fftw_version + "\n" +
      "FFTW single: " + fftwf_version + "\n" + "SIMD in use: " + simd_in_use() + "\n";
  return text.c_str();
}
