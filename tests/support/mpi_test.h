/// Helpers of tests on several ranks.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cctype>
#include <string>

namespace hybridfft::test {

/// The ranks of the current test: all of MPI_COMM_WORLD, or a group of them while other groups run
/// the same test (rank_groups.h). Valid while tests run.
MPI_Comm world();

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Returns true on all ranks if ok is true on every rank, else false on all. Collective.
inline bool everywhere(bool ok, MPI_Comm comm = world()) {
  int all = ok ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

/// Succeeds on every rank if all ranks have the same value. Collective.
inline ::testing::AssertionResult same_everywhere(int value, MPI_Comm comm = world()) {
  int extremes[2] = {value, -value};
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, comm);
  if (extremes[0] == -extremes[1]) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "ranks disagree: " << value << " here, from " << -extremes[1] << " to " << extremes[0];
}

/// Returns a valid name for a parameter of a GoogleTest suite: '[' becomes 'I', ']' becomes 'O',
/// and any other character except letters and digits becomes '_'.
inline std::string test_name(std::string text) {
  for (char &c : text) {
    if (c == '[') c = 'I';
    if (c == ']') c = 'O';
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

} // namespace hybridfft::test
