/// Evaluates the velocity and the normal speed of an input file at any time. They are constants,
/// arrays interpolated in time, or a built-in analytic flow.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "solvers/levelset/files/input_file.h"

namespace hybridfft::levelset {

/// Motion of a front on this rank's box. Its arrays are in the memory of the device that computes.
template <class Real> class Flow {
public:
  /// Reads the arrays of the motion. Collective.
  /// \throws io::IoError or Error(HFFT_ERROR_ARGUMENT) on all ranks
  Flow(const InputFile &input, const Solver<Real> &solver, const Executor &exec);

  /// Returns the motion at a time in s. Arrays at several times are interpolated linearly. Before
  /// the first and after the last time they are constant. Local.
  Motion<Real> at(double time) const;
  /// True if a velocity, a speed or the curvature moves the front.
  bool moves() const { return has_velocity_ || has_speed_ || settings_.bending > 0; }

private:
  /// One scalar of the motion: a number for all points, or one array per time.
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
  Array<Real> any_; ///< placeholder for absent arrays; kernels multiply its values by 0
  /// Factors of a built-in flow: [component][axis].
  std::array<std::array<detail::List<Real>, 3>, 3> tables_;
  Index3 first_; ///< grid index of the first entry of the tables along x, y, z
};

} // namespace hybridfft::levelset
