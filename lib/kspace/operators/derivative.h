/// The operators of the time step along space: the interface of all implementations, and its base
/// on the host.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kspace/base/device_ledger.h"
#include "kspace/base/field.h"
#include "kspace/base/lattice.h"

namespace hybridfft::kspace {

/// The field driven by a source: the pressure, or a component of the velocity.
enum class Driven { pressure, ux, uy, uz };

/// Operators on fields, with the components of their results; axis 0, 1, 2 = x, y, z.
enum class Operator {
  /// No components: only the row kernel's work is done.
  none,
  /// Operand p; component a is dp/da with the k-space correction, half a cell ahead of its points.
  gradient,
  /// Operands u_a; component a is du_a/da likewise, half a cell behind its points (in axisymmetric
  /// grids, with the term u/r of the radial component).
  divergence,
  /// Operands f, g; component 0 is L_tau(f), component 1 L_eta(g) (see absorption.h).
  laplacians,
  /// Operands f, g; component 0 is tau L_tau(f) - eta L_eta(g) for the given numbers.
  absorption
};

/// True if an operator has the operands of a power law's fractional Laplacians.
inline bool is_laplacian(Operator op) {
  return op == Operator::laplacians || op == Operator::absorption;
}

/// The points [first, first + count) of row (i, j) of this rank's part of the grid.
struct Row {
  std::ptrdiff_t i, j, first, count;
};

/// Rows of outputs that a row kernel fills for the same points as the components that it is given:
/// out[o] points to the first point in output o.
template <class Real> using OutputRows = Real *const *;

/// A box of this rank's points whose fields a device has, and the operands of a row kernel there.
template <class Real> struct DevicePoints {
  template <class F> void launch(const F &f) const { ledger->launch<Real>(box, f); }

  DeviceLedger *ledger = nullptr;
  grid::Box box;
  Lattice results{}; ///< lattice of the components, by the indices of the rank's points
  std::array<const Real *, 3> components{}; ///< components of the operator's result
  std::array<Real *, 3> outputs{};          ///< fields of the rank; nullptr: none
};

/// Element-wise work on all rows of a field, or on parts that rows are cut into. For each, begin()
/// is called once before, end() once after component(c) for each component c in rising order; other
/// rows may come in between, and be worked on concurrently. A gradient's components are apart: each
/// is on its own, in any order, without begin() and end(). Nothing may throw.
template <class Real> class RowKernel {
public:
  virtual ~RowKernel() = default;
  /// True if a divergence's components may be computed apart too: each on its own for all rows, in
  /// any order, without begin(), and end() after the last one. Output rows keep nothing from one to
  /// the next.
  virtual bool components_apart() const { return false; }
  virtual void begin(const Row &, OutputRows<Real>) const {}
  /// \param values the component at the points of the row
  virtual void component(int, const Row &, const Real *, OutputRows<Real>) const {}
  virtual void end(const Row &, OutputRows<Real>) const {}
  /// Called by the thread that called apply(), after a gradient's component c is done on all rows.
  virtual void completed(int) const {}
  /// Number of planes at each end (of i, among those of the results) whose work is better done
  /// before that on the planes between: a hint. ends_completed() is called when it has been done on
  /// both ends, for component c of a gradient, or for all components (-1).
  virtual std::ptrdiff_t planes_first() const { return 0; }
  virtual void ends_completed(int) const {}

  /// Launches the kernels for all of this work on a box of a device's points. `component` is that
  /// of a gradient, which brings one at a time, and -1 for the other operators, which bring all of
  /// theirs.
  virtual void on_device(const DevicePoints<Real> &, int /*component*/) const {}
};

/// Rows filled by a row kernel, and their use.
template <class Real> struct Output {
  /// skip: no rows, as the operand of this number is ready already; row: rows that are no operand;
  /// operand: rows of the next operator's operand.
  enum class Use { skip, row, operand };
  Use use = Use::skip;
  /// The field with the values; nullptr: they are needed as an operand only, or until end().
  const Field<Real> *field = nullptr;
  /// The operator of an operand.
  Operator next = Operator::none;

  static Output operand(Operator next, const Field<Real> *field = nullptr) {
    return {Use::operand, field, next};
  }
  static Output row(const Field<Real> *field = nullptr) { return {Use::row, field}; }
  static Output skip() { return {}; }
};

/// Seconds of this rank so far in a kind of stage.
struct StageTime {
  const char *stage;
  double seconds;
};

/// This rank's seconds so far in the exchanges of a field with neighbours, and the bytes
/// sent.
struct ExchangeTime {
  std::string field;
  double pack = 0;     ///< writing messages, and reading received ones
  double wait = 0;     ///< for messages, with nothing to compute
  double exchange = 0; ///< with messages under way
  double bytes = 0;    ///< sent by this rank in one exchange
};

/// Outputs of an operator, at most.
inline constexpr std::size_t most_outputs = 3;
/// Use of a result in work space, valid during the call.
template <class Real> using UseField = std::function<void(const Field<Real> &result)>;

/// All calls are collective. An operator's operands are the outputs of the call before. Output a of
/// a gradient is complete with component a; those of other operators with end().
template <class Real> class Derivative {
public:
  virtual ~Derivative() = default;

  /// Applies the operator to its operands, and calls the kernel with the components for all rows of
  /// this rank. Throws hybridfft::Error.
  virtual void apply(Operator op, const RowKernel<Real> &kernel,
                     std::span<const Output<Real>> outputs) = 0;
  /// The numbers of Operator::absorption.
  virtual void set_uniform_absorption(Real tau, Real eta) = 0;

  /// Adds an additive source with the k-space correction, cos(c_ref k dt/2), to each of the
  /// targets. Keeps the source, not one of them, and operand 0.
  virtual void correct_source(Driven driven, const Field<Real> &source,
                              std::span<const Field<Real>> targets) = 0;
  /// A component of the velocity at the points of the pressure, half a cell behind, in work space
  /// valid during `use` only. Keeps u, and operand 0.
  virtual void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Description of its plans, for reports.
  virtual std::string describe() const = 0;

  virtual std::vector<StageTime> stage_times() const = 0;

  /// Times for each field; empty without exchanges between neighbours.
  virtual std::vector<ExchangeTime> exchange_times() const { return {}; }
  /// Counts of the kernels launched on a device; nullptr without one.
  virtual const DeviceLedger *ledger() const { return nullptr; }
};

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
