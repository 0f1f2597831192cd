#include "base/mpi.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hybridfft::mpi {

namespace {

/// Outcome of a rank's step. The reason is an array of fixed size, because an allocation may fail.
struct Outcome {
  int code = HFFT_SUCCESS;
  std::array<char, 4096> reason{};
};

Outcome run(const std::function<void()> &step) {
  Outcome outcome;
  run_reporting(step, [&](hfft_error code, const char *reason) {
    outcome.code = code;
    std::strncpy(outcome.reason.data(), reason, outcome.reason.size() - 1);
  });
  return outcome;
}

/// Returns the name and version of an MPI library from the text of MPI_Get_library_version(), such
/// as "Open MPI v4.1.4" or "MPICH Version: 4.0.2".
[[maybe_unused]] std::string library_version(std::string_view text) {
  std::string first(text);
  first.resize(std::min(first.find_first_of(",\n"), first.size()));
  std::replace(first.begin(), first.end(), '\t', ' ');
  return first;
}

std::string find_foreign() {
#if defined(HFFT_MPI_IS_OPEN_MPI) || defined(HFFT_MPI_IS_MPICH)
#ifdef HFFT_MPI_IS_OPEN_MPI
  constexpr bool compiled_for_open_mpi = true;
#else
  constexpr bool compiled_for_open_mpi = false;
#endif
  // The buffer is larger than MPI_MAX_LIBRARY_VERSION_STRING, because a foreign MPI may have a
  // larger limit.
  std::array<char, 16384> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  // Allocates nothing if MPI is of the right kind, because other ranks may already be waiting.
  if (std::string_view(text.data()).starts_with("Open MPI") != compiled_for_open_mpi)
    return "this program runs with " + library_version(text.data()) +
           ", but HybridFFT was built for " HFFT_MPI
           ": build both with the same MPI, and start with its mpirun";
#endif
  return {};
}

bool is_forked = false;
/// Registers the handler when the library is loaded, because a process may fork before MPI_Init and
/// run MPI in the child.
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { is_forked = is_forked || running(); });

} // namespace

void check(int code, const char *call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Failure(HFFT_ERROR_MPI, std::string(call) + " failed: " +
                                    std::string(text, static_cast<std::size_t>(length)));
}

bool forked() { return is_forked; }

#ifdef HFFT_MPI_IS_MPICH
ReturnedErrors::ReturnedErrors() noexcept {
  static const bool threaded = [] {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }();
  if (threaded || MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_) != MPI_SUCCESS) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

ReturnedErrors::~ReturnedErrors() {
  if (before_ == MPI_ERRHANDLER_NULL) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
  MPI_Errhandler_free(&before_);
}
#endif

bool running() {
  if (is_forked) return false;
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

const std::string &foreign() {
  static const std::string reason = find_foreign();
  return reason;
}

void require_running() {
  if (is_forked)
    throw Failure(HFFT_ERROR_MPI_NOT_RUNNING,
                  "MPI does not run in this process, a child that fork() has made of one that runs "
                  "MPI: transform in the parent, or start processes by exec (in Python "
                  "multiprocessing.set_start_method(\"spawn\"))");
  if (!running())
    throw Failure(HFFT_ERROR_MPI_NOT_RUNNING,
                  "MPI is not running: call between MPI_Init and MPI_Finalize");
  if (!foreign().empty()) throw Failure(HFFT_ERROR_MPI, foreign());
}

int rank(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_rank(comm, &value), "MPI_Comm_rank");
  return value;
}

int size(MPI_Comm comm) {
  int value = 0;
  check(MPI_Comm_size(comm, &value), "MPI_Comm_size");
  return value;
}

void all_or_none_by_reference(MPI_Comm comm, const std::function<void()> &step,
                              std::span<std::int64_t> largest) {
  Outcome outcome = run(step);
  // One maximum finds both the largest code and, for this code, the lowest rank.
  constexpr std::int64_t max_ranks = std::int64_t{1} << 32;
  std::array<std::int64_t, max_numbers + 1> numbers{};
  numbers[0] = outcome.code * max_ranks + (max_ranks - 1 - rank(comm));
  std::copy(largest.begin(), largest.end(), numbers.begin() + 1);
  check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(largest.size() + 1),
                      MPI_INT64_T, MPI_MAX, comm),
        "MPI_Allreduce");
  outcome.code = static_cast<int>(numbers[0] / max_ranks);
  if (outcome.code == HFFT_SUCCESS) {
    std::copy_n(numbers.begin() + 1, largest.size(), largest.begin());
    return;
  }
  const int teller = static_cast<int>(max_ranks - 1 - numbers[0] % max_ranks);
  check(MPI_Bcast(outcome.reason.data(), static_cast<int>(outcome.reason.size()), MPI_CHAR, teller,
                  comm),
        "MPI_Bcast");
  fail(static_cast<hfft_error>(outcome.code), [&] { return outcome.reason.data(); });
}

} // namespace hybridfft::mpi
