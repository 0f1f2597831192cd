/// The keys under which wisdom is filed: machine, library version, ranks, threads and problem.
#pragma once

#include <string>

#include "plan/grid_choice.h"
#include "plan/machine.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// The key of a problem on a machine: of a plan, and of a process grid for pencils. What is known
/// of ranks that HFFT_EXCHANGE holds to one exchange, or HFFT_THREADS to all threads that they are
/// given, is no knowledge of others.
std::string wisdom_key(const Problem &problem, const Machine &machine);
std::string wisdom_key(const PencilProblem &problem, const Machine &machine, int ranks);

/// The key of which library is faster at a problem, whose words have no meaning here; otherwise
/// likewise. What is known is "by=hybridfft" or "by=fftw", and perhaps more words.
std::string library_key(const std::string &problem, const Machine &machine, int ranks);

/// Kinds of knowledge that are filed under keys.
enum class KeyOf { transform, grid, library };
struct CheckedKey {
  KeyOf of = KeyOf::transform; ///< known of keys of this version
  bool this_version = false;   ///< the key is from this version of the library
};

/// Throws Failure(HFFT_ERROR_WISDOM) naming the first pair that is wrong.
CheckedKey check_key(const std::string &key);

} // namespace hybridfft::plan
