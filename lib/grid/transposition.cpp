#include "grid/transposition.h"

#include <climits>
#include <string>

#include "base/error.h"
#include "base/mpi.h"
#include "base/threads.h"

namespace hybridfft::grid {

namespace {

/// to[j][i] = from[i][j] for a piece of `rows` x `columns`, at given distances of rows.
template <class Complex>
void transpose(const Complex *from, std::ptrdiff_t from_pitch, Complex *to, std::ptrdiff_t to_pitch,
               std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t j = 0; j < columns; ++j)
    for (std::ptrdiff_t i = 0; i < rows; ++i)
      to[j * to_pitch + i] = from[i * from_pitch + j];
}

} // namespace

template <class Real>
Transposition<Real>::Transposition(const Communicator &comm, std::ptrdiff_t n0, std::ptrdiff_t n1,
                                   int threads)
    : comm_(comm), threads_(threads), n0_(n0, comm.size()), n1_(n1, comm.size()) {
  const std::ptrdiff_t rows = n0_.count(comm.rank());
  const std::ptrdiff_t columns = n1_.count(comm.rank());
  comm.agree([&] {
    if (std::max(rows * n1, columns * n0) > INT_MAX / 2)
      throw Failure(HFFT_ERROR_OVERFLOW,
                    "a rank exchanges more than 2^31-1 values of a matrix of " +
                        std::to_string(n0) + " x " + std::to_string(n1) + "; use more ranks");
    sent_.resize(static_cast<std::size_t>(std::max(rows * n1, columns * n0)));
    received_.resize(sent_.size());
  });
  of_rows_ = counts(n1_, rows);
  of_columns_ = counts(n0_, columns);
}

template <class Real>
typename Transposition<Real>::Counts Transposition<Real>::counts(const BlockDistribution &theirs,
                                                                 std::ptrdiff_t mine) const {
  Counts result;
  int offset = 0;
  for (int r = 0; r < comm_.size(); ++r) {
    result.counts.push_back(static_cast<int>(2 * mine * theirs.count(r)));
    result.offsets.push_back(offset);
    offset += result.counts.back();
  }
  return result;
}

template <class Real> void Transposition<Real>::exchange(const Counts &to, const Counts &from) {
  mpi::check(MPI_Alltoallv(sent_.data(), to.counts.data(), to.offsets.data(), mpi::type_of<Real>(),
                           received_.data(), from.counts.data(), from.offsets.data(),
                           mpi::type_of<Real>(), comm_.handle()),
             "MPI_Alltoallv");
}

template <class Real> void Transposition<Real>::forward(const Complex *rows, Complex *columns) {
  const std::ptrdiff_t mine = n0_.count(comm_.rank());
  // A piece for a rank is transposed before it is sent: [its part of n1][my part of n0].
  parallel_ranges(comm_.size(), threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (int r = static_cast<int>(first); r < last; ++r)
      if (n1_.count(r) > 0)
        transpose(rows + n1_.start(r), n1_.n(),
                  sent_.data() + of_rows_.offsets[static_cast<std::size_t>(r)] / 2, mine, mine,
                  n1_.count(r));
  });
  exchange(of_rows_, of_columns_);
  const std::ptrdiff_t own = n1_.count(comm_.rank());
  for (int r = 0; r < comm_.size(); ++r) {
    const Complex *piece = received_.data() + of_columns_.offsets[static_cast<std::size_t>(r)] / 2;
    for (std::ptrdiff_t j = 0; j < own; ++j, piece += n0_.count(r))
      std::copy_n(piece, n0_.count(r), columns + j * n0_.n() + n0_.start(r));
  }
}

template <class Real> void Transposition<Real>::backward(const Complex *columns, Complex *rows) {
  const std::ptrdiff_t own = n1_.count(comm_.rank());
  for (int r = 0; r < comm_.size(); ++r) {
    Complex *piece = sent_.data() + of_columns_.offsets[static_cast<std::size_t>(r)] / 2;
    for (std::ptrdiff_t j = 0; j < own; ++j, piece += n0_.count(r))
      std::copy_n(columns + j * n0_.n() + n0_.start(r), n0_.count(r), piece);
  }
  exchange(of_columns_, of_rows_);
  const std::ptrdiff_t mine = n0_.count(comm_.rank());
  parallel_ranges(comm_.size(), threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (int r = static_cast<int>(first); r < last; ++r)
      if (n1_.count(r) > 0)
        transpose(received_.data() + of_rows_.offsets[static_cast<std::size_t>(r)] / 2, mine,
                  rows + n1_.start(r), n1_.n(), n1_.count(r), mine);
  });
}

template class Transposition<float>;
template class Transposition<double>;

} // namespace hybridfft::grid
