// Parses the command line, runs the body of a program, and agrees on the exit status: all ranks
// return the same status, or one rank aborts the job.
#include "support/mpi_main.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"
#include "io/temporary.h"
#include "support/cli_options.h"
#include "support/waiting.h"

namespace hybridfft::tools {

namespace {

volatile std::sig_atomic_t stop_signal = 0; ///< 1 after a signal, else 0
void take_signal(int /*number*/) { stop_signal = 1; }

/// Installs handlers to remove incomplete files if a signal ends the program. Signals already
/// ignored or handled are left unchanged.
void remove_files_on_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
        action.sa_handler != SIG_DFL)
      continue;
    // The handler runs only once. The signal, raised again, then has its default effect.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    action.sa_handler = [](int number) {
      io::remove_unpublished();
      std::raise(number);
    };
    sigaction(signal, &action, nullptr);
  }
}

/// Returns the file options (-i, -o) that the command line has not set. They are suggested for
/// words without an option.
std::vector<std::string> free_file_options(const CLI::App &app) {
  std::vector<std::string> free;
  for (const char *name : {"-i", "-o"})
    if (const CLI::Option *o = app.get_option_no_throw(name); o != nullptr && o->count() == 0)
      free.emplace_back(name);
  return free;
}

void warn_of_unknown_variables() {
  std::istringstream lines(describe_unknown_environment_variables());
  for (std::string line; std::getline(lines, line);)
    std::fprintf(stderr, "%s: warning: %s\n", program_invocation_short_name,
                 printable(line).c_str());
}

Parsed parse(CLI::App &app, int argc, char **argv, bool speaks) {
  check_numbers(app);
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Success &asked) { // for --help or --version
    std::ostringstream out;
    app.exit(asked, out, out);
    if (speaks) std::fputs(out.str().c_str(), stdout);
    return {true, 0};
  } catch (const CLI::ParseError &e) {
    const std::string program = app.get_name();
    if (speaks)
      std::fprintf(
          stderr, "%s: error: %s\nTry '%s --help'.\n", program.c_str(),
          printable_lines(e.what() + did_you_mean(app.remaining(), free_file_options(app))).c_str(),
          program.c_str());
    return {true, 1};
  }
}

/// True if all ranks have failed or none has: all ranks can then end with the same status. A failed
/// rank waits at most 5 seconds for the others, since they may be blocked.
bool all_failed(MPI_Comm comm, bool failed) {
  int mine = failed ? 1 : 0;
  int total = 0;
  int size = 1;
  MPI_Comm_size(comm, &size);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &total, 1, MPI_INT, MPI_SUM, comm, &request);
  const double deadline = MPI_Wtime() + 5.0;
  int done = 0;
  while (done == 0 && (!failed || MPI_Wtime() < deadline))
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0 && (total == size || total == 0);
}

} // namespace

bool stop_requested() { return stop_signal != 0; }

int run(int argc, char **argv, const ProgramParts &frame,
        const std::function<int(MPI_Comm)> &body) {
  // Comes first: it may restart the program, which forgets signals handled earlier.
  choose_waiting(argv);
  // A batch system may send signals at any time, so the handlers are installed before MPI starts.
  const bool has_checkpoints = frame.has_checkpoints && frame.has_checkpoints();
  if (has_checkpoints)
    for (const int signal : {SIGTERM, SIGUSR1})
      std::signal(signal, take_signal);
  remove_files_on_signals();
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  // Replaces a handler that MPICH's MPI_Init installs. MPICH's handler contacts the process manager
  // and would fail in a rank started without mpiexec.
  if (has_checkpoints) std::signal(SIGUSR1, take_signal);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) warn_of_unknown_variables();
  const Parsed parsed = frame.parse(rank == 0);
  int status = parsed.status;
  if (!parsed.stop) {
    std::string reason;
    bool failed = false;
    try {
      status = body(MPI_COMM_WORLD);
    } catch (const std::bad_alloc &e) {
      failed = true;
      reason = reason_of(e);
    } catch (const std::length_error &) { // requested size exceeds any memory
      failed = true;
      reason = OutOfMemory(SIZE_MAX).what();
    } catch (const std::exception &e) {
      failed = true;
      reason = e.what();
    }
    if (failed) status = 1;
    const bool alike = all_failed(MPI_COMM_WORLD, failed);
    if (failed && (rank == 0 || !alike)) frame.report_error(reason);
    if (!alike) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

int run(int argc, char **argv, CLI::App &app, const std::function<int(MPI_Comm)> &body) {
  const ProgramParts frame{[&](bool speaks) { return parse(app, argc, argv, speaks); },
                           [&](const std::string &reason) {
                             std::fprintf(stderr, "%s: error: %s\n", app.get_name().c_str(),
                                          printable_lines(reason).c_str());
                           },
                           [&] {
                             return std::any_of(argv, argv + argc, [](const char *argument) {
                               return std::string_view(argument).starts_with("--checkpoint_file");
                             });
                           }};
  return run(argc, argv, frame, body);
}

} // namespace hybridfft::tools
