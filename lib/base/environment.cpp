#include "base/environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/text.h"

namespace hybridfft {

namespace {

constexpr std::array<EnvironmentVariable, 18> table{{
    {"OMP_NUM_THREADS", "a number", "threads per rank, unless the program sets another number"},
    {"HFFT_SIMD", "scalar, sse2, avx, avx2, avx512, neon",
     "instruction set of local transpositions and FFT kernels, of the processor's family; default: "
     "the best one common to the CPUs of all ranks"},
    {"HFFT_EXCHANGE", "alltoallv, shared, pairwise, eager, pipelined, datatypes, swap, fftw",
     "algorithm of exchanges, if it applies. alltoallv: MPI_Alltoallv; shared: memory within a "
     "node, messages between nodes; pairwise: messages between pairs of ranks; pipelined: messages "
     "during FFTs; eager: the same in messages sent at once by MPI; datatypes: packing by MPI; "
     "swap: equal blocks of one array; fftw: FFTW, which takes communicators for every plan and "
     "excludes MPI_THREAD_MULTIPLE. Default: the fastest one"},
    {"HFFT_HALO", "shared, messages",
     "exchange of ghosts between neighbours. shared: memory within a node, messages between nodes; "
     "messages: messages alone. Default: shared, if there is enough shared memory"},
    {"HFFT_THREADS", "all, fewer",
     "all: plans use all of their threads; default fewer: small problems use one thread, since "
     "more would cost time"},
    {"HFFT_WISDOM", "a file",
     "file of wisdom: read at the first plan, extended by each measured plan"},
    {"HFFT_MACHINE", "a file",
     "rates and latencies of the machine for all estimates, printed by hybridfft-info --machine "
     "and measured by hybridfft-study machine; default: rough figures"},
    {"HFFT_TRACE", "a file",
     "trace of the work of every thread of every rank, written at the end of MPI. A full disk is "
     "then reported on standard error. Open it with Perfetto"},
    {"HFFT_RANKS_PER_NODE", "a number",
     "number of ranks in a simulated node, to test shared on one machine"},
    {"HFFT_GPU", "cuda, emulated, emulated:memory=MiB,devices=N,delays=SEED,exclusive=KEY",
     "device of --device gpu. cuda (default): GPUs; emulated: a device emulated by threads of each "
     "rank, for tests without a GPU. It has 4096 MiB (memory) and one device on each node "
     "(devices). delays are random delays to reveal missing synchronisation. With exclusive each "
     "device of this KEY serves one process at a time"},
    {"HFFT_CUDA_AWARE_MPI", "0, 1",
     "1: MPI may receive addresses of GPUs even if it does not report support; a test message "
     "checks it first. A wrong setting ends the program"},
    {"HFFT_DROPIN_LOG", "0, 1",
     "1: the drop-in prints the library and the time of each plan on standard error"},
    {"HFFT_DROPIN_PREFER", "ours, faster",
     "ours: the drop-in prefers its own plans; default faster: it takes FFTW's plans if they are "
     "faster"},
    {"HFFT_RANKS", "a number", "number of ranks started by the launcher"},
    {"HFFT_THREADS_PER_RANK", "a number", "number of threads per rank started by the launcher"},
    {"HFFT_LAUNCHER", "a file", "settings of the launcher; default ~/.config/hybridfft/launcher"},
    {"HFFT_KSPACE_LAUNCHER", "a file",
     "launcher started by Python; default: beside hybridfft-kspace on the PATH"},
    {"OMP_WAIT_POLICY", "active, passive",
     "waiting of threads for each other; default of the programs: passive, after a short spin"},
}};

/// Variables that only the project's tests read.
constexpr std::array<std::string_view, 9> of_tests{
    "HFFT_ACCURACY_DATA", "HFFT_FUZZ_FIRST",  "HFFT_FUZZ_MUTANTS",
    "HFFT_SCRATCH",       "HFFT_TEST_CCACHE", "HFFT_TEST_DATA",
    "HFFT_TEST_DEBIAN",   "HFFT_TEST_GPU",    "HFFT_TEST_PATIENCE"};

/// Variables ignored in this process, and their values. The object is never destroyed, because
/// destructors of global objects may make plans.
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
