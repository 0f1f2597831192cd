/// \file grid/communicator.hpp
/// The ranks that share a grid, and the few functions of MPI that solvers need.
#ifndef HYBRIDFFT_GRID_COMMUNICATOR_HPP
#define HYBRIDFFT_GRID_COMMUNICATOR_HPP

#include "hybridfft/require_cxx20.h"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/export.h"

namespace hybridfft::grid {

/// Starts MPI, and ends it in the destructor, for programs that call no other function of MPI. If
/// MPI runs already, it does neither.
class HFFT_EXPORT Session {
public:
  /// Starts MPI with MPI_THREAD_FUNNELED. Throws Error(HFFT_ERROR_MPI).
  Session(int &argc, char **&argv);
  /// Ends MPI if this object has started it and no other code has ended it.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

private:
  bool own_ = false;
};

class Communicator;

/// Default number of threads per rank: OMP_NUM_THREADS if it is set, else an even share of the
/// machine's processors among its ranks. It is the same on all ranks. Collective. Throws
/// Error(HFFT_ERROR_ENVIRONMENT) if a process cannot have so many threads.
HFFT_EXPORT int default_threads(const Communicator &comm);

/// A borrowed MPI communicator. All members but handle(), rank() and size() are collective. They
/// throw Error(HFFT_ERROR_MPI) if MPI fails.
class HFFT_EXPORT Communicator {
public:
  /// Borrows the communicator. It must outlive this object, and grids and halos made with it. Not
  /// collective.
  explicit Communicator(MPI_Comm comm);
  /// All ranks of the program.
  static Communicator world() { return Communicator(MPI_COMM_WORLD); }

  /// The MPI_Comm.
  MPI_Comm handle() const { return comm_; }
  /// Number of this rank, from 0 on.
  int rank() const { return rank_; }
  /// Number of ranks.
  int size() const { return size_; }

  /// The largest of the ranks' values, on all ranks; undefined if one of them is NaN.
  double max(double mine) const;
  /// The sum of the ranks' values, on all ranks. MPI chooses the order of the additions.
  double sum(double mine) const;
  /// The sum over the ranks of this rank's machine.
  double sum_of_machine(double mine) const;
  /// The sum of the ranks' values modulo 2^64, on all ranks.
  std::uint64_t sum(std::uint64_t mine) const;
  /// The largest of the ranks' values, on all ranks.
  std::int64_t max(std::int64_t mine) const;

  /// The values of all ranks, in the order of the ranks. Ranks may pass different numbers of
  /// values. Throws Error(HFFT_ERROR_OVERFLOW) for 2^31 or more bytes in total.
  /// \tparam T trivially copyable
  template <class T> std::vector<T> gather_all(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::byte> bytes = gather_bytes(std::as_bytes(mine));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

  /// Runs `step` on every rank. If it throws on any rank, all ranks throw Error with the largest
  /// code, and with the reason of the lowest rank that has this code.
  void agree(const std::function<void()> &step) const;

  /// A position and a value, for argmin().
  struct ArgMin {
    /// Position that means "none": above all others.
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
    std::int64_t where = nowhere; ///< position chosen by the caller, counted from 0
    double value = 0;             ///< NaNs included
    /// True if some rank passed a position.
    bool found() const { return where != nowhere; }
  };
  /// The lowest position of all ranks, and its value.
  ArgMin argmin(const ArgMin &mine) const;

  /// Names of the machines, each once, in the order of their first rank.
  std::vector<std::string> hosts() const;

private:
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const;

  MPI_Comm comm_;
  int rank_;
  int size_;
};

} // namespace hybridfft::grid

#endif
