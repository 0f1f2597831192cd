/// Splits MPI_COMM_WORLD into the groups of a round, and parses the option --ranks.
#include "support/rank_groups.h"

#include <numeric>
#include <sstream>
#include <stdexcept>

#include "support/mpi_test.h"

namespace hybridfft::test {
namespace {

/// The communicators of all rounds; the last one is current. None is freed before leave_rounds():
/// MPICH would reuse the context of a freed communicator. Some tests leave messages unreceived on
/// purpose, and the new communicator would receive them.
std::vector<MPI_Comm> entered;

} // namespace

MPI_Comm world() { return entered.empty() ? MPI_COMM_NULL : entered.back(); }

Rounds parse_rounds(const std::string &text, int ranks) {
  Rounds rounds;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::vector<int> &sizes = rounds.emplace_back();
    std::istringstream numbers(part);
    for (std::string number; std::getline(numbers, number, '+');) {
      std::size_t used = 0;
      sizes.push_back(std::stoi(number, &used));
      if (used != number.size() || sizes.back() < 1)
        throw std::invalid_argument("found '" + number + "', expected a number of ranks");
    }
    if (std::accumulate(sizes.begin(), sizes.end(), 0) != ranks)
      throw std::invalid_argument("found '" + part + "', expected " + std::to_string(ranks) +
                                  " ranks together");
  }
  return rounds;
}

void enter_round(const std::vector<int> &sizes) {
  const int rank = rank_of(MPI_COMM_WORLD);
  int group = 0;
  for (int end = sizes[0]; rank >= end; end += sizes[static_cast<std::size_t>(group)])
    ++group;
  MPI_Comm_split(MPI_COMM_WORLD, group, rank, &entered.emplace_back(MPI_COMM_NULL));
}

void leave_rounds() {
  for (MPI_Comm &comm : entered)
    MPI_Comm_free(&comm);
  entered.clear();
}

} // namespace hybridfft::test
