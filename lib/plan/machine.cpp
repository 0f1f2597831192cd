#include "plan/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/mpi.h"
#include "exchange/nodes.h"

namespace hybridfft::plan {

namespace {

std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

/// Of the node that has most. Collective on first use.
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

} // namespace

Machine machine_of_rank_0(exchange::Communicator &comm, int threads, double time_limit) {
  Machine m;
  m.small_tile = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) * 2 / 3;
  m.large_tile = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 4;
  m.cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  m.threads = threads;
  m.ranks_per_node = ranks_per_node(comm);
  m.time_limit = time_limit;
  mpi::check(MPI_Bcast(&m, sizeof(Machine), MPI_BYTE, 0, comm.get()), "MPI_Bcast");
  return m;
}

const std::string &cpu_model() {
  static const std::string model = read_cpu_model();
  return model;
}

} // namespace hybridfft::plan
