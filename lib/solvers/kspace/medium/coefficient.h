/// A coefficient of the medium: one value for the whole grid, or one value per point.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "base/threads.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/row_checks.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

/// A coefficient of the medium. The host reads and checks it before it moves to a device.
template <class Real> class Coefficient {
public:
  Coefficient() = default;
  /// Reads a dataset of shape [1][1][1] or [Nz][Ny][Nx]. Collective. Throws InputError for values
  /// outside the allowed range.
  static Coefficient read(const InputFile<Real> &file, const std::string &dataset, Values allowed,
                          const LocalGrid &local, grid::Host host, const grid::Communicator &comm);

  bool uniform() const { return uniform_; }
  /// The value of a uniform coefficient.
  Real value() const { return value_; }
  /// Moves the values to the device of exec, if it has one. Throws hybridfft::Error.
  void move_to(const Exec &exec);
  /// Returns the view for element-wise kernels.
  grid::Rows<Real> rows() const;
  const Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const { return rows().row(i, j); }
  /// Returns the largest value on all ranks. Collective.
  double max(const grid::Communicator &comm) const;
  /// True if all values on all ranks are finite. Collective.
  bool finite(const grid::Communicator &comm) const;

  /// Replaces each value v by f(v), in double precision.
  template <class F> void transform(const F &f) {
    if (uniform()) return set_uniform(f(static_cast<double>(value_)));
    const std::ptrdiff_t n = local_->box().extent(2);
    finite_ = for_rows([&](std::ptrdiff_t i, std::ptrdiff_t j) {
      Real *const v = field_.row(*local_, i, j);
#pragma omp simd
      for (std::ptrdiff_t k = 0; k < n; ++k)
        v[k] = static_cast<Real>(f(static_cast<double>(v[k])));
      return rows::all_finite(n, v);
    });
  }

  /// Computes values from the values of a and b at the same point. The result is uniform if both
  /// are.
  /// \param f f(n, a, b, to) computes n values; `to` may be a
  template <class F>
  static Coefficient combine(const Coefficient &a, const Coefficient &b,
                             const grid::Communicator &comm, const F &f) {
    Coefficient c = (a.uniform() ? b : a).empty_copy(comm);
    c.fill(a, b, f);
    return c;
  }
  /// The same as combine() above. If a varies, the result uses the memory of a.
  template <class F>
  static Coefficient combine(Coefficient &&a, const Coefficient &b, const grid::Communicator &comm,
                             const F &f) {
    if (a.uniform()) return combine(std::as_const(a), b, comm, f);
    Coefficient c = std::move(a);
    c.fill(c, b, f);
    return c;
  }

private:
  /// Returns a coefficient of the same kind and grid with unset values.
  Coefficient empty_copy(const grid::Communicator &comm) const;
  void set_uniform(double value);
  /// Sets the values to f(a, b); a may be this object.
  template <class F> void fill(const Coefficient &a, const Coefficient &b, const F &f) {
    if (uniform()) {
      Real value = 0;
      f(1, &a.value_, &b.value_, &value);
      return set_uniform(static_cast<double>(value));
    }
    const std::ptrdiff_t n = local_->box().extent(2);
    finite_ = for_rows([&](std::ptrdiff_t i, std::ptrdiff_t j) {
      Real *const to = field_.row(*local_, i, j);
      f(n, a.row(i, j), b.row(i, j), to);
      return rows::all_finite(n, to);
    });
  }
  /// Calls f(i, j) concurrently for all rows of this rank. Returns true if all calls did.
  template <class F> bool for_rows(const F &f) const {
    const std::ptrdiff_t columns = local_->box().extent(1);
    std::atomic<bool> all{true};
    parallel_ranges(local_->box().extent(0) * columns, host_.threads,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      bool mine = true;
                      for (std::ptrdiff_t row = first; row < last; ++row)
                        mine = f(row / columns, row % columns) && mine;
                      if (!mine) all = false;
                    });
    return all;
  }

  bool uniform_ = true; ///< equal on all ranks, including ranks without points
  bool finite_ = true;  ///< all values of this rank are finite
  Real value_ = 0;
  ExecArray<Real> row_; ///< a row along x of a uniform coefficient's value
  Field<Real> field_;
  std::optional<LocalGrid> local_;
  grid::Host host_;
};

} // namespace hybridfft::kspace
