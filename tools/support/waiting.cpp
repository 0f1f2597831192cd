// Sets environment variables of OpenMP and Open MPI, and executes the program again, because both
// read them at their start.
#include "support/waiting.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace hybridfft::tools {

namespace {

bool is_set(const char *name) { return std::getenv(name) != nullptr; }

} // namespace

void choose_waiting(char **argv) {
  constexpr std::array<const char *, 3> of_threads{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                                                   "KMP_BLOCKTIME"};
  constexpr const char *of_ranks = "OMPI_MCA_mpi_yield_when_idle";
  const bool threads_set = std::any_of(of_threads.begin(), of_threads.end(), is_set);
  if (threads_set && is_set(of_ranks)) return;
  if (!threads_set) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    // Without this setting GCC's runtime would not spin at all, although parallel regions follow
    // each other within microseconds.
    setenv("GOMP_SPINCOUNT", "1000", 1);
  }
  setenv(of_ranks, "1", 0);
  // The real path makes process lists show the program's name.
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv(program.c_str(), argv);
}

} // namespace hybridfft::tools
