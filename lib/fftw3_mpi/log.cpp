#include "fftw3_mpi/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::fftw3_mpi {

namespace {

struct Record {
  std::string what;
  bool speaks = false; ///< rank 0 of its communicator
  long executions = 0;
  double seconds = 0;
};

/// Plans that are alive. Never destroyed itself: programs destroy plans from destructors of static
/// objects.
struct Journal {
  std::mutex mutex;
  std::map<const void *, Record> plans;
};

void write(const std::string &line) {
  std::fprintf(stderr, "hybridfft-fftw3-mpi: %s\n", line.c_str());
}

void write(const Record &r) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), ": executed %ld times, %.6f s in all, %.6f s each",
                r.executions, r.seconds,
                r.executions > 0 ? r.seconds / static_cast<double>(r.executions) : 0.0);
  if (r.speaks) write(r.what + text.data());
}

Journal &journal() {
  static auto *instance = new Journal;
  return *instance;
}

/// Writes the lines of plans that are left when the process ends.
void write_all() {
  const std::lock_guard lock(journal().mutex);
  for (const auto &[plan, record] : journal().plans)
    write(record);
  journal().plans.clear();
}

} // namespace

std::string environment_word(const char *name, const std::vector<std::string> &words) noexcept {
  std::string word;
  run_reporting([&] { word = word_of_environment(name, words); },
                [](hfft_error, const char *reason) { write(reason); });
  return word;
}

bool logging() noexcept {
  static const bool on = environment_word("HFFT_DROPIN_LOG", {"0", "1"}) == "1";
  return on;
}

void tell_unknown_variables(MPI_Comm comm) noexcept {
  static std::atomic<bool> told = false;
  if (!mpi::running() || told.exchange(true)) return;
  run_reporting(
      [&] {
        if (mpi::rank(comm) != 0) return;
        for (const std::string &name : unknown_environment_variables())
          write("warning: the environment variable " + name + " is unknown");
      },
      [](hfft_error, const char *) {});
}

void log_line(MPI_Comm comm, const std::string &line) {
  if (logging() && mpi::rank(comm) == 0) write(line);
}

void log_plan(const void *plan, MPI_Comm comm, const std::string &what) {
  if (!logging() || plan == nullptr) return;
  static const int registered = std::atexit(write_all);
  static_cast<void>(registered);
  const std::lock_guard lock(journal().mutex);
  journal().plans[plan] = {what, mpi::rank(comm) == 0};
}

void log_destroyed(const void *plan) {
  if (!logging()) return;
  const std::lock_guard lock(journal().mutex);
  const auto found = journal().plans.find(plan);
  if (found == journal().plans.end()) return;
  write(found->second);
  journal().plans.erase(found);
}

thread_local bool LoggedExecution::active = false;

void LoggedExecution::count(const void *plan, double seconds) noexcept {
  const std::lock_guard lock(journal().mutex);
  const auto found = journal().plans.find(plan);
  if (found == journal().plans.end()) return;
  ++found->second.executions;
  found->second.seconds += seconds;
}

} // namespace hybridfft::fftw3_mpi
