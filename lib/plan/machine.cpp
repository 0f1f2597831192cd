#include "plan/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <fstream>

#include "base/environment.h"
#include "base/machine_parameters.h"
#include "base/mpi.h"
#include "base/text.h"
#include "exchange/communicator.h"

namespace hybridfft::plan {

namespace {

/// Returns the largest number of ranks on one node. Collective on first use.
std::int64_t ranks_per_node(exchange::Communicator &comm) {
  if (comm.size() == 1) return 1;
  const auto nodes = exchange::nodes_of(comm);
  std::size_t most = 1;
  for (int node = 0; node < nodes->count(); ++node)
    most = std::max(most, nodes->members(node).size());
  return static_cast<std::int64_t>(most);
}

std::string read_cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

bool all_threads_prescribed() {
  return word_of_environment("HFFT_THREADS", {"all", "fewer"},
                             "; the number of threads is OMP_NUM_THREADS, for the launcher "
                             "HFFT_THREADS_PER_RANK") == "all";
}

} // namespace

Overrides Overrides::read() { return {exchange::forced_algorithm(), all_threads_prescribed()}; }

void CommonIsa::join(Agreement &agreement, simd::Isa mine) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    usable_[i] = simd::can_replace(mine, sets_[i]) ? 1 : 0;
    agreement.least(usable_[i]);
  }
}

simd::Isa CommonIsa::isa() const {
  simd::Isa best = sets_.front();
  for (std::size_t i = 0; i < sets_.size(); ++i)
    if (usable_[i] != 0 && sets_[i]->preference > best->preference) best = sets_[i];
  return best;
}

std::string describe_isa(simd::Isa common) {
  if (common == simd::active()) return "";
  return std::string("kernels for ") + simd::name(common) +
         ", which all ranks have; this one has " + simd::name(simd::active()) + "\n";
}

void CommonName::join(Agreement &agreement, const std::string &mine) {
  Fnv1a hash;
  hash.add(mine);
  mine_ = static_cast<std::int64_t>(hash.value() >> 1U);
  min_ = mine_;
  negated_max_ = -mine_;
  agreement.least(min_);
  agreement.least(negated_max_);
}

std::uint64_t CommonName::several(MPI_Comm comm) const {
  if (min_ == -negated_max_) return 0;
  auto sum = static_cast<std::uint64_t>(mine_);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return std::max<std::uint64_t>(sum, 1);
}

void MachineNumbers::join(Agreement &agreement, int threads, double time_limit) {
  Machine &m = machine_;
  m.small_tile = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) * 2 / 3;
  m.large_tile = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 4;
  m.cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  m.threads = threads;
  time_limit_ = std::bit_cast<std::int64_t>(time_limit);
  for (std::int64_t *number : {&m.small_tile, &m.large_tile, &m.cores, &m.threads})
    agreement.least(*number);
  name_.join(agreement, cpu_model());
  isa_.join(agreement, simd::active());
  agreement.first(time_limit_);
  if (agreement.on_first()) m.parameters = machine_of_environment();
  from_file_ = machine_file().empty() ? 0 : 1;
  agreement.first(from_file_);
  const Overrides mine = Overrides::read();
  if (mine.algorithm != nullptr) algorithm_ = mine.algorithm - exchange::algorithms().data();
  all_threads_ = mine.all_threads ? 1 : 0;
  agreement.first(algorithm_);
  agreement.first(all_threads_);
}

Machine MachineNumbers::machine(exchange::Communicator &comm) const {
  Machine m = machine_;
  m.ranks_per_node = ranks_per_node(comm);
  if (from_file_ != 0 && comm.size() > 1)
    mpi::check(MPI_Bcast(&m.parameters, sizeof(m.parameters), MPI_BYTE, 0, comm.get()),
               "MPI_Bcast");
  m.time_limit = std::bit_cast<double>(time_limit_);
  m.isa = isa_.isa();
  m.processors = name_.several(comm.get());
  m.overrides.all_threads = all_threads_ != 0;
  if (algorithm_ >= 0)
    m.overrides.algorithm = &exchange::algorithms()[static_cast<std::size_t>(algorithm_)];
  return m;
}

Machine common_machine(exchange::Communicator &comm, int threads, double time_limit) {
  Agreement agreement(comm.get());
  MachineNumbers numbers;
  agreement.reach([&] { numbers.join(agreement, threads, time_limit); });
  return numbers.machine(comm);
}

const std::string &cpu_model() {
  static const std::string model = read_cpu_model();
  return model;
}

std::string processor_name(const Machine &machine) {
  if (machine.processors == 0) return cpu_model();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "several-%016llx",
                static_cast<unsigned long long>(machine.processors));
  return text.data();
}

} // namespace hybridfft::plan
