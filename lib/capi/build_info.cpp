// Describes the build: version, commit, compiler and libraries.
#include <fftw3.h>

#include <string>

#include "base/error.h"
#include "hybridfft/hybridfft.h"
#include "simd/transpose.h"
#include "source_commit.h"

namespace {

#ifdef __clang__
constexpr const char *compiler = ""; // the version text already begins with the compiler's name
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
      std::string("HybridFFT ") + HFFT_VERSION + "\n" + "commit: " + HFFT_COMMIT + "\n" +
      "build: " + HFFT_BUILD_TYPE + ", " + compiler + __VERSION__ + "\n" + "MPI: " + HFFT_MPI +
      "\n" + "FFTW double: " + fftw_version + "\n" + "FFTW single: " + fftwf_version + "\n" +
      "FFTW-MPI: " + (HFFT_FFTW_MPI != 0 ? "one of the exchanges" : "left out") + "\n" +
      "SIMD in use: " + simd_in_use() + "\n" +
      "licence: BSD 3-Clause; FFTW, which it is linked with, is under the GPL, version 2 or "
      "later\n";
  return text.c_str();
}
