// Transfers values at listed points from the owners of the points to ranks that each hold a piece
// of the list.
#include "hybridfft/grid/list_exchange.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::grid {

namespace {

/// Minimum number of entries of a piece. Shorter pieces would cost more time, for messages and for
/// partly written file chunks, than the division among ranks saves.
constexpr std::ptrdiff_t smallest_piece = 4096;

BlockDistribution cut(std::ptrdiff_t total, int ranks) {
  const std::ptrdiff_t even = (total + ranks - 1) / ranks;
  return BlockDistribution(total, ranks, std::max(even, smallest_piece));
}

template <class Messages> std::ptrdiff_t entries_of_all(const Messages &m) {
  return std::accumulate(m.entries.begin(), m.entries.end(), std::ptrdiff_t{0});
}

/// Sets the counts and offsets of all message blocks for this number of rows.
template <class Messages> void resize(Messages &m, std::ptrdiff_t rows) {
  int offset = 0;
  for (std::size_t r = 0; r < m.entries.size(); ++r) {
    m.counts[r] = static_cast<int>(m.entries[r] * rows);
    m.offsets[r] = offset;
    offset += m.counts[r];
  }
}

} // namespace

template <class T>
ListExchange<T>::ListExchange(const Communicator &comm, std::ptrdiff_t total,
                              std::span<const std::int64_t> positions, std::ptrdiff_t max_rows)
    : comm_(comm), pieces_(cut(total, comm.size())),
      mine_(static_cast<std::ptrdiff_t>(positions.size())) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (Messages *m : {&send_, &receive_}) {
    m->entries.assign(ranks, 0);
    m->counts.assign(ranks, 0);
    m->offsets.assign(ranks, 0);
  }
  for (const std::int64_t position : positions)
    ++send_.entries[static_cast<std::size_t>(pieces_.owner(position))];
  static_assert(sizeof(std::ptrdiff_t) == sizeof(std::int64_t));
  mpi::check(MPI_Alltoall(send_.entries.data(), 1, MPI_INT64_T, receive_.entries.data(), 1,
                          MPI_INT64_T, comm.handle()),
             "MPI_Alltoall");
  comm.agree([&] {
    check_counts(max_rows);
    const auto rows = static_cast<std::size_t>(max_rows);
    received_.resize(static_cast<std::size_t>(entries_of_all(receive_)));
    send_.values.resize(static_cast<std::size_t>(mine_) * rows);
    receive_.values.resize(received_.size() * rows);
  });
  exchange_positions(positions);
}

template <class T> void ListExchange<T>::check_counts(std::ptrdiff_t max_rows) const {
  for (const Messages *m : {&send_, &receive_}) {
    const std::ptrdiff_t values = entries_of_all(*m);
    if (values > INT_MAX / std::max<std::ptrdiff_t>(max_rows, 1))
      throw Failure(HFFT_ERROR_OVERFLOW,
                    "a rank exchanges " + std::to_string(values) + " x " +
                        std::to_string(max_rows) +
                        " values of a list at once, more than 2^31-1; use more ranks");
  }
}

template <class T>
void ListExchange<T>::exchange_positions(std::span<const std::int64_t> positions) {
  resize(send_, 1);
  resize(receive_, 1);
  mpi::check(MPI_Alltoallv(positions.data(), send_.counts.data(), send_.offsets.data(), MPI_INT64_T,
                           received_.data(), receive_.counts.data(), receive_.offsets.data(),
                           MPI_INT64_T, comm_.handle()),
             "MPI_Alltoallv");
  for (std::int64_t &position : received_)
    position -= start();
}

template <class T>
void ListExchange<T>::exchange(std::ptrdiff_t rows, std::span<const T> mine, std::span<T> piece) {
  resize(send_, rows);
  resize(receive_, rows);
  T *out = send_.values.data();
  std::ptrdiff_t first = 0;
  for (const std::ptrdiff_t entries : send_.entries) {
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      out = std::copy_n(mine.data() + row * mine_ + first, entries, out);
    first += entries;
  }
  mpi::check(MPI_Alltoallv(send_.values.data(), send_.counts.data(), send_.offsets.data(),
                           mpi::type_of<T>(), receive_.values.data(), receive_.counts.data(),
                           receive_.offsets.data(), mpi::type_of<T>(), comm_.handle()),
             "MPI_Alltoallv");
  const T *in = receive_.values.data();
  const std::int64_t *position = received_.data();
  for (const std::ptrdiff_t entries : receive_.entries) {
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      for (std::ptrdiff_t e = 0; e < entries; ++e)
        piece[static_cast<std::size_t>(row * count() + position[e])] = *in++;
    position += entries;
  }
}

template class ListExchange<float>;
template class ListExchange<double>;

} // namespace hybridfft::grid
