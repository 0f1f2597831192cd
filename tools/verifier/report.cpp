// Finds the worst check of a report and prints the failed checks.
#include "verifier/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace hybridfft::verifier {

bool Report::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check &c) { return c.passed(); });
}

const Check &Report::worst() const {
  const auto badness = [](const Check &c) {
    if (!c.passed()) return HUGE_VAL;
    return c.tolerance > 0 ? c.error / c.tolerance : 0.0;
  };
  return *std::max_element(checks.begin(), checks.end(),
                           [&](const Check &a, const Check &b) { return badness(a) < badness(b); });
}

std::string Report::failures() const {
  std::string text;
  for (const Check &c : checks) {
    if (c.passed()) continue;
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "error %.2e, tolerance %.2e", c.error, c.tolerance);
    text += "  " + c.name + ": " + numbers + "; " + c.detail + "\n";
  }
  return text;
}

bool agree(MPI_Comm comm, bool ok, std::string &reason) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int lowest = ok ? size : rank;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == size) return true;
  reason = "[rank " + std::to_string(lowest) + "] " + reason;
  int length = static_cast<int>(reason.size());
  MPI_Bcast(&length, 1, MPI_INT, lowest, comm);
  reason.resize(static_cast<std::size_t>(length));
  MPI_Bcast(reason.data(), length, MPI_CHAR, lowest, comm);
  return false;
}

} // namespace hybridfft::verifier
