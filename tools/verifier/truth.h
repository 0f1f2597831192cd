/// The transform of a field by means that are not the library's.
#pragma once

#include <mpi.h>

#include <complex>
#include <vector>

#include "verifier/field.h"

namespace hybridfft::verifier {

struct Truth {
  /// Over the full logical extents, row-major, components fastest (see position()).
  std::vector<std::complex<double>> values;
  /// Relative error in the L2 norm that the values themselves may have.
  double uncertainty = 0;
};

/// The same along some axes only.
Truth true_transform(const Problem &problem, const Field &field, const std::vector<int> &axes,
                     MPI_Comm comm);

/// X[k] = sum_j x[j] exp(sign 2 pi i k.j / n), not normalised. Axis by axis by the definition in
/// long double while that is affordable, else by serial FFTW in double. Computed on rank 0, the
/// same on all ranks. Collective. For arrays of fewer than 2^30 values.
Truth true_transform(const Problem &problem, const Field &field, MPI_Comm comm);

} // namespace hybridfft::verifier
