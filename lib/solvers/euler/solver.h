/// Advances Euler's equations in time on the blocks of a forest. The mesh follows the solution.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/for_blocks.hpp"
#include "solvers/euler/kernels.h"
#include "solvers/euler/problem.h"

namespace hybridfft::euler {

/// Options of the computation. They do not change a bit of the results.
struct EulerMethod {
  int threads = 1;
  std::optional<grid::Device> device =
      std::nullopt;                  ///< device for the steps; none: threads of the host
  int halo_depth = 1;                ///< exchanges per message: 1 or a multiple of 3
  double balance = 0.10;             ///< accepted excess of the largest load over the mean
  std::int64_t balance_interval = 1; ///< changes of the mesh between balances
  bool profile = false;              ///< wait for the device after each part, to time it
  double (*clock)() = nullptr;       ///< clock of the profile, in seconds; nullptr: wall clock
};

/// Seconds spent in each part of the steps so far.
struct Profile {
  double kernels = 0, halo = 0, messages = 0, adapt = 0, migration = 0;
};

/// Numbers recorded after each step.
struct Series {
  std::vector<double> time, dt;
  std::vector<std::int64_t> leaves, cell_updates;
  std::vector<double> totals; ///< [steps][mass, momentum, energy]
};

/// State between two steps, without the values of cells.
struct RunClock {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0; ///< present time step, s
  std::int64_t cell_updates = 0;
};

template <class Real> class Solver {
public:
  /// Makes the mesh. Collective. Throws like grid::Forest and grid::Blocks.
  Solver(const grid::Communicator &comm, const Problem &problem, std::span<const grid::Leaf> leaves,
         const EulerMethod &method);

  /// Starts at time 0. `set` writes rho, momentum and E' of all own leaves by write(). If no leaves
  /// were passed, the criterion refines the mesh first. Collective.
  void start(const std::function<void()> &set);
  /// Continues from a state set by write().
  void resume(const RunClock &clock, Series series);
  /// True after the last step.
  bool done() const;
  /// Advances by one time step. The mesh and the length of the step may change before it.
  /// Collective. Throws Error(HFFT_ERROR_ARGUMENT) on all ranks if density or pressure is 0 or
  /// less.
  void step();

  grid::Forest &forest() { return forest_; }
  const Problem &problem() const { return problem_; }
  const RunClock &clock() const { return clock_; }
  /// Returns the series; sums the totals first. Collective.
  const Series &series();
  /// Set or return the inner values of an own leaf: rho, momentum, E', each row-major.
  void write(Index leaf, const Real *values);
  void read(Index leaf, Real *values) const;
  /// Returns rho, velocity and p of an own leaf.
  void primitive(Index leaf, Real *values) const;
  /// Returns p0 of a cell of a leaf along the table's axis; 0 without a table.
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
  int vector_bytes_; ///< vectors in loops over rows
  grid::Array<Real> base_pressure_, base_density_, base_faces_;
  RunClock clock_;
  Series series_;
  std::vector<kernels::Totals>
      pending_; ///< totals of own leaves for each step, not yet summed over ranks
  std::int64_t pending_steps_ = 0;
  std::int64_t changes_ = 0;
  Profile profile_;
};

} // namespace hybridfft::euler
