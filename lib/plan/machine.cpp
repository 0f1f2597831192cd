#include "plan/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <mutex>

#include "base/mpi.h"

namespace hybridfft::plan {

namespace {

std::int64_t cache_bytes(int level, std::int64_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

int count_ranks_per_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  int ranks = mpi::size(node);
  mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return ranks;
}

/// Asked once per communicator, which carries the answer as an attribute.
int ranks_per_node(MPI_Comm comm) {
  static std::mutex mutex;
  static int keyval = MPI_KEYVAL_INVALID;
  const std::lock_guard lock(mutex);
  if (keyval == MPI_KEYVAL_INVALID)
    mpi::check(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr),
        "MPI_Comm_create_keyval");
  void *value = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(comm, keyval, static_cast<void *>(&value), &found),
             "MPI_Comm_get_attr");
  if (found != 0) return static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  const int ranks = count_ranks_per_node(comm);
  value = reinterpret_cast<void *>(static_cast<std::intptr_t>(ranks));
  mpi::check(MPI_Comm_set_attr(comm, keyval, value), "MPI_Comm_set_attr");
  return ranks;
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

Machine machine_of_rank_0(const exchange::Communicator &comm, int threads, double time_limit) {
  Machine m;
  m.small_tile = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) * 2 / 3;
  m.large_tile = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 4;
  m.cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
  m.threads = threads;
  m.ranks_per_node = ranks_per_node(comm.get());
  m.time_limit = time_limit;
  mpi::check(MPI_Bcast(&m, sizeof(Machine), MPI_BYTE, 0, comm.get()), "MPI_Bcast");
  return m;
}

const std::string &cpu_model() {
  static const std::string model = read_cpu_model();
  return model;
}

} // namespace hybridfft::plan
