#include "support/machine_info.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "support/compact_list.h"

namespace hybridfft::tools {

namespace {

/// The value behind "key   : value" in /proc/cpuinfo, of the first processor.
std::string cpuinfo(const std::string &key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

bool starts_with(const std::string &text, const char *start) { return text.rfind(start, 0) == 0; }

} // namespace

std::string cpu_description() {
  std::istringstream flags(cpuinfo("flags"));
  std::string features;
  for (std::string flag; flags >> flag;)
    if (flag == "sse2" || flag == "avx" || flag == "avx2" || flag == "fma" ||
        starts_with(flag, "avx512"))
      features += " " + flag;
  const std::string model = cpuinfo("model name");
  return (model.empty() ? "unknown processor" : model) + ", " +
         std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) +
         " processors:" + (features.empty() ? " no known features" : features);
}

std::string processor_set() {
  // Machines may have more processors than cpu_set_t: let the mask grow until it is large enough.
  for (std::size_t processors = CPU_SETSIZE; processors <= (std::size_t{1} << 20);
       processors *= 2) {
    std::vector<cpu_set_t> mask(processors / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) != 0) continue;
    std::vector<int> allowed;
    for (std::size_t p = 0; p < processors; ++p)
      if (CPU_ISSET_S(p, bytes, mask.data())) allowed.push_back(static_cast<int>(p));
    return compact_list(allowed);
  }
  return "unknown";
}

std::string relevant_environment() {
  std::set<std::string> found;
  for (char **variable = environ; *variable != nullptr; ++variable)
    for (const char *start : {"OMP_", "HFFT_", "GOMP_", "KMP_"})
      if (starts_with(*variable, start)) found.insert(*variable);
  std::string text;
  for (const std::string &variable : found)
    text += (text.empty() ? "" : "\n") + variable;
  return text.empty() ? "none" : text;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

} // namespace hybridfft::tools
