#include "base/fftw.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

namespace hybridfft {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Limit of this thread's active FftwTimeLimit, and the time of steady_clock at its end, in
/// seconds.
thread_local double limit = never;
thread_local double deadline = never;

std::atomic<bool> left_to_program{false};

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

} // namespace

void *original_symbol(void *linked, const char *neighbour, const char *name) noexcept {
  Dl_info info{};
  void *address = dlsym(RTLD_DEFAULT, neighbour);
  if (address == nullptr || dladdr(address, &info) == 0) return linked;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return linked;
  void *found = dlsym(library, name);
  dlclose(library); // the library stays loaded, because this one is linked to it
  return found != nullptr ? found : linked;
}

std::mutex &fftw_planner_mutex() {
  static std::mutex mutex;
  return mutex;
}

void leave_fftw_threads_to_program() noexcept { left_to_program = true; }
bool fftw_threads_left_to_program() noexcept { return left_to_program; }

FftwTimeLimit::FftwTimeLimit(double seconds)
    : seconds_before_(std::exchange(limit, std::max(seconds, 0.0))),
      deadline_before_(std::exchange(deadline, now() + limit)) {}

FftwTimeLimit::~FftwTimeLimit() {
  limit = seconds_before_;
  deadline = deadline_before_;
}

double fftw_seconds_left() { return limit == never ? never : std::max(deadline - now(), 0.0); }

} // namespace hybridfft
