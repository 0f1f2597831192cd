/// Which sizes of a grid are good for its transforms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kspace/slab.h"

namespace hybridfft::kspace {

std::ptrdiff_t largest_prime_factor(std::ptrdiff_t n);

/// The smallest size of at least n without prime factors above 13, for which there are fast
/// kernels.
std::ptrdiff_t next_good_size(std::ptrdiff_t n);

/// About how much longer a time step takes per point than on the next good sizes.
double expected_slowdown(const Extents &n);

/// A piece of advice for each axis whose size has a prime factor above 13.
std::vector<std::string> size_advice(const Extents &n);

} // namespace hybridfft::kspace
