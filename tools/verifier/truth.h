/// Computes the exact transform of a field without the library.
#pragma once

#include <mpi.h>

#include <complex>
#include <vector>

#include "verifier/field.h"

namespace hybridfft::verifier {

struct Truth {
  /// All values of the result, row-major, components fastest (see position()).
  std::vector<std::complex<double>> values;
  /// Upper bound of the relative error of the values in the L2 norm.
  double uncertainty = 0;
};

/// Transforms the given axes only; otherwise like the overload below.
Truth true_transform(const Problem &problem, const Field &field, const std::vector<int> &axes,
                     MPI_Comm comm);

/// Returns X[k] = sum_j x[j] exp(sign 2 pi i k.j / n), not normalised, for fewer than 2^30 values.
/// Rank 0 computes it: axis by axis by definition in long double if this is affordable, else by
/// serial FFTW in double. Equal on all ranks. Collective.
Truth true_transform(const Problem &problem, const Field &field, MPI_Comm comm);

} // namespace hybridfft::verifier
