#include "grid/all_gather.h"

#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::grid {

template <class T>
AllGather<T>::AllGather(const Communicator &comm, std::span<const std::ptrdiff_t> counts,
                        int threads)
    : comm_(exchange::acquire(comm.handle())) {
  std::ptrdiff_t total = 0;
  for (const std::ptrdiff_t count : counts)
    total += count;
  if (total > std::numeric_limits<int>::max())
    throw Failure(HFFT_ERROR_OVERFLOW,
                  "the ranks gather " + std::to_string(total) + " values, expected less than 2^31");
  int offset = 0;
  for (const std::ptrdiff_t count : counts) {
    counts_.push_back(static_cast<int>(count));
    offsets_.push_back(offset);
    offset += counts_.back();
  }
  comm.agree([&] { values_ = Memory(static_cast<std::size_t>(total) * sizeof(T), threads); });
}

template <class T> AllGather<T>::~AllGather() {
  if (request_ == MPI_REQUEST_NULL || !mpi::running()) return;
  const mpi::ReturnedErrors scope;
  MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

template <class T>
AllGather<T>::AllGather(AllGather &&other) noexcept
    : comm_(std::move(other.comm_)), counts_(std::move(other.counts_)),
      offsets_(std::move(other.offsets_)), values_(std::move(other.values_)),
      request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}

template <class T> std::span<T> AllGather<T>::of(int rank) const {
  const auto r = static_cast<std::size_t>(rank);
  return {reinterpret_cast<T *>(values_.data()) + offsets_[r],
          static_cast<std::size_t>(counts_[r])};
}

template <class T> void AllGather<T>::start() {
  mpi::check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values_.data(), counts_.data(),
                             offsets_.data(), mpi::type_of<T>(), comm_->get(), &request_),
             "MPI_Iallgatherv");
}

template <class T> void AllGather<T>::finish() {
  const mpi::ReturnedErrors scope;
  mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
}

template class AllGather<float>;
template class AllGather<double>;

} // namespace hybridfft::grid
