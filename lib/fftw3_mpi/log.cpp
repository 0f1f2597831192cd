#include "fftw3_mpi/log.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"
#include "wisdom/store.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Executions of a plan so far.
struct Record {
  std::string what;
  bool speaks = false; ///< true on the rank that prints: rank 0 of the plan's communicator
  long executions = 0;
  double seconds = 0;
};

void write(const std::string &line) {
  std::fprintf(stderr, "hybridfft-fftw3-mpi: %s\n", line.c_str());
}

/// Warnings about the environment, at most one per subject: a variable's name, or "" for wisdom.
class Warnings {
public:
  void add(const std::string &about, const std::string &line) {
    const std::lock_guard lock(mutex_);
    lines_.try_emplace(about, line);
  }
  /// Marks the new lines as printed. Prints them only if `speaks` is true.
  void write(bool speaks) {
    const std::lock_guard lock(mutex_);
    for (auto &[about, line] : lines_)
      if (!line.empty()) {
        if (speaks) fftw3_mpi::write("warning: " + line);
        line.clear();
      }
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::string> lines_; ///< text of each subject; empty once printed
};
Warnings &warnings() {
  static auto *instance = new Warnings;
  return *instance;
}

/// Logged plans, until their destruction. Never destroyed, because static destructors may destroy
/// plans.
struct Journal {
  std::mutex mutex;
  std::map<const void *, Record> plans;
};

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

/// Prints the lines of plans not destroyed by the end of the process.
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
                [&](hfft_error, const char *reason) { ignore_variable(name, reason); });
  return word;
}

bool logging() noexcept {
  static const bool on = environment_word("HFFT_DROPIN_LOG", {"0", "1"}) == "1";
  return on;
}

void ignore_variable(const std::string &name, const std::string &reason) {
  ignore_environment(name);
  warnings().add(name, reason + "; it is ignored");
}

void warn_of_environment(MPI_Comm comm) noexcept {
  if (!mpi::running()) return;
  run_reporting(
      [&] {
        static_cast<void>(logging()); // detects an invalid HFFT_DROPIN_LOG
        for (const std::string &name : unknown_environment_variables())
          warnings().add(name, "the environment variable " + name + " is unknown");
        if (const std::string unsaved = wisdom::describe_unsaved(); !unsaved.empty())
          warnings().add("", unsaved.substr(0, unsaved.find('\n')));
        warnings().write(mpi::rank(comm) == 0);
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
