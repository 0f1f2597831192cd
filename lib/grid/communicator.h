/// The ranks that share a grid: what a solver needs of MPI, and no more.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace hybridfft::grid {

/// A borrowed MPI communicator. All members but rank() and size() are collective; they throw
/// Failure(HFFT_ERROR_MPI) when MPI fails.
class Communicator {
public:
  explicit Communicator(MPI_Comm comm);

  MPI_Comm handle() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  double max(double mine) const;
  double sum(double mine) const;
  /// Of the ranks of this rank's machine.
  double sum_of_machine(double mine) const;
  /// Modulo 2^64.
  std::uint64_t sum(std::uint64_t mine) const;
  std::int64_t max(std::int64_t mine) const;

  /// Runs `step` on every rank; throws on all ranks when it threw on any (mpi::all_or_none).
  void agree(const std::function<void()> &step) const;

  /// A value worth telling about, and where it is.
  struct Finding {
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
    std::int64_t where = nowhere;
    double value = 0;
    bool found() const { return where != nowhere; }
  };
  /// The finding with the lowest position among those of all ranks.
  Finding lowest(const Finding &mine) const;

  /// Names of the machines, each once, in the order of their first rank.
  std::vector<std::string> hosts() const;

private:
  MPI_Comm comm_;
  int rank_;
  int size_;
};

} // namespace hybridfft::grid
