#include "plan/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "base/fnv.h"
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

template <std::size_t N> void take_least(std::array<std::int64_t, N> &values, MPI_Comm comm) {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, values.data(), N, MPI_INT64_T, MPI_MIN, comm),
             "MPI_Allreduce");
}

std::uint64_t hash_of(const std::string &name) {
  Fnv1a hash;
  hash.add(name);
  return hash.value() >> 1U;
}

/// A name that all ranks have, or one for the names that they have together.
std::string name_of_all(const std::string &mine, bool same, MPI_Comm comm) {
  if (same) return mine;
  std::uint64_t sum = hash_of(mine);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "several-%016llx", static_cast<unsigned long long>(sum));
  return text.data();
}

} // namespace

simd::Isa common_isa(MPI_Comm comm) {
  // Each set has all that the ones before it have.
  std::array<std::int64_t, 1> isa{};
  mpi::all_or_none(comm, [&] { isa[0] = static_cast<std::int64_t>(simd::active()); });
  take_least(isa, comm);
  return static_cast<simd::Isa>(isa[0]);
}

std::string describe_isa(simd::Isa common) {
  if (common == simd::active()) return "";
  return std::string("kernels for ") + simd::name(common) +
         ", which all ranks have; this one has " + simd::name(simd::active()) + "\n";
}

std::string common_name(const std::string &mine, MPI_Comm comm) {
  const auto hash = static_cast<std::int64_t>(hash_of(mine));
  std::array<std::int64_t, 2> bounds{hash, -hash};
  take_least(bounds, comm);
  return name_of_all(mine, bounds[0] == -bounds[1], comm);
}

Machine common_machine(exchange::Communicator &comm, int threads, double time_limit) {
  std::array<std::int64_t, 7> least{};
  mpi::all_or_none(comm.get(), [&] {
    const auto hash = static_cast<std::int64_t>(hash_of(cpu_model()));
    least = {cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) * 2 / 3,
             cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 4,
             std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L),
             threads,
             static_cast<std::int64_t>(simd::active()),
             hash,
             -hash};
  });
  take_least(least, comm.get());
  const std::int64_t per_node = ranks_per_node(comm);
  mpi::check(MPI_Bcast(&time_limit, 1, MPI_DOUBLE, 0, comm.get()), "MPI_Bcast");
  return {least[0],
          least[1],
          least[2],
          least[3],
          per_node,
          time_limit,
          static_cast<simd::Isa>(least[4]),
          name_of_all(cpu_model(), least[5] == -least[6], comm.get())};
}

const std::string &cpu_model() {
  static const std::string model = read_cpu_model();
  return model;
}

} // namespace hybridfft::plan
