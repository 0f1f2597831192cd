/// Keys of wisdom. A key names the machine, the library version, the ranks and threads, and the
/// problem. Wisdom is used only under an equal key.
#pragma once

#include <string>

#include "plan/grid_choice.h"
#include "plan/machine.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// Returns the key of a plan, or of a process grid for pencils. HFFT_EXCHANGE and HFFT_THREADS=all
/// are part of the key, because results under such a restriction are not valid without it.
std::string wisdom_key(const Problem &problem, const Machine &machine);
std::string wisdom_key(const PencilProblem &problem, const Machine &machine, int ranks);

/// Returns the key of the measured choice between libraries for a problem. The text of the problem
/// is not interpreted. The value is "by=hybridfft" or "by=fftw", with optional further words.
std::string library_key(const std::string &problem, const Machine &machine, int ranks);

/// Kinds of results stored in wisdom.
enum class KeyOf { transform, grid, library };
struct CheckedKey {
  KeyOf of = KeyOf::transform; ///< set for keys of this version
  bool this_version = false;   ///< true if the key has the version of this library
};

/// Checks a key. Throws Failure(HFFT_ERROR_WISDOM) naming the first wrong pair.
CheckedKey check_key(const std::string &key);

} // namespace hybridfft::plan
