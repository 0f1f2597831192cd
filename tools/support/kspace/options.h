/// The command line of hybridfft-kspace, compatible with k-Wave's kspaceFirstOrder-OMP.
#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

#include "solvers/kspace/simulation.h"
#include "support/solver_report.h"

namespace hybridfft::tools {

struct KspaceOptions {
  bool help = false;
  bool version = false;
  std::string input;
  std::string output;
  int threads = 0;                       ///< per rank; 0: chosen by default_threads()
  int progress_interval = 5;             ///< percent
  bool profile = false;                  ///< print the parts of a step's time
  int verbosity = 0;                     ///< 0 basic, 1 advanced, 2 full
  int diverged_status = status_diverged; ///< exit status if the fields have diverged
  std::int64_t checkpoint_interval = 0;  ///< seconds
  kspace::SimulationOptions simulation;
};

/// An error in the command line.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Parses the command line as GNU getopt_long does: long options may be abbreviated and written as
/// --name=value or --name value, in any order. The last of several values counts, and words without
/// an option are ignored.
/// \throws UsageError
KspaceOptions parse_kspace_options(int argc, char **argv);

/// The text of --help.
std::string kspace_usage();

} // namespace hybridfft::tools
