#include "grid/transposition.h"

#include <algorithm>

#include "base/threads.h"
#include "exchange/alltoallw.h"

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
                                   int threads, std::ptrdiff_t largest_count)
    : rank_(comm.rank()), ranks_(comm.size()), threads_(threads), n0_(n0, comm.size()),
      n1_(n1, comm.size()) {
  const auto own = exchange::acquire(comm.handle());
  exchange::ExchangeOptions options;
  options.largest_count = largest_count;
  forward_ = exchange::make_alltoallv({n0_, n1_, 1, sizeof(Real)}, own, options);
  backward_ = exchange::make_alltoallv({n1_, n0_, 1, sizeof(Real)}, own, options);
  comm.agree([&] {
    sent_.resize(static_cast<std::size_t>(std::max(n0_.count(rank_) * n1, n1_.count(rank_) * n0)));
    received_.resize(sent_.size());
  });
}

template <class Real> void Transposition<Real>::exchange(exchange::Exchange &by) {
  by.execute(reinterpret_cast<std::byte *>(sent_.data()),
             reinterpret_cast<std::byte *>(received_.data()));
}

template <class Real> void Transposition<Real>::forward(const Complex *rows, Complex *columns) {
  const std::ptrdiff_t mine = n0_.count(rank_);
  // A piece for a rank is transposed before it is sent: [its part of n1][my part of n0].
  parallel_ranges(ranks_, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (int r = static_cast<int>(first); r < last; ++r)
      if (n1_.count(r) > 0)
        transpose(rows + n1_.start(r), n1_.n(), sent_.data() + n1_.start(r) * mine, mine, mine,
                  n1_.count(r));
  });
  exchange(*forward_);
  const std::ptrdiff_t own = n1_.count(rank_);
  for (int r = 0; r < ranks_; ++r) {
    const Complex *piece = received_.data() + n0_.start(r) * own;
    for (std::ptrdiff_t j = 0; j < own; ++j, piece += n0_.count(r))
      std::copy_n(piece, n0_.count(r), columns + j * n0_.n() + n0_.start(r));
  }
}

template <class Real> void Transposition<Real>::backward(const Complex *columns, Complex *rows) {
  const std::ptrdiff_t own = n1_.count(rank_);
  for (int r = 0; r < ranks_; ++r) {
    Complex *piece = sent_.data() + n0_.start(r) * own;
    for (std::ptrdiff_t j = 0; j < own; ++j, piece += n0_.count(r))
      std::copy_n(columns + j * n0_.n() + n0_.start(r), n0_.count(r), piece);
  }
  exchange(*backward_);
  const std::ptrdiff_t mine = n0_.count(rank_);
  parallel_ranges(ranks_, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (int r = static_cast<int>(first); r < last; ++r)
      if (n1_.count(r) > 0)
        transpose(received_.data() + n1_.start(r) * mine, mine, rows + n1_.start(r), n1_.n(),
                  n1_.count(r), mine);
  });
}

template class Transposition<float>;
template class Transposition<double>;

} // namespace hybridfft::grid
