// Which lengths are fast.
#include <algorithm>

#include "hybridfft/hybridfft.h"
#include "local/smooth_fft.h"

extern "C" hfft_length_kind hfft_kind_of_length(ptrdiff_t n) {
  return hybridfft::local::kind_of_length(n);
}

extern "C" ptrdiff_t hfft_next_fast_length(ptrdiff_t n) {
  n = std::max<ptrdiff_t>(n, 1);
  while (hfft_kind_of_length(n) != HFFT_LENGTH_FAST)
    ++n;
  return n;
}
