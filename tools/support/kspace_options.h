/// The command line of hybridfft-kspace: that of k-Wave's kspaceFirstOrder-OMP.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "kspace/simulation.h"

namespace hybridfft::tools {

struct KspaceOptions {
  std::string input;
  std::string output;
  int threads = 0;           ///< per rank, 0: chosen by default_threads()
  int progress_interval = 5; ///< percent
  int verbosity = 0;         ///< 0 basic, 1 advanced, 2 full
  kspace::SimulationOptions simulation;
};

/// Declares the options on app, to be parsed into `options` (which must stay where it is). Options
/// of kspaceFirstOrder-OMP for things that are not here are known, and refused by name.
void declare_kspace_options(CLI::App &app, KspaceOptions &options);

/// OMP_NUM_THREADS if it is set, else an even share of this machine's processors among the ranks
/// that run on it (no more than the rank is bound to). The same on all ranks. Collective.
int default_threads(MPI_Comm comm);

} // namespace hybridfft::tools
