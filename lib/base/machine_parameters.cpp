#include "base/machine_parameters.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <new>
#include <set>
#include <sstream>

#include "base/environment.h"
#include "base/files.h"

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

namespace {

using M = MachineParameters;

/// Maximum bytes of a machine file, far beyond any real one.
constexpr std::size_t max_bytes = std::size_t{1} << 20;

/// A parameter, written on a line of a machine file.
struct MachineParameter {
  const char *name;
  double M::*value;
  const char *meaning; ///< description with the unit
};

constexpr std::array<MachineParameter, 15> parameters{{
    {"core_bandwidth", &M::core_bandwidth, "bytes/s that one core moves to and from memory"},
    {"node_bandwidth", &M::node_bandwidth,
     "bytes/s that all cores of a node move to and from memory"},
    {"cache_bandwidth", &M::cache_bandwidth,
     "bytes/s that one core moves within its second-level cache"},
    {"fftw_rate", &M::fftw_rate, "flop/s of one core in single precision, FFTW's kernels"},
    {"simd_rate", &M::simd_rate, "flop/s of one core in single precision, this library's kernels"},
    {"region_seconds", &M::region_seconds, "s to open and close a parallel region"},
    {"call_seconds", &M::call_seconds, "s that a call of a kernel takes"},
    {"near_latency", &M::near_latency, "s for a message within a node"},
    {"far_latency", &M::far_latency, "s for a message between nodes"},
    {"network_bandwidth", &M::network_bandwidth,
     "bytes/s of a node's network card, in each direction"},
    {"message_overhead", &M::message_overhead, "s of a core for each message sent or received"},
    {"message_gap", &M::message_gap, "s of a node's network card for each message"},
    {"cores", &M::cores, "cores of a node"},
    {"sockets", &M::sockets, "sockets of a node"},
    {"memory", &M::memory, "bytes of memory of a node; 0: unknown"},
}};

std::string trimmed(const std::string &text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

const MachineParameter *find(const std::string &name) {
  for (const MachineParameter &p : parameters)
    if (name == p.name) return &p;
  return nullptr;
}

std::string known_names() {
  std::string names;
  for (const MachineParameter &p : parameters)
    names += (names.empty() ? "" : ", ") + std::string(p.name);
  return names;
}

/// Returns true for a valid value. Divisors and counts are positive; times and memory may be zero.
bool allowed(double M::*member, double value) {
  if (!std::isfinite(value) || value < 0) return false;
  for (double M::*rate :
       {&M::core_bandwidth, &M::node_bandwidth, &M::cache_bandwidth, &M::fftw_rate, &M::simd_rate,
        &M::network_bandwidth, &M::cores, &M::sockets})
    if (member == rate) return value > 0;
  return true;
}

void read_line(const std::string &line, const std::string &where, MachineParameters &machine) {
  const std::size_t equals = line.find('=');
  const std::string name = trimmed(line.substr(0, equals));
  const MachineParameter *p = find(name);
  if (equals == std::string::npos || p == nullptr)
    throw FileError(where + ": found '" + trimmed(line) +
                    "', expected 'name = value' with one of " + known_names());
  const std::string text = trimmed(line.substr(equals + 1));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !allowed(p->value, value))
    throw FileError(where + ": " + name + " is '" + text +
                    "', expected a positive number: " + p->meaning);
  machine.*p->value = value;
}

void read_lines(const std::string &text, MachineParameters &machine) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (!trimmed(line).empty()) read_line(line, "line " + std::to_string(number), machine);
  }
}

} // namespace

std::string machine_text(const MachineParameters &machine) {
  std::ostringstream text;
  for (const MachineParameter &p : parameters)
    text << p.name << " = " << number(machine.*p.value) << "  # " << p.meaning << "\n";
  return text.str();
}

std::string machine_file() { return environment_value("HFFT_MACHINE"); }

MachineParameters machine_of_environment(MachineParameters machine) {
  const std::string file = machine_file();
  if (file.empty()) return machine;
  try {
    read_lines(read_text(file, max_bytes), machine);
  } catch (const FileError &e) {
    throw wrong_variable("HFFT_MACHINE", file,
                         "a file of lines 'name = value': " + std::string(e.what()));
  }
  return machine;
}

double memory_bandwidth(const MachineParameters &machine, const CoreShare &share) {
  return std::min(machine.core_bandwidth * share.threads,
                  machine.node_bandwidth / share.ranks_per_node);
}

double pass_seconds(const MachineParameters &machine, const CoreShare &share, double bytes,
                    double flops) {
  return std::max(2 * bytes / memory_bandwidth(machine, share),
                  flops / (machine.simd_rate * share.threads));
}

double network_seconds(const MachineParameters &machine, double ranks_per_node,
                       const NetworkLoad &load) {
  const double wire = load.far_bytes * ranks_per_node / machine.network_bandwidth;
  const double gap = machine.message_gap * ranks_per_node * load.far_messages;
  const double overhead = 2 * machine.message_overhead * (load.near_messages + load.far_messages);
  const double rounds = (overhead + load.near_messages * machine.near_latency +
                         load.far_messages * machine.far_latency + wire) /
                        load.in_flight;
  double latency = 0;
  if (load.near_messages > 0) latency = machine.near_latency;
  if (load.far_messages > 0) latency = machine.far_latency;
  return std::max({std::max(wire, gap) + latency, overhead, rounds});
}

double all_to_all_seconds(const MachineParameters &machine, const CoreShare &share, double ranks,
                          double bytes, double in_flight) {
  const double near = std::min(share.ranks_per_node, ranks) - 1;
  const double far = ranks - 1 - near;
  const double copied = bytes * near / ranks;
  return network_seconds(machine, share.ranks_per_node,
                         {bytes * far / ranks, near, far, in_flight}) +
         2 * copied / memory_bandwidth(machine, share);
}

} // namespace hybridfft
