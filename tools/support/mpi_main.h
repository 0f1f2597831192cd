/// The main function of all programs: initialises MPI, parses options by CLI11, and returns the
/// same exit status on all ranks.
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

/// Functions of a program for parsing its command line and reporting errors.
struct ProgramParts {
  /// Called on every rank. `speaks` is true on rank 0, the only one to print help, version and
  /// errors.
  std::function<Parsed(bool speaks)> parse;
  std::function<void(const std::string &reason)> report_error;
  /// True if the command line requests checkpoints. SIGTERM and SIGUSR1 then set stop_requested().
  /// nullptr: the program has no checkpoints.
  std::function<bool()> has_checkpoints = nullptr;
};

/// True after SIGTERM or SIGUSR1, if the program has checkpoints. Batch systems send a signal
/// before the time limit.
bool stop_requested();

/// Runs a program in these steps. Chooses how threads wait (waiting.h), which may restart the
/// program. Initialises MPI with MPI_THREAD_FUNNELED. Warns of unknown environment variables
/// HFFT_*. Parses the command line on every rank. Runs `body` between MPI_Init and MPI_Finalize.
///
/// If `body` throws on all ranks alike (io::IoError, Error, std::exception), rank 0 reports the
/// reason and every rank returns 1. If it throws on some ranks only, the job is aborted with status
/// 1, so no rank hangs. SIGHUP, SIGINT and SIGTERM remove unfinished files before they end the
/// program, unless SIGTERM requests a checkpoint.
/// \return the exit status of the process
int run(int argc, char **argv, const ProgramParts &frame, const std::function<int(MPI_Comm)> &body);

/// Runs a program like run() above, with options parsed by CLI11. Prints errors as "PROGRAM: error:
/// REASON" on stderr, with a hint to --help for errors in the command line, and a hint to -i or -o
/// for a file without an option. Checkpoints are requested by the option --checkpoint_file.
int run(int argc, char **argv, CLI::App &app, const std::function<int(MPI_Comm)> &body);

} // namespace hybridfft::tools
