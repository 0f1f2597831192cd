// Distributes n points over the ranks in blocks of equal size, as FFTW-MPI does. The last blocks
// may be shorter or empty.
#include "hybridfft/layout.hpp"

#include <algorithm>
#include <string>

#include "hybridfft/error.hpp"

namespace hybridfft {

BlockDistribution::BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block)
    : n_(n), parts_(parts) {
  if (n < 0) throw Error(HFFT_ERROR_LAYOUT, "extent " + std::to_string(n) + " is negative");
  if (parts < 1)
    throw Error(HFFT_ERROR_LAYOUT, "cannot cut over " + std::to_string(parts) + " parts");
  if (block < 0)
    throw Error(HFFT_ERROR_LAYOUT, "block size " + std::to_string(block) + " is negative");
  const std::ptrdiff_t smallest = n / parts + (n % parts != 0 ? 1 : 0);
  block_ = block != 0 ? block : std::max<std::ptrdiff_t>(smallest, 1);
  if (block_ < smallest)
    throw Error(HFFT_ERROR_LAYOUT, "blocks of " + std::to_string(block) + " on " +
                                       std::to_string(parts) + " ranks do not cover " +
                                       std::to_string(n) + " points, at least " +
                                       std::to_string(smallest) + " is needed");
}

std::ptrdiff_t BlockDistribution::start(int part) const {
  // Compare by a division, because part * block may overflow for huge blocks of users.
  return part > n_ / block_ ? n_ : std::min(n_, part * block_);
}

std::ptrdiff_t BlockDistribution::count(int part) const {
  return std::min(block_, n_ - start(part));
}

int BlockDistribution::working_parts() const {
  return static_cast<int>(n_ / block_ + (n_ % block_ != 0 ? 1 : 0));
}

} // namespace hybridfft
