/// Solver of the Euler equations of a perfect gas with gravity on an adaptive mesh of blocks.
///
///     U = (rho, rho v, E),   p = (gamma - 1) (E - rho v^2 / 2),   sources (0, rho g, rho v . g)
///
/// An optional table holds a hydrostatic pressure p0 along the axis of gravity. The solver then
/// stores E' = E - p0/(gamma - 1) instead of E, so that fluids at rest stay at rest exactly
/// (well-balanced scheme).
///
/// The method: finite volumes of third order with HLLC fluxes, and a Runge-Kutta method of third
/// order. The mesh is refined and coarsened as the solution changes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/blocks.hpp"
#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/for_blocks.hpp"
#include "solvers/euler/kernels.h"

namespace hybridfft::euler {

using grid::Index;
using grid::Index3;

/// Limiter of the third-order reconstruction at faces.
enum class Limiter { koren, none };

/// Mesh, fluid, boundary conditions and time steps of a problem.
struct Problem {
  grid::ForestShape shape;
  double h = 0;                    ///< edge length of the cells of level 0, m
  double gamma = 1.4;              ///< ratio of specific heats
  std::array<double, 3> gravity{}; ///< components along x, y, z, m/s^2
  std::vector<double> base;        ///< p0 at the faces of the finest cells, Pa; empty: no table
  int base_axis = 2;               ///< axis of the table: 0, 1, 2 for z, y, x
  std::array<std::array<grid::End, 2>, 3> sides{}; ///< by axis (z, y, x) and side (low, high)
  grid::End absent = grid::End::wall;              ///< boundary condition at absent trees
  Limiter limiter = Limiter::koren;

  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  double t_end = std::numeric_limits<double>::infinity(); ///< s
  double dt = 0; ///< fixed time step, s; 0: computed from `cfl`
  double cfl = 0.8;
  std::int64_t dt_interval = 1; ///< number of steps between computations of dt
  std::optional<double> refine_above,
      coarsen_below;               ///< thresholds of the criterion; none: fixed mesh
  std::int64_t adapt_interval = 4; ///< steps between changes of the mesh
  int refine_by = 0;               ///< variable of the criterion: index in rho, u, v[, w], p
  bool leaves_given = false;       ///< true if the input has the initial mesh

  int dimensions() const { return shape.dimensions; }
  /// Number of variables: rho, momentum, E'.
  int variables() const { return shape.dimensions + 2; }
  /// Number of cells of the finest level along an axis (z, y, x).
  Index finest(int axis) const {
    return axis == 0 && dimensions() == 2 ? 1
                                          : (shape.trees[axis] * shape.cells) << shape.max_level;
  }
};

/// Mean p0 and rho0 in the cells of all levels along the axis of gravity. Level l begins at index
/// n0 (2^l - 1), where n0 is the number of cells of level 0.
struct BaseTables {
  explicit BaseTables(const Problem &problem);
  std::vector<double> pressure, density;
};

/// Execution options. They affect speed only: results have the same bits.
struct EulerMethod {
  int threads = 1;
  std::optional<grid::Device> device =
      std::nullopt;      ///< device for the steps; none: threads of the host
  int halo_depth = 1;    ///< number of halo exchanges served by one message: 1 or a multiple of 3
  double balance = 0.10; ///< accepted relative excess of the largest load over the mean
  std::int64_t balance_interval = 1; ///< number of changes of the mesh between load balancings
  bool profile = false;        ///< wait for the device after each phase, so that times are exact
  double (*clock)() = nullptr; ///< clock of the profile, in seconds; nullptr: wall clock
};

/// Seconds spent by this rank in each phase of the steps.
struct Profile {
  double kernels = 0, halo = 0, messages = 0, adapt = 0, migration = 0;
};

/// Values recorded after each step: times in s, number of leaves, sum of updated cells so far,
/// totals.
struct Series {
  std::vector<double> time, dt;
  std::vector<std::int64_t> leaves, cell_updates;
  std::vector<double> totals; ///< [steps][mass, momentum per axis, energy]
};

/// Position of a run between two steps.
struct RunClock {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0; ///< current time step, s
  std::int64_t cell_updates = 0;
};

/// Solution on the blocks of a forest, distributed over the ranks of a communicator.
template <class Real> class Solver {
public:
  /// Makes the mesh from its leaves, or from the trees if there are none. Collective. Throws like
  /// grid::Forest and grid::Blocks.
  Solver(const grid::Communicator &comm, const Problem &problem, std::span<const grid::Leaf> leaves,
         const EulerMethod &method);

  /// Starts at time 0. If the constructor got no leaves, first refines the mesh by the criterion.
  /// Collective.
  /// \param set writes the initial rho, momentum and E' of all leaves of this rank by write();
  ///            called for the first mesh and after each refinement
  void start(const std::function<void()> &set);
  /// Continues an earlier run from a state set by write().
  void resume(const RunClock &clock, Series series);
  /// True after the last step.
  bool done() const;
  /// Advances by one time step, after adapting the mesh and computing dt if these are due.
  /// Collective.
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks for a cell with density or pressure not above
  /// 0
  void step();

  grid::Forest &forest() { return forest_; }
  const Problem &problem() const { return problem_; }
  const RunClock &clock() const { return clock_; }
  /// Returns the series, after summing the totals over the ranks. Collective.
  const Series &series();
  /// write() sets and read() returns the values of a leaf of this rank without ghosts: rho,
  /// momentum, E', each row-major.
  void write(Index leaf, const Real *values);
  void read(Index leaf, Real *values) const;
  /// Reads rho, velocity and p of a leaf of this rank, each row-major.
  void primitive(Index leaf, Real *values) const;
  /// Returns p0 in Pa for a cell of a leaf, counted along the table's axis; 0 without a table.
  double base_pressure(const grid::Leaf &leaf, Index cell) const;
  Profile profile() const;
  Index values_of_leaf() const;

private:
  using Faces = std::array<std::unique_ptr<grid::Blocks<Real>>, 3>;
  grid::Blocks<Real> make_blocks(const grid::BlockTraits &traits) const;
  grid::BlockTraits cell_traits() const;
  double now() const;
  void make_base();
  kernels::Base<Real> base() const;
  template <class... F> void run(const grid::Pass<F> &...passes);
  template <class T, class F, class C>
  std::vector<T> reduce_leaves(const T &zero, const F &f, const C &combine);
  template <int D> void advance(Real dt);
  template <int D, int A, bool Limited> auto flux_pass();
  template <int D, bool Limited> void run_stage(const kernels::Stage<Real, D> &stage);
  template <int D> void take_time_step();
  template <int D> void adapt(double down);
  template <int D> void add_totals();
  std::vector<std::int8_t> wishes(const std::vector<double> &jumps, double down) const;
  void finish_totals();
  void by_dimension(const std::function<void()> &two, const std::function<void()> &three) const;

  Problem problem_;
  EulerMethod method_;
  BaseTables tables_;
  grid::Communicator comm_;
  grid::Forest forest_;
  grid::Blocks<Real> u_, old_;
  Faces flux_;
  grid::BlockHalo halo_;
  int vector_bytes_; ///< vector size of loops over rows
  grid::Array<Real> base_pressure_, base_density_, base_faces_;
  RunClock clock_;
  Series series_;
  /// Totals of this rank's leaves for each step, not yet summed over ranks.
  std::vector<kernels::Totals> pending_;
  std::int64_t pending_steps_ = 0;
  std::int64_t changes_ = 0; ///< changes of the mesh so far
  Profile profile_;
};

} // namespace hybridfft::euler
