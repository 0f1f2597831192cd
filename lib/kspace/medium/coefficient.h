/// A property of the medium: one value for the whole grid, or one per point.
#pragma once

#include <optional>
#include <string>

#include "kspace/base/exec_array.h"
#include "kspace/base/field.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Is read and worked on by the host; a device may have it then.
class Coefficient {
public:
  Coefficient() = default;
  /// Reads a dataset that is [1][1][1] or [Nz][Ny][Nx]. Throws InputError unless all its values
  /// are as allowed. Collective.
  static Coefficient read(const InputFile &file, const std::string &dataset,
                          InputFile::Values allowed, const LocalGrid &local, grid::Host host,
                          const grid::Communicator &comm);

  bool uniform() const { return uniform_; }
  /// The value of a uniform coefficient.
  Real value() const { return value_; }
  /// From now on, if exec has a device, only it has the values, for work to read by rows(). Throws
  /// hybridfft::Error.
  void move_to(const Exec &exec);
  /// The view by which element-wise work reads it.
  grid::Rows<Real> rows() const;
  const Real *row(std::ptrdiff_t i, std::ptrdiff_t j) const { return rows().row(i, j); }
  /// Largest value on any rank. Collective.
  double max(const grid::Communicator &comm) const;
  /// No value of any rank is infinite or NaN. Collective.
  bool finite(const grid::Communicator &comm) const;

  /// Replaces each value v by f(v), in double precision.
  template <class F> void transform(const F &f) {
    if (uniform()) {
      set_uniform(f(static_cast<double>(value_)));
      return;
    }
    const grid::View<Real> v = field_.view(*local_);
    grid::parallel_for(host_, local_->box(), [=](auto z, auto y, auto x) {
      v(z, y, x) = static_cast<Real>(f(static_cast<double>(v(z, y, x))));
    });
  }

  /// f(a, b) at every point, in double precision; uniform when both are.
  template <class F>
  static Coefficient combine(const Coefficient &a, const Coefficient &b,
                             const grid::Communicator &comm, const F &f) {
    const Coefficient &frame = a.uniform() ? b : a;
    Coefficient c = frame.empty_copy(comm);
    if (c.uniform()) {
      c.set_uniform(f(static_cast<double>(a.value_), static_cast<double>(b.value_)));
      return c;
    }
    const grid::View<Real> v = c.field_.view(*c.local_);
    const grid::Rows<Real> left = a.rows();
    const grid::Rows<Real> right = b.rows();
    grid::parallel_for(c.host_, c.local_->box(), [=](auto z, auto y, auto x) {
      v(z, y, x) = static_cast<Real>(
          f(static_cast<double>(left(z, y, x)), static_cast<double>(right(z, y, x))));
    });
    return c;
  }

private:
  /// A coefficient of the same kind and grid, whose values are not set.
  Coefficient empty_copy(const grid::Communicator &comm) const;
  void set_uniform(double value);

  bool uniform_ = true; ///< on all ranks, also on one without points
  Real value_ = 0;
  ExecArray<Real> row_; ///< values of a uniform coefficient, as many as in a row along x
  Field field_;
  std::optional<LocalGrid> local_;
  grid::Host host_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
