/// Pseudo-random problems of every kind, for sweeps.
#pragma once

#include <cstdint>

#include "verifier/problem.h"

namespace hybridfft::verifier {

struct Sweep {
  std::uint64_t seed = 1;
  std::ptrdiff_t max_values = 4000; ///< maximum of points times howmany
  int max_threads = 1;
  int ranks = 1; ///< number of ranks; block sizes must suffice for them
};

/// Returns problem number `index` of a sweep, equal on every rank and platform. It has two to five
/// dimensions; extents are small composites, primes and ones.
Problem random_problem(const Sweep &sweep, std::uint64_t index);

} // namespace hybridfft::verifier
