/// Derivatives whose fields the host has.
#pragma once

#include "kspace/operators/derivative.h"

namespace hybridfft::kspace {

/// Use of the values of a row, by several threads at once.
template <class Real> using UseRow = std::function<void(const Row &row, const Real *values)>;

/// Hands out corrected sources row by row, as they come out of the transform.
template <class Real> class HostDerivative : public Derivative<Real> {
public:
  explicit HostDerivative(const LocalGrid &local) : local_(local) {}

  /// The same as correct_source(), but calls `use` with each corrected row, concurrently.
  virtual void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) = 0;

  void correct_source(Driven driven, const Field<Real> &source,
                      std::span<const Field<Real>> targets) final {
    correct_rows(driven, source, [&](const Row &row, const Real *corrected) {
      for (const Field<Real> &target : targets) {
        Real *to = target.row(local_, row.i, row.j) + row.first;
        for (std::ptrdiff_t k = 0; k < row.count; ++k)
          to[k] += corrected[k];
      }
    });
  }

protected:
  LocalGrid local_; ///< layout of the fields
};

} // namespace hybridfft::kspace
