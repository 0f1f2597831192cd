/// Repeated allgather: collects values of all ranks on all ranks, with buffers kept between calls.
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
  /// Prepares the exchange. Collective.
  /// \param counts number of values of each rank; all ranks pass the same list
  /// \throws Error(HFFT_ERROR_OVERFLOW) if the sum of the counts is 2^31 or more
  AllGather(const Communicator &comm, std::span<const std::ptrdiff_t> counts, int threads);
  /// Waits for an exchange in flight.
  ~AllGather();
  AllGather(AllGather &&other) noexcept;
  AllGather &operator=(AllGather &&) = delete;

  /// Values of one rank. This rank writes its own values before start().
  std::span<T> of(int rank) const;

  /// start() starts an exchange; finish() completes it. Collective, in the same order on all ranks.
  /// The values must not change until finish() returns; then the values of all ranks are available.
  /// \throws Error(HFFT_ERROR_MPI)
  void start();
  void finish();

private:
  std::shared_ptr<exchange::Communicator> comm_;
  std::vector<int> counts_, offsets_;
  Memory values_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace hybridfft::grid
