/// The spatial operators of the time step. Derivative is the interface of all implementations;
/// HostDerivative is their base on the host.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/kspace/base/device_ledger.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/point_kernels.h"

namespace hybridfft::kspace {

/// The field driven by a source: the pressure or a velocity component.
enum class Driven { pressure, ux, uy, uz };

/// Spatial operators and the components of their results; axis 0, 1, 2 = x, y, z.
enum class Operator {
  /// No components. Only the row kernel runs.
  none,
  /// Operand p. Component a is dp/da with the k-space correction, half a cell ahead of its points.
  gradient,
  /// Operands u_a. Component a is du_a/da with the k-space correction, half a cell behind its
  /// points. In axisymmetric grids the radial component includes u/r.
  divergence,
  /// Operands f, g; component 0 is L_tau(f), component 1 L_eta(g) (see absorption.h).
  laplacians,
  /// Operands f, g; component 0 is tau L_tau(f) - eta L_eta(g) for uniform tau and eta.
  absorption
};

/// True if the operands are of the fractional Laplacians of a power law.
inline bool is_laplacian(Operator op) {
  return op == Operator::laplacians || op == Operator::absorption;
}

/// The points [first, first + count) of row (i, j) of this rank's part of the grid.
struct Row {
  std::ptrdiff_t i, j, first, count;
};

/// Rows of outputs written by a row kernel. out[o] points to the first point in output o; its
/// points are those of the row's components.
template <class Real> using OutputRows = Real *const *;

/// A box of this rank's points on a device, with the operands of a row kernel.
template <class Real> struct DevicePoints {
  template <class F> void launch(const F &f) const { ledger->launch<Real>(box, f); }

  DeviceLedger *ledger = nullptr;
  grid::Box box;
  Lattice results{}; ///< lattice of the components, for indices of the rank's points
  std::array<const Real *, 3> components{}; ///< components of the operator's result
  std::array<Real *, 3> outputs{};          ///< fields of the rank; nullptr: not stored
};

/// Element-wise work on all rows of a field or on parts of rows. For each row the implementation
/// calls begin(), then component(c) for each component c in ascending order, then end(). Calls for
/// other rows may run in between and concurrently. For a gradient each component runs alone, in any
/// order, without begin() and end(). No function may throw.
template <class Real> class RowKernel {
public:
  virtual ~RowKernel() = default;
  /// True if the components of a divergence may also run separately. Each then runs alone for all
  /// rows, in any order, without begin(); end() follows the last one. Output rows keep no values
  /// between the components.
  virtual bool components_apart() const { return false; }
  virtual void begin(const Row &, OutputRows<Real>) const {}
  /// \param values the component at the points of the row
  virtual void component(int, const Row &, const Real *, OutputRows<Real>) const {}
  virtual void end(const Row &, OutputRows<Real>) const {}
  /// Called by the thread of apply() when a gradient's component c is complete on all rows.
  virtual void completed(int) const {}
  /// Hint: number of planes at each end of i that should be computed first. ends_completed() is
  /// called when both ends are complete, for component c of a gradient, or for all components (-1).
  virtual std::ptrdiff_t planes_first() const { return 0; }
  virtual void ends_completed(int) const {}

  /// Launches the kernels for all of this work on a box of a device's points. `component` is the
  /// component of a gradient, or -1 for the other operators, whose components come together.
  virtual void on_device(const DevicePoints<Real> &, int /*component*/) const {}
};

/// Rows filled by a row kernel, and their use.
template <class Real> struct Output {
  /// skip: no rows, because the operand of this number is ready. row: rows that are not an operand.
  /// operand: rows of an operand of the next operator.
  enum class Use { skip, row, operand };
  Use use = Use::skip;
  /// Field that stores the values; nullptr: they are needed only as an operand or until end().
  const Field<Real> *field = nullptr;
  /// The operator that uses the operand.
  Operator next = Operator::none;

  static Output operand(Operator next, const Field<Real> *field = nullptr) {
    return {Use::operand, field, next};
  }
  static Output row(const Field<Real> *field = nullptr) { return {Use::row, field}; }
  static Output skip() { return {}; }
};

/// Accumulated seconds of this rank in a kind of stage.
struct StageTime {
  const char *stage;
  double seconds;
};

/// Accumulated seconds of this rank in the exchanges of a field with neighbours, and the bytes
/// sent.
struct ExchangeTime {
  std::string field;
  double pack = 0;     ///< packing and unpacking messages
  double wait = 0;     ///< waiting for messages without work to do
  double exchange = 0; ///< with messages in flight
  double bytes = 0;    ///< sent by this rank in one exchange
};

/// Maximum number of outputs of an operator.
inline constexpr std::size_t max_outputs = 3;
/// Callback that receives a result in work space, valid during the call.
template <class Real> using UseField = std::function<void(const Field<Real> &result)>;

/// The operators of the time step. All calls are collective. The operands of an operator are the
/// outputs of the previous call. Output a of a gradient is complete with component a; outputs of
/// other operators are complete with end().
template <class Real> class Derivative {
public:
  virtual ~Derivative() = default;

  /// Applies the operator to its operands and passes the components of all rows of this rank to the
  /// kernel. Throws hybridfft::Error.
  virtual void apply(Operator op, const RowKernel<Real> &kernel,
                     std::span<const Output<Real>> outputs) = 0;
  /// Sets tau and eta of Operator::absorption.
  virtual void set_uniform_absorption(Real tau, Real eta) = 0;

  /// Applies the k-space correction cos(c_ref k dt/2) to an additive source and adds it to each
  /// target. The source must not be a target. Keeps the source and operand 0.
  virtual void correct_source(Driven driven, const Field<Real> &source,
                              std::span<const Field<Real>> targets) = 0;
  /// Interpolates a velocity component to the points of the pressure, half a cell behind. The
  /// result is in work space, valid only during `use`. Keeps u and operand 0.
  virtual void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Describes the plans, for reports.
  virtual std::string describe() const = 0;

  virtual std::vector<StageTime> stage_times() const = 0;

  /// Times for each field; empty if no field is exchanged with neighbours.
  virtual std::vector<ExchangeTime> exchange_times() const { return {}; }
  /// Counts of the kernels launched on a device; nullptr for processors.
  virtual const DeviceLedger *ledger() const { return nullptr; }
};

/// Callback that receives the values of a row; called by several threads concurrently.
template <class Real> using UseRow = std::function<void(const Row &row, const Real *values)>;

/// Base of derivatives on the host. Corrected sources leave the transform row by row.
template <class Real> class HostDerivative : public Derivative<Real> {
public:
  explicit HostDerivative(const LocalGrid &local) : local_(local) {}

  /// Applies correct_source() and passes each corrected row to `use`, concurrently.
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
