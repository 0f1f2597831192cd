#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/printable.h"

namespace hybridfft {

namespace {

constexpr std::array<EnvironmentVariable, 18> table{{
    {"OMP_NUM_THREADS", "a number", "threads per rank, unless the program says otherwise"},
    {"HFFT_SIMD", "scalar, sse2, avx, avx2, avx512, neon",
     "instruction set of local transpositions and FFT kernels, of those of the processor's family; "
     "default: the best that the CPU has; where ranks differ, the best that all have"},
    {"HFFT_EXCHANGE", "alltoallv, shared, pairwise, pipelined, eager, datatypes, swap, fftw",
     "how data are exchanged, where it applies: by MPI_Alltoallv, in memory of a node and messages "
     "between nodes, in messages between pairs of ranks, in messages while FFTs work, the same in "
     "messages that MPI sends at once, packed by MPI, between equal blocks of one array, by FFTW "
     "(which takes communicators for every "
     "plan; not with MPI_THREAD_MULTIPLE); default: the fastest one"},
    {"HFFT_HALO", "shared, messages",
     "how neighbours exchange ghosts: in memory of a node and messages between nodes, or in "
     "messages alone; default shared, as far as there is such memory"},
    {"HFFT_THREADS", "all, fewer",
     "all: plans use every thread that they are given; default fewer: one where the problem is so "
     "small that more would cost time"},
    {"HFFT_WISDOM", "a file",
     "wisdom: read at the first plan, added to by each plan that is measured"},
    {"HFFT_MACHINE", "a file",
     "rates and latencies of the machine, for all that is estimated: those of hybridfft-info "
     "--machine, as hybridfft-study machine measures them; default: rough figures"},
    {"HFFT_TRACE", "a file",
     "a trace of what every thread of every rank does, written when MPI ends, when a full disk is "
     "reported on standard error; open it with Perfetto"},
    {"HFFT_RANKS_PER_NODE", "a number",
     "for tests of shared on one machine: as if nodes had as many ranks"},
    {"HFFT_GPU", "cuda, emulated, emulated:memory=MiB,devices=N,delays=SEED,exclusive=KEY",
     "what --device gpu computes on: GPUs, the default, or for tests where there is none a device "
     "that threads of each rank emulate, 4096 MiB large unless memory says otherwise, one on each "
     "node or N, with random delays that show up missing synchronisation, each for one process at "
     "a time of those with the same KEY"},
    {"HFFT_CUDA_AWARE_MPI", "0, 1",
     "1: MPI may be given addresses of GPUs, though it does not report that it can; a test message "
     "checks it first. Wrong settings end the program"},
    {"HFFT_DROPIN_LOG", "0, 1",
     "1: the drop-in tells on standard error what ran where, and how long it took"},
    {"HFFT_DROPIN_PREFER", "ours, faster",
     "ours: the drop-in takes its own plans wherever there are any; default faster: FFTW's where "
     "they are"},
    {"HFFT_RANKS", "a number", "ranks that the launcher starts"},
    {"HFFT_THREADS_PER_RANK", "a number", "threads of each rank that the launcher starts"},
    {"HFFT_LAUNCHER", "a file", "settings of the launcher; default ~/.config/hybridfft/launcher"},
    {"HFFT_KSPACE_LAUNCHER", "a file",
     "the launcher that Python starts; default: beside hybridfft-kspace on the PATH"},
    {"OMP_WAIT_POLICY", "active, passive",
     "how threads wait for each other; default of the programs: passive, after a short spin"},
}};

/// Variables read only by the project's tests.
constexpr std::array<std::string_view, 9> of_tests{
    "HFFT_ACCURACY_DATA", "HFFT_FUZZ_FIRST",  "HFFT_FUZZ_MUTANTS",
    "HFFT_SCRATCH",       "HFFT_TEST_CCACHE", "HFFT_TEST_DATA",
    "HFFT_TEST_DEBIAN",   "HFFT_TEST_GPU",    "HFFT_TEST_PATIENCE"};

/// Ignored values, by variable. It is never destroyed: destructors of global objects may still
/// plan.
struct Ignored {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> values;
};
Ignored &ignored() {
  static Ignored &instance = *new Ignored;
  return instance;
}

constexpr std::string_view beginning = "the environment variable ";

bool is_known(std::string_view name) {
  return std::any_of(table.begin(), table.end(),
                     [&](const EnvironmentVariable &v) { return name == v.name; }) ||
         std::find(of_tests.begin(), of_tests.end(), name) != of_tests.end();
}

} // namespace

std::span<const EnvironmentVariable> environment_variables() { return table; }

std::string environment_value(const char *name) {
  const char *text = std::getenv(name);
  if (text == nullptr || *text == '\0') return "";
  const std::lock_guard lock(ignored().mutex);
  const auto found = ignored().values.find(std::string_view(name));
  return found != ignored().values.end() && found->second == text ? "" : text;
}

void ignore_environment(const std::string &name) {
  const char *text = std::getenv(name.c_str());
  if (text == nullptr) return;
  const std::lock_guard lock(ignored().mutex);
  ignored().values[name] = text;
}

Failure wrong_variable(const std::string &name, const std::string &value,
                       const std::string &expected, hfft_error code) {
  return {code, std::string(beginning) + name + " is '" + printable(value) + "', expected " +
                    printable(expected)};
}

std::string variable_of(std::string_view reason) {
  if (!reason.starts_with(beginning)) return "";
  reason.remove_prefix(beginning.size());
  return std::string(reason.substr(0, reason.find(' ')));
}

std::string word_of_environment(const char *name, const std::vector<std::string> &words,
                                const std::string &hint) {
  std::string value = environment_value(name);
  if (value.empty() || std::find(words.begin(), words.end(), value) != words.end()) return value;
  std::string list;
  for (const std::string &word : words)
    list += (list.empty() ? "" : ", ") + word;
  throw wrong_variable(name, value, "one of " + list + hint);
}

std::vector<std::string> unknown_environment_variables() {
  std::vector<std::string> found;
  for (char **variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("HFFT_") && !is_known(name)) found.emplace_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string describe_unknown_environment_variables() {
  std::string known;
  for (const EnvironmentVariable &v : table)
    if (std::string_view(v.name).starts_with("HFFT_"))
      known += (known.empty() ? "" : ", ") + std::string(v.name);
  std::string text;
  for (const std::string &name : unknown_environment_variables())
    text += std::string(beginning) + name + " is unknown; known are " + known + "\n";
  return text;
}

} // namespace hybridfft
