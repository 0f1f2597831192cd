// Reads /proc, /sys, the scheduling affinity and the control groups of Linux.
#include "support/machine_info.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/machine_parameters.h"
#include "base/text.h"

namespace hybridfft::tools {

namespace {

/// Returns the value of "key : value" in /proc/cpuinfo for the first processor.
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

/// Returns the first line of a file; empty if there is no file.
std::string first_line(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Converts a list such as "0-3,8" to numbers.
std::vector<int> expanded(const std::string &list) {
  std::vector<int> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first = 0;
    int last = 0;
    char dash = 0;
    if (!(range >> first)) continue;
    if (!(range >> dash >> last)) last = first;
    for (int n = first; n <= last; ++n)
      numbers.push_back(n);
  }
  return numbers;
}

/// Returns a setting of this process's control group, or of the nearest ancestor with this setting.
std::string control_group_setting(const std::string &name) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue; // only version 2 of control groups is used
    for (std::string group = line.substr(3); !group.empty();
         group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'))) {
      const std::string found = first_line("/sys/fs/cgroup" + group + "/" + name);
      if (!found.empty()) return found;
    }
  }
  return first_line("/sys/fs/cgroup/" + name);
}

/// Returns the core of a processor. The number of a core is its lowest processor.
int core_of(int cpu) {
  const std::vector<int> siblings = expanded(first_line(
      "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list"));
  return siblings.empty() ? cpu : siblings.front();
}

/// Returns the names in a folder in ascending order; empty if there is no such folder.
std::set<std::string> names_in(const std::string &folder) {
  std::set<std::string> names;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    names.insert(entry->path().filename().string());
  return names;
}

/// Formats "distance 10 (21 from processors 0-15)": the cost of memory accesses between a card and
/// the processors of its own NUMA node, and of the other nodes. Firmware reports 10 for local
/// memory.
std::string distances_to(int card, const std::string &nodes) {
  std::string near;
  std::string far;
  for (const int node : expanded(first_line(nodes + "online"))) {
    const std::string folder = nodes + "node" + std::to_string(node) + "/";
    std::istringstream row(first_line(folder + "distance"));
    int distance = 0;
    for (int column = 0; column <= card && row >> distance; ++column)
      ;
    if (!row) continue;
    if (node == card)
      near = "; distance " + std::to_string(distance);
    else
      far += (far.empty() ? " (" : ", ") + std::to_string(distance) + " from processors " +
             first_line(folder + "cpulist");
  }
  return near + far + (far.empty() ? "" : ")");
}

bool starts_with(const std::string &text, const char *start) { return text.rfind(start, 0) == 0; }

} // namespace

std::string cpu_description() {
  // The key is "flags" for x86 and "Features" for AArch64.
  std::istringstream flags(cpuinfo("flags") + " " + cpuinfo("Features"));
  std::string features;
  for (std::string flag; flags >> flag;)
    if (flag == "sse2" || flag == "avx" || flag == "avx2" || flag == "fma" || flag == "asimd" ||
        starts_with(flag, "sve") || starts_with(flag, "avx512"))
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

std::vector<Processor> job_processors() {
  std::vector<int> cpus = expanded(control_group_setting("cpuset.cpus.effective"));
  if (cpus.empty()) cpus = expanded(first_line("/sys/devices/system/cpu/online"));
  std::vector<Processor> processors;
  for (const int cpu : cpus)
    processors.push_back({cpu, core_of(cpu)});
  return processors;
}

std::string network_cards(const std::string &system) {
  std::map<std::string, std::string>
      devices; // names of network devices for each card, InfiniBand's names first
  for (const std::string &folder : {system + "/class/infiniband/", system + "/class/net/"})
    for (const std::string &name : names_in(folder)) {
      std::error_code failed;
      const auto device = std::filesystem::canonical(folder + name + "/device", failed);
      if (failed) continue; // virtual devices without hardware: loopback, bridges, tunnels
      std::string &known = devices[device.string()];
      known += (known.empty() ? "" : " = ") + name;
    }
  std::string text;
  for (const auto &[device, names] : devices) {
    const std::string number = first_line(device + "/numa_node");
    std::istringstream digits(number);
    int node = -1;
    text += (text.empty() ? "" : "\n") + names + ": ";
    if (!(digits >> node) || node < 0) {
      text += "one NUMA node, or an unknown one";
      continue;
    }
    const std::string nodes = system + "/devices/system/node/";
    text += "NUMA node " + std::to_string(node) + ", processors " +
            first_line(nodes + "node" + std::to_string(node) + "/cpulist") +
            distances_to(node, nodes);
  }
  return text.empty() ? "none" : text;
}

double container_limit() {
  std::istringstream limit(control_group_setting("cpu.max"));
  double quota = 0;
  double period = 0;
  return limit >> quota >> period && period > 0 ? quota / period : 0;
}

} // namespace hybridfft::tools
