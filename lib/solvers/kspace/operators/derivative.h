/// Interface of the spatial operators of a time step. Derivative is implemented for devices;
/// HostDerivative is the base of all implementations on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"

namespace hybridfft::kspace {

/// The field that a source drives.
enum class Driven { pressure, ux, uy, uz };

/// Spatial operators. Each applies to operands and produces numbered components; axis 0, 1, 2 = x,
/// y, z.
enum class Operator {
  /// No operator: only the row kernel runs.
  none,
  /// Operand p. Component a is dp/da with the k-space correction, half a cell ahead of the points
  /// of p.
  gradient,
  /// Operands u_a. Component a is du_a/da with the k-space correction, half a cell behind the
  /// points of u_a. On axisymmetric grids the radial component includes u/r.
  divergence,
  /// Operands f and g. Components 0 and 1 are L_tau(f) and L_eta(g) (see absorption.h).
  laplacians,
  /// Operands f and g. Component 0 is tau L_tau(f) - eta L_eta(g), for uniform tau and eta.
  absorption
};

/// True for operators of fractional Laplacians.
inline bool is_laplacian(Operator op) {
  return op == Operator::laplacians || op == Operator::absorption;
}

/// The points [first, first + count) of row (i, j) of this rank's part of the grid.
struct Row {
  std::ptrdiff_t i, j, first, count;
};

/// Output rows of a row kernel. out[o] points to the point of output o at which the row begins.
template <class Real> using OutputRows = Real *const *;

/// A box of this rank's points on a device, and the fields that a row kernel reads and writes.
template <class Real> struct DevicePoints {
  template <class F> void launch(const F &f) const { ledger->launch<Real>(box, f); }

  DeviceLedger *ledger = nullptr;
  grid::Box box;
  Lattice results{}; ///< layout of the components, for this rank's point indices
  std::array<const Real *, 3> components{}; ///< components of the operator's result
  std::array<Real *, 3> outputs{};          ///< output fields of this rank; nullptr: not stored
};

/// Element-wise work that an operator calls for its results, row by row or on parts of rows. For
/// each row the operator calls begin(), then component(c) for each component c in ascending order,
/// then end(). Calls for other rows may come between them or run concurrently. For a gradient, each
/// component is called for all rows separately, in any order, without begin() and end(). No
/// function may throw.
template <class Real> class RowKernel {
public:
  virtual ~RowKernel() = default;
  /// True if a divergence may also process its components separately: one component at a time for
  /// all rows, in any order, without begin(), and end() after the last one. Output rows then keep
  /// no values between components.
  virtual bool components_apart() const { return false; }
  virtual void begin(const Row &, OutputRows<Real>) const {}
  /// \param values the component's values at the points of the row
  virtual void component(int, const Row &, const Real *, OutputRows<Real>) const {}
  virtual void end(const Row &, OutputRows<Real>) const {}
  /// Called on the thread of apply() when component c of a gradient is complete on all rows.
  virtual void completed(int) const {}
  /// Optional hint: number of planes at both ends of i to be computed first. ends_completed() is
  /// called when they are complete, with component c of a gradient, or with -1 for all components.
  virtual std::ptrdiff_t planes_first() const { return 0; }
  virtual void ends_completed(int) const {}

  /// Launches kernels that do the work of begin(), component() and end() on a box of a device's
  /// points. `component` is the component of a gradient; for other operators it is -1, and all
  /// components are available.
  virtual void on_device(const DevicePoints<Real> &, int /*component*/) const {}
};

/// One output of a row kernel, and how it is used.
template <class Real> struct Output {
  /// skip: the kernel has no such output; the operand of this number keeps its values. row: the
  /// output is not an operand. operand: the output is an operand of the next operator.
  enum class Use { skip, row, operand };
  Use use = Use::skip;
  /// Field that stores the output; nullptr: the values are not stored after end(), except as an
  /// operand.
  const Field<Real> *field = nullptr;
  /// For operands: the next operator.
  Operator next = Operator::none;

  static Output operand(Operator next, const Field<Real> *field = nullptr) {
    return {Use::operand, field, next};
  }
  static Output row(const Field<Real> *field = nullptr) { return {Use::row, field}; }
  static Output skip() { return {}; }
};

/// Maximum number of outputs of an operator.
inline constexpr std::size_t max_outputs = 3;
/// Callback that receives a result in a work field, which is valid during the call.
template <class Real> using UseField = std::function<void(const Field<Real> &result)>;

/// The spatial operators of a time step. All calls are collective. The operands of an operator are
/// outputs of the previous call. Output a of a gradient is complete with component a; outputs of
/// other operators are complete after end().
template <class Real> class Derivative {
public:
  virtual ~Derivative() = default;

  /// Applies the operator to its operands and calls the kernel for all rows of this rank. Throws
  /// hybridfft::Error.
  virtual void apply(Operator op, const RowKernel<Real> &kernel,
                     std::span<const Output<Real>> outputs) = 0;
  /// Sets tau and eta of Operator::absorption.
  virtual void set_uniform_absorption(Real tau, Real eta) = 0;

  /// Applies the k-space correction cos(c_ref k dt/2) to an additive source and adds the result to
  /// each target. The source must not be a target. The source and operand 0 keep their values.
  virtual void correct_source(Driven driven, const Field<Real> &source,
                              std::span<const Field<Real>> targets) = 0;
  /// Interpolates a velocity component to the pressure points, half a cell behind. The result is
  /// valid only during `use`. u and operand 0 keep their values.
  virtual void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Describes the plans, for reports.
  virtual std::string describe() const = 0;

  virtual std::vector<StageTime> stage_times() const = 0;

  /// Times of each field's exchanges with neighbours; empty without such exchanges.
  virtual std::vector<ExchangeTime> exchange_times() const { return {}; }
  /// Kernel counts of the device; nullptr on processors.
  virtual const DeviceLedger *ledger() const { return nullptr; }
};

/// Callback that receives the values of a row; called by several threads concurrently.
template <class Real> using UseRow = std::function<void(const Row &row, const Real *values)>;

/// Base of derivatives on the host. Derived classes compute results row by row; this class adds
/// them to the targets of correct_source(), or collects them in a field for unstagger().
template <class Real> class HostDerivative : public Derivative<Real> {
public:
  HostDerivative(const LocalGrid &local, const grid::Communicator &comm, grid::Host host)
      : local_(local), comm_(comm), host_(host) {}

  /// Apply the k-space correction to a source, or interpolate a velocity component as unstagger().
  /// They pass each row of the result to `use`, concurrently.
  virtual void correct_rows(Driven driven, const Field<Real> &source, const UseRow<Real> &use) = 0;
  virtual void unstagger_rows(int axis, const Field<Real> &u, const UseRow<Real> &use) = 0;

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

  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override {
    if (result_.data() == nullptr)
      comm_.agree([&] { result_ = Field<Real>(local_.size(), host_.threads); });
    unstagger_rows(axis, u, [&](const Row &row, const Real *values) {
      std::copy_n(values, row.count, result_.row(local_, row.i, row.j) + row.first);
    });
    use(result_);
  }

protected:
  LocalGrid local_; ///< layout of the fields
  grid::Communicator comm_;
  grid::Host host_;

private:
  Field<Real> result_; ///< result of unstagger(), allocated on first use
};

} // namespace hybridfft::kspace
