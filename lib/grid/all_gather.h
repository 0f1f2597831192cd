/// Gathers values of all ranks on all ranks, repeatedly.
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
  /// \param counts number of values of each rank, equal on all ranks
  /// Collective.
  /// \throws Error(HFFT_ERROR_OVERFLOW) for 2^31 or more values in all
  AllGather(const Communicator &comm, std::span<const std::ptrdiff_t> counts, int threads);
  /// Waits for a started gathering.
  ~AllGather();
  AllGather(AllGather &&other) noexcept;
  AllGather &operator=(AllGather &&) = delete;

  /// The values of a rank. This rank writes its own before start().
  std::span<T> of(int rank) const;

  /// Start and complete a gathering. Collective, in the same order on all ranks. The values must
  /// stay unchanged until finish() returns; then all values are available.
  /// \throws Error(HFFT_ERROR_MPI)
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
