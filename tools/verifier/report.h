/// The result of a verification, the same on all ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::verifier {

struct Check {
  std::string name;
  double error = 0;     ///< relative, in the L2 norm over all ranks; 0 or 1 for yes/no checks
  double tolerance = 0; ///< its derivation: tolerance.h; 0 for yes/no checks
  std::string detail;   ///< why a check failed, empty otherwise
  bool passed() const { return error <= tolerance; } ///< false for NaN
};

struct Report {
  std::vector<Check> checks;

  bool passed() const;
  /// The check with the largest error/tolerance; failed ones before all others.
  const Check &worst() const;
  /// The failed checks, one per line; empty when passed.
  std::string failures() const;
};

/// True when ok is true on all ranks; otherwise `reason` becomes that of the lowest rank where it
/// is not, with "[rank r] " before it. Collective.
bool agree(MPI_Comm comm, bool ok, std::string &reason);

} // namespace hybridfft::verifier
