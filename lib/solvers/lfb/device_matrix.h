/// Owners of small matrices in the memory of a device. Kernels access them by DenseMatrix and
/// SparseTerms.
#pragma once

#include "device/runtime.h"
#include "solvers/lfb/device_fill.h"
#include "solvers/lfb/sparse_matrix.h"

namespace hybridfft::lfb {

/// Copies values to a device and waits for the copy. An empty list gives an empty array.
template <class T>
device::Array<T> on_device(device::Runtime &runtime, const std::vector<T> &from) {
  return from.empty() ? device::Array<T>() : device::Array<T>(runtime, from.data(), from.size());
}

/// Dense matrix in the memory of a device.
template <class Real> class DeviceDense {
public:
  DeviceDense() = default;
  /// \param values rows x columns, row-major, rounded to Real
  DeviceDense(device::Runtime &runtime, Index rows, Index columns, const double *values)
      : rows_(rows), columns_(columns) {
    std::vector<Real> all;
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < rows; ++r)
        all.push_back(static_cast<Real>(values[r * columns + c]));
    values_ = on_device(runtime, all);
  }
  DenseMatrix<Real> matrix() const { return {values_.data(), rows_, columns_}; }

private:
  device::Array<Real> values_;
  Index rows_ = 0, columns_ = 0;
};

/// Sparse matrix in the memory of a device.
template <class Real> class DeviceSparse {
public:
  DeviceSparse() = default;
  DeviceSparse(device::Runtime &runtime, const SparseMatrix<Real> &matrix)
      : ends_(on_device(runtime, matrix.ends)), columns_(on_device(runtime, matrix.columns)),
        factors_(on_device(runtime, matrix.factors)) {}
  SparseTerms<Real> terms() const { return {ends_.data(), columns_.data(), factors_.data()}; }
  Index rows() const { return static_cast<Index>(ends_.size()); }

private:
  device::Array<Index> ends_, columns_;
  device::Array<Real> factors_;
};

} // namespace hybridfft::lfb
