/// What wisdom is filed under: machine, library version, ranks, threads and problem.
#pragma once

#include <string>

#include "plan/machine.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// The key of a problem on this machine, the same on all ranks that have the same machine.
std::string wisdom_key(const Problem &problem, std::size_t real_bytes, const Machine &machine,
                       int ranks);

/// Throws Failure(HFFT_ERROR_WISDOM) naming the first word that is wrong. Returns whether the key
/// is of this version of the library.
bool check_key(const std::string &key);

} // namespace hybridfft::plan
