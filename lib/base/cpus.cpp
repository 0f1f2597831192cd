#include "base/cpus.h"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <new>
#include <set>

namespace hybridfft {

namespace {

/// Returns the CPUs available to the calling thread.
std::vector<int> own_cpus() {
  std::vector<int> allowed;
  // Machines may have more processors than cpu_set_t: enlarge the mask until it fits.
  for (std::size_t processors = CPU_SETSIZE; processors <= (std::size_t{1} << 20);
       processors *= 2) {
    std::vector<cpu_set_t> mask(processors / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    for (std::size_t p = 0; p < processors; ++p)
      if (CPU_ISSET_S(p, bytes, mask.data())) allowed.push_back(static_cast<int>(p));
    break;
  }
  return allowed;
}

} // namespace

std::vector<int> allowed_cpus(int threads) {
  if (threads == 1) return own_cpus();
  std::set<int> all;
  bool failed = false;
  // Exceptions must not leave the parallel region.
#pragma omp parallel num_threads(threads)
#pragma omp critical(hfft_allowed_cpus)
  {
    try {
      const std::vector<int> own = own_cpus();
      all.insert(own.begin(), own.end());
    } catch (const std::bad_alloc &) {
      failed = true;
    }
  }
  if (failed) throw std::bad_alloc();
  return {all.begin(), all.end()};
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

} // namespace hybridfft
