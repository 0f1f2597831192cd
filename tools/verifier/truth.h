/// Computes the transform of a field without the library.
#pragma once

#include <mpi.h>

#include <complex>
#include <vector>

#include "verifier/field.h"

namespace hybridfft::verifier {

struct Truth {
  /// Values over the full logical extents, row-major, components fastest (see position()).
  std::vector<std::complex<double>> values;
  /// Possible relative error of the values in the L2 norm.
  double uncertainty = 0;
};

/// Does the same along some axes only.
Truth true_transform(const Problem &problem, const Field &field, const std::vector<int> &axes,
                     MPI_Comm comm);

/// X[k] = sum_j x[j] exp(sign 2 pi i k.j / n), not normalised. Computed on rank 0 for fewer than
/// 2^30 values: axis by axis by the definition in long double if this is affordable, else by serial
/// FFTW in double. Equal on all ranks. Collective.
Truth true_transform(const Problem &problem, const Field &field, MPI_Comm comm);

} // namespace hybridfft::verifier
