// Finds lengths with fast transforms.
#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "capi/errors.h"
#include "hybridfft/hybridfft.h"
#include "layout/checked_size.h"
#include "local/twiddles.h"

namespace {

using hybridfft::CheckedSize;

/// Prime factors of fast lengths.
constexpr std::array<ptrdiff_t, 6> primes{13, 11, 7, 5, 3, 2};

/// Returns the smallest number >= n that is `product` (< n) times powers of the factors; `best` if
/// none is smaller than `best`.
ptrdiff_t smallest_product(ptrdiff_t n, ptrdiff_t product, std::span<const ptrdiff_t> factors,
                           ptrdiff_t best) {
  for (CheckedSize next = product; next.fits() && next.value() < best; next *= factors.front()) {
    if (next.value() >= n) return next.value();
    if (factors.size() > 1) best = smallest_product(n, next.value(), factors.subspan(1), best);
  }
  return best;
}

} // namespace

extern "C" hfft_length_kind hfft_kind_of_length(ptrdiff_t n) {
  using hybridfft::local::LengthKind;
  const LengthKind kind = hybridfft::local::kind_of_length(n);
  return kind == LengthKind::fast      ? HFFT_LENGTH_FAST
         : kind == LengthKind::kernels ? HFFT_LENGTH_KERNELS
                                       : HFFT_LENGTH_CONVOLUTION;
}

extern "C" ptrdiff_t hfft_next_fast_length(ptrdiff_t n) {
  constexpr ptrdiff_t none = PTRDIFF_MAX; // larger than all candidates; not a fast length itself,
                                          // because it has the prime factor 73
  ptrdiff_t found = smallest_product(std::max<ptrdiff_t>(n, 1), 1, primes, none);
  if (found != none) return found;
  hybridfft::capi::guarded([=] {
    throw hybridfft::Failure(HFFT_ERROR_OVERFLOW,
                             "no length of 63 bits from " + std::to_string(n) + " on is fast");
  });
  return 0;
}
