#include "kspace/machine.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

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
  // Limits of the control group; without one the first file holds "max", the second a huge number.
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

} // namespace hybridfft::kspace
