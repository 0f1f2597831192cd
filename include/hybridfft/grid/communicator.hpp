/// \file grid/communicator.hpp
/// The group of MPI ranks that share a grid, with the few collective operations needed by solvers.
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

/// Initialises MPI, and finalises it in the destructor, for programs without other calls of MPI. If
/// MPI is already initialised, it does neither.
class HFFT_EXPORT Session {
public:
  /// Initialises MPI with MPI_THREAD_FUNNELED. Throws Error(HFFT_ERROR_MPI).
  Session(int &argc, char **&argv);
  /// Finalises MPI if this object has initialised it and no other code has finalised it.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

private:
  bool own_ = false;
};

class Communicator;

/// Default number of threads per rank: OMP_NUM_THREADS if it is set, else the machine's processors
/// divided by its ranks. All ranks return the same number. Collective.
/// \throws Error(HFFT_ERROR_ENVIRONMENT) if a process cannot start so many threads
HFFT_EXPORT int default_threads(const Communicator &comm);

/// An MPI communicator owned by the caller. All members except handle(), rank() and size() are
/// collective. They throw Error(HFFT_ERROR_MPI) if MPI fails.
class HFFT_EXPORT Communicator {
public:
  /// Borrows the communicator, which must outlive this object and all grids and halos made with it.
  /// Not collective.
  explicit Communicator(MPI_Comm comm);
  /// All ranks of the program.
  static Communicator world() { return Communicator(MPI_COMM_WORLD); }

  /// Returns the MPI_Comm.
  MPI_Comm handle() const { return comm_; }
  /// Number of this rank, counted from 0.
  int rank() const { return rank_; }
  /// Number of ranks.
  int size() const { return size_; }

  /// Returns the largest of the ranks' values on all ranks; undefined if one of them is NaN.
  double max(double mine) const;
  /// Returns the sum of the ranks' values on all ranks. MPI chooses the order of the additions.
  double sum(double mine) const;
  /// Returns the sum over the ranks on this rank's machine.
  double sum_of_machine(double mine) const;
  /// Returns the sum of the ranks' values modulo 2^64 on all ranks.
  std::uint64_t sum(std::uint64_t mine) const;
  /// Returns the largest of the ranks' values on all ranks.
  std::int64_t max(std::int64_t mine) const;

  /// Returns the values of all ranks, concatenated in the order of the ranks. Ranks may pass
  /// different numbers of values. Throws Error(HFFT_ERROR_OVERFLOW) for 2^31 or more bytes in
  /// total.
  /// \tparam T trivially copyable
  template <class T> std::vector<T> gather_all(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::byte> bytes = gather_bytes(std::as_bytes(mine));
    std::vector<T> all(bytes.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

  /// Runs `step` on every rank, and makes its failure collective: if it throws on any rank, every
  /// rank throws an Error. The Error has the largest error code of all ranks, and the message of
  /// the lowest rank with this code.
  void agree(const std::function<void()> &step) const;

  /// A position and its value, the argument and result of argmin().
  struct ArgMin {
    /// Position of a rank that has found nothing: larger than all others.
    static constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
    std::int64_t where = nowhere; ///< position chosen by the caller, counted from 0
    double value = 0;             ///< value at the position; may be NaN
    /// True if some rank passed a position.
    bool found() const { return where != nowhere; }
  };
  /// Returns the entry with the lowest position of all ranks.
  ArgMin argmin(const ArgMin &mine) const;

  /// Returns the names of the machines, each once, in the order of their first rank.
  std::vector<std::string> hosts() const;

private:
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine) const;

  MPI_Comm comm_;
  int rank_;
  int size_;
};

} // namespace hybridfft::grid

#endif
