/// The main function common to all programs: MPI with the thread level needed by plans, options by
/// CLI11, and one exit status on all ranks.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace hybridfft::tools {

/// The result of parsing a command line: continue, or stop with a status.
struct Parsed {
  bool stop = false;
  int status = 0;
};

/// A program's functions to parse its command line and to report errors.
struct ProgramParts {
  /// Called on every rank. `speaks` is true on rank 0 only; it prints help, version and errors.
  std::function<Parsed(bool speaks)> parse;
  std::function<void(const std::string &reason)> report_error;
};

/// Runs a program. Chooses the waiting of threads (waiting.h), which may restart the program.
/// Initialises MPI (MPI_THREAD_FUNNELED), warns of unknown environment variables HFFT_*, parses the
/// command line on every rank, and runs `body` between MPI_Init and MPI_Finalize. If `body` throws
/// on all ranks alike (io::IoError, Error, std::exception), rank 0 reports the reason and every
/// rank returns 1. If it throws on some ranks only, the job is aborted with status 1, so no rank
/// hangs. SIGHUP, SIGINT and SIGTERM remove unfinished files before they end the program, unless it
/// handles them.
/// \return the exit status of the process
int run(int argc, char **argv, const ProgramParts &frame, const std::function<int(MPI_Comm)> &body);

/// Does the same with options by CLI11. Prints errors as "PROGRAM: error: REASON" on stderr. For an
/// error in the command line it adds a hint to --help, and to -i or -o for a file without an
/// option.
int run(int argc, char **argv, CLI::App &app, const std::function<int(MPI_Comm)> &body);

} // namespace hybridfft::tools
