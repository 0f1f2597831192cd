/// Result of a verification: a list of checks, equal on all ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::verifier {

struct Check {
  std::string name;
  double error =
      0; ///< relative error in the L2 norm over all ranks; for yes/no checks 0 (passed) or 1
  double tolerance = 0;                              ///< from tolerance.h; 0 for yes/no checks
  std::string detail;                                ///< reason of a failure; empty if passed
  bool passed() const { return error <= tolerance; } ///< false if the error is NaN
};

struct Report {
  std::vector<Check> checks;

  bool passed() const;
  /// Returns a failed check if there is one, else the check with the largest error / tolerance.
  const Check &worst() const;
  /// The failed checks, one per line; empty if all have passed.
  std::string failures() const;
};

/// True if `ok` is true on all ranks. Otherwise sets `reason` on all ranks to "[rank r] " and the
/// reason of the lowest rank r with a false `ok`. Collective.
bool agree(MPI_Comm comm, bool ok, std::string &reason);

} // namespace hybridfft::verifier
