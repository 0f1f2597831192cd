/// Communicators of tests: all ranks of a launch, or groups of them. One launch thereby tests
/// several numbers of ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::test {

/// The sizes of groups by round. "8,6+2,1+3+4" means three rounds: all tests run on eight ranks,
/// then at the same time on the first six and on the last two, then on groups of one, three and
/// four. The sizes of a round add up to `ranks`.
using Rounds = std::vector<std::vector<int>>;

/// Parses the text of the option --ranks for a launch on `ranks` ranks.
/// \throws std::invalid_argument with the wrong part of the text
Rounds parse_rounds(const std::string &text, int ranks);

/// Makes world() (mpi_test.h) the calling rank's group of this round. Collective over
/// MPI_COMM_WORLD.
void enter_round(const std::vector<int> &sizes);

/// Frees the communicators of all rounds.
void leave_rounds();

} // namespace hybridfft::test
