/// Evaluates the velocities and speeds of an input at any time.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// The motion of a front, as arrays of the solver's block in the memory used for computing.
template <class Real> class Flow {
public:
  /// Collective.
  Flow(const InputFile &input, const Solver<Real> &solver, const Executor &exec);

  /// Returns the motion at a time. Arrays given for several times are interpolated linearly, and
  /// constant outside of these times. Local.
  Motion<Real> at(double time) const;
  /// True if a velocity, a speed or the curvature moves the front.
  bool moves() const { return has_velocity_ || has_speed_ || settings_.bending > 0; }

private:
  /// A number, or one array for each time.
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
  Array<Real> any_; ///< stand-in for absent arrays; kernels multiply it by 0
  std::array<std::array<detail::List<Real>, 3>, 3> tables_;
  Index3 first_; ///< first point of the tables along x, y, z
};

} // namespace hybridfft::levelset
