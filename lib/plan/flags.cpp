#include "plan/flags.h"

#include <fftw3.h>

#include <cmath>
#include <string>

#include "plan/require.h"

namespace hybridfft::plan {

namespace {

constexpr unsigned known_flags =
    HFFT_DESTROY_INPUT | HFFT_UNALIGNED | HFFT_EXHAUSTIVE | HFFT_PRESERVE_INPUT | HFFT_PATIENT |
    HFFT_ESTIMATE | HFFT_WISDOM_ONLY | HFFT_DETERMINISTIC | HFFT_TRANSPOSED_IN |
    HFFT_TRANSPOSED_OUT | HFFT_WIRE_SINGLE | HFFT_WIRE_BFLOAT16 | HFFT_WIRE_HALF | HFFT_NONBLOCKING;

} // namespace

unsigned effort_of(unsigned flags) {
  if ((flags & HFFT_ESTIMATE) != 0) return FFTW_ESTIMATE;
  if ((flags & HFFT_EXHAUSTIVE) != 0) return FFTW_EXHAUSTIVE;
  if ((flags & HFFT_PATIENT) != 0) return FFTW_PATIENT;
  return FFTW_MEASURE;
}

void check_flags(unsigned flags) {
  require((flags & ~known_flags) == 0, HFFT_ERROR_FLAGS,
          "flags has unknown bits " + std::to_string(flags & ~known_flags));
  const unsigned both = HFFT_DESTROY_INPUT | HFFT_PRESERVE_INPUT;
  require((flags & both) != both, HFFT_ERROR_FLAGS,
          "flags has both HFFT_DESTROY_INPUT and HFFT_PRESERVE_INPUT");
}

void check_threads(int threads) {
  require(threads >= 1 && threads <= most_threads, HFFT_ERROR_ARGUMENT,
          std::to_string(threads) + " threads, expected 1 to " + std::to_string(most_threads));
}

void check_scale(double scale, std::size_t real_bytes) {
  const double held =
      real_bytes == sizeof(float) ? static_cast<double>(static_cast<float>(scale)) : scale;
  if (!std::isfinite(held) || held == 0)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "scale is " + std::to_string(scale) +
                      ", expected a finite number in the precision of the plan, not 0");
}

} // namespace hybridfft::plan
