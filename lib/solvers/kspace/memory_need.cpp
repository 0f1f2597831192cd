#include "solvers/kspace/memory_need.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "base/error.h"

namespace hybridfft::kspace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

double machine_memory() {
  double least = std::numeric_limits<double>::infinity();
  struct sysinfo system {};
  if (::sysinfo(&system) == 0)
    least = (static_cast<double>(system.totalram) + static_cast<double>(system.totalswap)) *
            system.mem_unit;
  // Limits of the control group. Without a limit the first file contains "max", the second a huge
  // number.
  for (const char *name :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(name);
    if (double bytes = 0; file >> bytes) least = std::min(least, bytes);
  }
  return least;
}

double process_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? static_cast<double>(limit.rlim_cur)
             : std::numeric_limits<double>::infinity();
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::string gigabytes(double bytes) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.3f GB", bytes / 1e9);
  return text.data();
}

namespace {

std::string grid_of(const Parameters &p) {
  return std::to_string(p.n[0]) + " x " + std::to_string(p.n[1]) + " x " + std::to_string(p.n[2]) +
         " points (Nx, Ny, Nz)";
}

} // namespace

void throw_out_of_memory(const std::string &input, const Parameters &p, const MemoryNeed &need,
                         const grid::Communicator &comm) {
  const double needed = comm.sum(need.bytes());
  const double machine = -comm.max(-machine_memory());
  const double process = -comm.max(-process_limit());
  std::string found = gigabytes(machine) + " on a machine";
  if (std::isfinite(process)) found += " and " + gigabytes(process) + " for a process (ulimit -v)";
  throw Failure(HFFT_ERROR_OUT_OF_MEMORY,
                input + ": out of memory: a simulation of " + grid_of(p) + " takes " +
                    gigabytes(needed) + " for " + std::to_string(need.fields) +
                    " fields, sources and sensor alone, found " + found + " (" +
                    std::to_string(comm.hosts().size()) + " of them, " +
                    std::to_string(comm.size()) +
                    " ranks in all); expected more machines, or a smaller grid");
}

void require_memory(const std::string &input, const Parameters &parameters, const MemoryNeed &need,
                    const grid::Communicator &comm) {
  const bool fits =
      comm.sum_of_machine(need.bytes()) <= machine_memory() && need.bytes() <= process_limit();
  if (comm.max(std::int64_t{fits ? 0 : 1}) == 1) throw_out_of_memory(input, parameters, need, comm);
}

void require_device_memory(const std::string &input, const Parameters &parameters, double bytes,
                           const device::Runtime &runtime, const grid::Communicator &comm) {
  const auto free = static_cast<double>(runtime.memory().free);
  const double needed = grid::sum_of_device(comm, runtime, bytes);
  const double ranks = grid::sum_of_device(comm, runtime, 1);
  const bool cut = !parameters.axisymmetric && !parameters.nonuniform_grid;
  comm.agree([&] {
    if (needed <= free) return;
    throw Failure(
        HFFT_ERROR_OUT_OF_MEMORY,
        input + ": out of memory: a simulation of " + grid_of(parameters) + " takes " +
            gigabytes(needed) + " on " + runtime.describe() + " (" +
            std::to_string(static_cast<int>(ranks)) + " of " + std::to_string(comm.size()) +
            " ranks), found " + gigabytes(free) + " free there; expected " +
            (cut ? "more GPUs with --basis local" : "--device cpu") + ", or a smaller grid");
  });
}

} // namespace hybridfft::kspace
