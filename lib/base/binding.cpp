#include "base/binding.h"

#include <map>
#include <numeric>
#include <set>

#include "base/compact_list.h"
#include "base/cpus.h"
#include "base/mpi.h"

namespace hybridfft {

namespace {

/// The ranks of one host together.
struct Host {
  int ranks = 0;
  int threads = 0;
  std::set<int> cpus;
  bool overlap = false; ///< some CPU belongs to several ranks
  bool oversubscribed() const { return !cpus.empty() && threads > static_cast<int>(cpus.size()); }
};

std::map<std::string, Host> by_host(std::span<const RankCpus> ranks) {
  std::map<std::string, Host> hosts;
  for (const RankCpus &r : ranks) {
    Host &host = hosts[r.host];
    ++host.ranks;
    host.threads += r.threads;
    for (const int cpu : r.cpus)
      host.overlap = !host.cpus.insert(cpu).second || host.overlap;
  }
  return hosts;
}

/// "threads host\ncpu cpu ...", NUL at the end.
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

/// `mine` of all ranks. What takes memory is agreed on before the next rank waits for this one.
std::vector<RankCpus> gather(const RankCpus &mine, MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::string text;
  std::vector<int> lengths;
  std::vector<int> offsets;
  mpi::all_or_none(comm, [&] {
    text = packed(mine);
    lengths.resize(ranks);
    offsets.resize(ranks);
  });
  const int length = static_cast<int>(text.size());
  mpi::check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm), "MPI_Allgather");
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  const auto total =
      static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(lengths.back());
  std::vector<char> all;
  mpi::all_or_none(comm, [&] { all.resize(total); });
  mpi::check(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                            offsets.data(), MPI_CHAR, comm),
             "MPI_Allgatherv");
  std::vector<RankCpus> result;
  mpi::all_or_none(comm, [&] {
    for (const int offset : offsets)
      result.push_back(unpacked(all.data() + offset));
  });
  return result;
}

} // namespace

std::string describe_binding(std::span<const RankCpus> ranks, int rank) {
  const RankCpus &mine = ranks[static_cast<std::size_t>(rank)];
  const auto hosts = by_host(ranks);
  const Host &host = hosts.at(mine.host);
  const std::string cpus = std::to_string(host.cpus.size()) + " CPUs";
  std::string text = "rank " + std::to_string(rank) + " may run on " +
                     (mine.cpus.empty() ? "unknown CPUs" : "CPUs " + compact_list(mine.cpus)) +
                     " of " + mine.host;
  if (host.oversubscribed())
    text += "\nwarning: the " + std::to_string(host.ranks) + " ranks on " + mine.host + " have " +
            std::to_string(host.threads) + " threads on " + cpus +
            ": start fewer, they wait for each other";
  else if (host.overlap)
    text += "\nwarning: the " + std::to_string(host.ranks) + " ranks on " + mine.host +
            " share their CPUs: bind each to its own, so that none gets in another's way";
  const auto others = [&](const auto &condition) {
    int n = 0;
    for (const auto &[name, h] : hosts)
      n += name != mine.host && condition(h) ? 1 : 0;
    return n;
  };
  const int crowded = others([](const Host &h) { return h.oversubscribed() || h.overlap; });
  if (crowded > 0)
    text += "\nwarning: ranks on " + std::to_string(crowded) + " of " +
            std::to_string(hosts.size() - 1) + " other hosts share CPUs";
  return text + "\n";
}

RankCpus cpus_of_rank(int threads) { return {host_name(), threads, allowed_cpus(threads)}; }

std::string describe_binding(const RankCpus &mine, MPI_Comm comm) {
  std::string text;
  const auto ranks = gather(mine, comm);
  mpi::all_or_none(comm, [&] { text = describe_binding(ranks, mpi::rank(comm)); });
  return text;
}

} // namespace hybridfft
