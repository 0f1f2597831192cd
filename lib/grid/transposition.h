/// Global transposition of a matrix of complex numbers that is spread over ranks by rows.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/layout.hpp"

namespace hybridfft::grid {

/// Between a matrix [n0][n1] cut along n0 and its transpose [n1][n0] cut along n1, both in blocks
/// of FFTW's rule. The parts of its numbers are float or double.
template <class Real> class Transposition {
public:
  using Complex = std::complex<Real>;

  /// Collective. Throws Failure when a rank would exchange more than 2^31-1 values.
  Transposition(const Communicator &comm, std::ptrdiff_t n0, std::ptrdiff_t n1, int threads);

  /// rows: this rank's part of [n0][n1]; columns: its part of [n1][n0]. Collective.
  void forward(const Complex *rows, Complex *columns);
  void backward(const Complex *columns, Complex *rows);

private:
  /// Reals that go to or come from each rank, in one of the two directions.
  struct Counts {
    std::vector<int> counts, offsets;
  };
  Counts counts(const BlockDistribution &theirs, std::ptrdiff_t mine) const;
  void exchange(const Counts &to, const Counts &from);

  Communicator comm_;
  int threads_;
  BlockDistribution n0_, n1_;
  Counts of_rows_, of_columns_; ///< of the pieces of this rank's rows, and of its columns
  std::vector<Complex> sent_, received_;
};

} // namespace hybridfft::grid
