/// The result of a verification, equal on all ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::verifier {

struct Check {
  std::string name;
  double error = 0;     ///< relative error in the L2 norm over all ranks; 0 or 1 for yes/no checks
  double tolerance = 0; ///< derived in tolerance.h; 0 for yes/no checks
  std::string detail;   ///< reason of a failure, else empty
  bool passed() const { return error <= tolerance; } ///< false for NaN
};

struct Report {
  std::vector<Check> checks;

  bool passed() const;
  /// The check with the largest error/tolerance; failed ones precede all others.
  const Check &worst() const;
  /// The failed checks, one per line; empty if all passed.
  std::string failures() const;
};

/// True if `ok` is true on all ranks. Otherwise `reason` becomes "[rank r] " and the reason of the
/// lowest failed rank. Collective.
bool agree(MPI_Comm comm, bool ok, std::string &reason);

} // namespace hybridfft::verifier
