// Reductions, gathers and agreement on errors over the ranks of a communicator.
#include "hybridfft/grid/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/binding.h"
#include "base/error.h"
#include "base/mpi.h"
#include "grid/all_gather.h"

namespace hybridfft::grid {

namespace {

template <class T> T reduce(T mine, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  T result{};
  mpi::check(MPI_Allreduce(&mine, &result, 1, type, op, comm), "MPI_Allreduce");
  return result;
}

} // namespace

Session::Session(int &argc, char **&argv) {
  int running = 0;
  mpi::check(MPI_Initialized(&running), "MPI_Initialized");
  if (running != 0) return;
  int provided = MPI_THREAD_SINGLE;
  mpi::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  own_ = true;
}

Session::~Session() {
  if (own_ && mpi::running()) MPI_Finalize();
}

int default_threads(const Communicator &comm) { return hybridfft::default_threads(comm.handle()); }

Communicator::Communicator(MPI_Comm comm)
    : comm_(comm), rank_(mpi::rank(comm)), size_(mpi::size(comm)) {}

double Communicator::max(double mine) const { return reduce(mine, MPI_DOUBLE, MPI_MAX, comm_); }

double Communicator::sum(double mine) const { return reduce(mine, MPI_DOUBLE, MPI_SUM, comm_); }

double Communicator::sum_of_machine(double mine) const {
  MPI_Comm machine = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
             "MPI_Comm_split_type");
  const double sum = reduce(mine, MPI_DOUBLE, MPI_SUM, machine);
  mpi::check(MPI_Comm_free(&machine), "MPI_Comm_free");
  return sum;
}

std::uint64_t Communicator::sum(std::uint64_t mine) const {
  return reduce(mine, MPI_UINT64_T, MPI_SUM, comm_);
}

std::int64_t Communicator::max(std::int64_t mine) const {
  return reduce(mine, MPI_INT64_T, MPI_MAX, comm_);
}

void Communicator::agree(const std::function<void()> &step) const { mpi::all_or_none(comm_, step); }

Communicator::ArgMin Communicator::argmin(const ArgMin &mine) const {
  // Gathers the values instead of reducing them, because MPI reductions are undefined for NaN.
  std::vector<ArgMin> all(static_cast<std::size_t>(size_));
  mpi::check(
      MPI_Allgather(&mine, sizeof(ArgMin), MPI_BYTE, all.data(), sizeof(ArgMin), MPI_BYTE, comm_),
      "MPI_Allgather");
  return *std::min_element(all.begin(), all.end(),
                           [](const ArgMin &a, const ArgMin &b) { return a.where < b.where; });
}

std::vector<std::byte> Communicator::gather_bytes(std::span<const std::byte> mine) const {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto bytes = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> sizes(ranks);
  mpi::check(MPI_Allgather(&bytes, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm_),
             "MPI_Allgather");
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (total > std::numeric_limits<int>::max())
    throw Error(HFFT_ERROR_OVERFLOW,
                "the ranks gather " + std::to_string(total) + " bytes, expected less than 2^31");
  std::vector<int> counts(ranks), offsets(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    counts[r] = static_cast<int>(sizes[r]);
    if (r > 0) offsets[r] = offsets[r - 1] + counts[r - 1];
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  mpi::check(MPI_Allgatherv(mine.data(), static_cast<int>(bytes), MPI_BYTE, all.data(),
                            counts.data(), offsets.data(), MPI_BYTE, comm_),
             "MPI_Allgatherv");
  return all;
}

std::vector<std::string> Communicator::hosts() const {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name mine{};
  int length = 0;
  mpi::check(MPI_Get_processor_name(mine.data(), &length), "MPI_Get_processor_name");
  std::vector<Name> all(static_cast<std::size_t>(size_));
  mpi::check(MPI_Allgather(mine.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(),
                           MPI_MAX_PROCESSOR_NAME, MPI_CHAR, comm_),
             "MPI_Allgather");
  std::vector<std::string> names;
  for (const Name &name : all) {
    const std::string text(name.data());
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  return names;
}

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
