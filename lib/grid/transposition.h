/// Global transposition of a matrix of complex numbers that is spread over ranks by rows.
#pragma once

#include <climits>
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/exchange.h"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/layout.hpp"

namespace hybridfft::grid {

/// Transposition between a matrix [n0][n1] cut along n0 and its transpose [n1][n0] cut along n1,
/// both in blocks of FFTW's rule. The parts of its numbers are float or double.
template <class Real> class Transposition {
public:
  using Complex = std::complex<Real>;

  /// \param largest_count MPI's limit, beyond which messages are derived types. Collective. Throws
  /// Failure.
  Transposition(const Communicator &comm, std::ptrdiff_t n0, std::ptrdiff_t n1, int threads,
                std::ptrdiff_t largest_count = INT_MAX);

  /// rows: this rank's part of [n0][n1]; columns: its part of [n1][n0]. Collective.
  void forward(const Complex *rows, Complex *columns);
  void backward(const Complex *columns, Complex *rows);

private:
  void exchange(exchange::Exchange &by);

  int rank_, ranks_, threads_;
  BlockDistribution n0_, n1_;
  std::unique_ptr<exchange::Exchange> forward_, backward_;
  std::vector<Complex> sent_, received_;
};

} // namespace hybridfft::grid
