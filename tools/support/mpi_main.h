/// The frame of every program: MPI with the thread level that plans need, options by CLI11, and
/// one exit status on all ranks.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace hybridfft::tools {

/// The result of parsing a command line: to go on, or to stop with a status.
struct Parsed {
  bool stop = false;
  int status = 0;
};

/// A program's functions that parse its command line and report errors.
struct Frame {
  /// Called on every rank; `speaks` on rank 0 only: help, version and errors come from there.
  std::function<Parsed(bool speaks)> parse;
  std::function<void(const std::string &reason)> report_error;
};

/// Chooses how threads wait (waiting.h), which may start the program once more, initialises MPI
/// (MPI_THREAD_FUNNELED), warns of unknown environment variables HFFT_*, parses the command line on
/// every rank, and runs `body` between MPI_Init and MPI_Finalize. `body` may throw on all ranks
/// alike (io::IoError, Error, std::exception): rank 0 reports the reason and every rank returns 1;
/// when it throws on some ranks only, the job is aborted with status 1 so that no rank hangs.
/// Returns the exit status of the process. SIGHUP, SIGINT and SIGTERM, unless the program has
/// handlers for them, remove unfinished files before they end it.
int run(int argc, char **argv, const Frame &frame, const std::function<int(MPI_Comm)> &body);

/// The same with options by CLI11; reasons are printed as "PROGRAM: error: REASON" on stderr, those
/// of a wrong command line with a hint to --help, and to -i or -o where a file follows no option.
int run(int argc, char **argv, CLI::App &app, const std::function<int(MPI_Comm)> &body);

} // namespace hybridfft::tools
