/// Values that each rank contributes, on all ranks, again and again.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// \tparam T float or double
template <class T> class AllGather {
public:
  /// \param counts number of values of each rank, the same on all ranks
  /// Collective. Throws Error(HFFT_ERROR_OVERFLOW) for 2^31 or more values in all.
  AllGather(const Communicator &comm, std::span<const std::ptrdiff_t> counts, int threads);
  /// Waits for the gathering that has been started.
  ~AllGather();
  AllGather(AllGather &&other) noexcept;
  AllGather &operator=(AllGather &&) = delete;

  /// The values of a rank; those of this rank are to be written before start().
  std::span<T> of(int rank) const;

  /// Collective, in the same order on all ranks. The values stay as they are until finish() returns
  /// with those of the others. Throw Error(HFFT_ERROR_MPI).
  void start();
  void finish();

private:
  std::shared_ptr<exchange::Communicator> comm_;
  std::vector<int> counts_, offsets_;
  Memory values_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

extern template class AllGather<float>;
extern template class AllGather<double>;

} // namespace hybridfft::grid
