#include "support/machine_info.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "base/compact_list.h"
#include "base/cpus.h"

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
  const std::vector<int> cpus = allowed_cpus(1);
  return cpus.empty() ? "unknown" : compact_list(cpus);
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
