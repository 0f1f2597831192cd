/// The velocities and speeds of an input, at any time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// The motion of a front. Its arrays are those of the solver's block, where the solver computes.
template <class Real> class Flow {
public:
  /// Collective.
  Flow(const InputFile &input, const Solver<Real> &solver, const Executor &exec);

  /// The motion at a time: arrays over time are linear in between, and constant beyond. Local.
  Motion<Real> at(double time) const;
  /// True if anything moves the front.
  bool moves() const { return has_velocity_ || has_speed_ || settings_.bending > 0; }

private:
  /// A number, or an array for each time.
  struct FlowValues {
    double number = 0;
    std::vector<Array<Real>> arrays;
  };
  FlowValues read(const InputFile &input, const Solver<Real> &solver, const std::string &dataset);
  kernels::Field<Real> field(const FlowValues &values, double time) const;
  void make_tables(const Solver<Real> &solver, const Executor &exec);
  kernels::TableVelocity<Real> table(double time) const;

  FrontSettings settings_;
  bool has_velocity_ = false, has_speed_ = false;
  std::array<FlowValues, 3> velocity_;
  FlowValues speed_;
  Array<Real> any_; ///< what fields of numbers read, times 0
  std::array<std::array<detail::List<Real>, 3>, 3> tables_;
  Index3 first_; ///< of the tables, along x, y, z
};

} // namespace hybridfft::levelset
