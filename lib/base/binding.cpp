#include "base/binding.h"

#include <omp.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>

#include "base/error.h"
#include "base/machine_parameters.h"
#include "base/mpi.h"
#include "base/text.h"

namespace hybridfft {

namespace {

/// Summary of the ranks of one host.
struct Host {
  int ranks = 0;
  int threads = 0;
  std::set<int> cpus;
  bool overlap = false; ///< true if a CPU belongs to several ranks
  bool oversubscribed() const { return !cpus.empty() && threads > static_cast<int>(cpus.size()); }
};

Host together(std::span<const RankCpus> ranks) {
  Host host;
  for (const RankCpus &r : ranks) {
    ++host.ranks;
    host.threads += r.threads;
    for (const int cpu : r.cpus)
      host.overlap = !host.cpus.insert(cpu).second || host.overlap;
  }
  return host;
}

/// Returns "threads host\ncpu cpu ...", terminated by NUL.
std::string packed(const RankCpus &r) {
  std::string text = std::to_string(r.threads) + " " + r.host + "\n";
  for (const int cpu : r.cpus)
    text += std::to_string(cpu) + " ";
  return text + '\0';
}

RankCpus unpacked(const std::string &text) {
  RankCpus r;
  const std::size_t blank = text.find(' ');
  const std::size_t end = text.find('\n');
  r.threads = std::stoi(text);
  r.host = text.substr(blank + 1, end - blank - 1);
  for (std::size_t at = end + 1; at < text.size();) {
    const std::size_t next = text.find(' ', at);
    r.cpus.push_back(std::stoi(text.substr(at, next - at)));
    at = next + 1;
  }
  return r;
}

/// Gathers `mine` of all ranks of a host. Ranks agree that memory was allocated before any of them
/// waits for another.
std::vector<RankCpus> gather(const RankCpus &mine, MPI_Comm host) {
  const auto ranks = static_cast<std::size_t>(mpi::size(host));
  std::string text;
  std::vector<int> lengths;
  std::vector<int> offsets;
  mpi::all_or_none(host, [&] {
    text = packed(mine);
    lengths.resize(ranks);
    offsets.resize(ranks);
  });
  const int length = static_cast<int>(text.size());
  mpi::check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, host), "MPI_Allgather");
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  const auto total =
      static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(lengths.back());
  std::vector<char> all;
  mpi::all_or_none(host, [&] { all.resize(total); });
  mpi::check(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                            offsets.data(), MPI_CHAR, host),
             "MPI_Allgatherv");
  std::vector<RankCpus> result;
  mpi::all_or_none(host, [&] {
    for (const int offset : offsets)
      result.push_back(unpacked(all.data() + offset));
  });
  return result;
}

/// Communicator of the ranks of this rank's host, freed by the destructor.
class HostCommunicator {
public:
  explicit HostCommunicator(MPI_Comm comm) {
    mpi::check(
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, mpi::rank(comm), MPI_INFO_NULL, &comm_),
        "MPI_Comm_split_type");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~HostCommunicator() { MPI_Comm_free(&comm_); }
  HostCommunicator(const HostCommunicator &) = delete;
  HostCommunicator &operator=(const HostCommunicator &) = delete;
  MPI_Comm get() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace

bool is_crowded(std::span<const RankCpus> ranks) {
  const Host host = together(ranks);
  return host.oversubscribed() || host.overlap;
}

std::string describe_binding(std::span<const RankCpus> ranks, std::size_t mine, int rank,
                             const OtherHosts &others) {
  const RankCpus &cpus = ranks[mine];
  const Host host = together(ranks);
  std::string text = "rank " + std::to_string(rank) + " may run on " +
                     (cpus.cpus.empty() ? "unknown CPUs" : "CPUs " + compact_list(cpus.cpus)) +
                     " of " + cpus.host;
  if (host.oversubscribed())
    text += "\nwarning: the " + std::to_string(host.ranks) + " ranks on " + cpus.host + " have " +
            std::to_string(host.threads) + " threads on " + std::to_string(host.cpus.size()) +
            " CPUs: start fewer, they wait for each other";
  else if (host.overlap)
    text += "\nwarning: the " + std::to_string(host.ranks) + " ranks on " + cpus.host +
            " share their CPUs: bind each to its own, so that none gets in another's way";
  if (others.crowded > 0)
    text += "\nwarning: ranks on " + std::to_string(others.crowded) + " of " +
            std::to_string(others.number) + " other hosts share CPUs";
  return text + "\n";
}

RankCpus cpus_of_rank(int threads) { return {host_name(), threads, allowed_cpus(threads)}; }

std::string describe_binding(const RankCpus &mine, MPI_Comm comm) {
  const HostCommunicator host(comm);
  std::vector<RankCpus> ranks;
  bool crowded = false;
  // The ranks of a host fail together; afterwards all ranks agree on the failure.
  mpi::all_or_none(comm, [&] {
    ranks = gather(mine, host.get());
    crowded = is_crowded(ranks);
  });
  const bool first = mpi::rank(host.get()) == 0;
  std::array<int, 2> hosts{first ? 1 : 0, first && crowded ? 1 : 0};
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, hosts.data(), 2, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
  std::string text;
  mpi::all_or_none(comm, [&] {
    text = describe_binding(ranks, static_cast<std::size_t>(mpi::rank(host.get())), mpi::rank(comm),
                            {hosts[0] - 1, hosts[1] - (crowded ? 1 : 0)});
  });
  return text;
}

int default_threads(MPI_Comm comm) {
  int threads = omp_get_max_threads();
  MPI_Comm machine = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
             "MPI_Comm_split_type");
  const int ranks = mpi::size(machine);
  mpi::check(MPI_Comm_free(&machine), "MPI_Comm_free");
  // Only some ranks may have the variable, because some launchers do not pass it to all nodes.
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    const int processors = static_cast<int>(std::thread::hardware_concurrency());
    threads = std::clamp(processors / ranks, 1, std::max(threads, 1));
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (threads > max_threads())
    throw Failure(HFFT_ERROR_ENVIRONMENT, "Invalid number of CPU threads. OMP_NUM_THREADS is " +
                                              std::to_string(threads) + ", expected 1 to " +
                                              std::to_string(max_threads()) + ".");
  return threads;
}

} // namespace hybridfft
