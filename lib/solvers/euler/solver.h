/// Time steps of Euler's equations on the blocks of a forest, whose mesh follows the solution.
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

/// Method of computing steps. All have the same results, bit for bit.
struct EulerMethod {
  int threads = 1;
  std::optional<grid::Device> device = std::nullopt; ///< computes the steps; none: threads do
  int halo_depth = 1;                                ///< exchanges per message: 1 or 3, 6, ...
  double balance = 0.10;                             ///< accepted excess of the largest load
  std::int64_t balance_interval = 1;                 ///< changes of the mesh per balance
  bool profile = false; ///< waits for the device after each part, for the times of the profile
  double (*clock)() = nullptr; ///< seconds for the times of the profile; nullptr: of the wall
};

/// Seconds of the parts of all steps so far.
struct Profile {
  double kernels = 0, halo = 0, messages = 0, adapt = 0, migration = 0;
};

/// Numbers after each step.
struct Series {
  std::vector<double> time, dt;
  std::vector<std::int64_t> leaves, cell_updates;
  std::vector<double> totals; ///< [steps][mass, momentum, energy]
};

/// The state between two steps, apart from values.
struct RunClock {
  std::int64_t step = 0;
  double time = 0;
  double dt = 0; ///< the present time step
  std::int64_t cell_updates = 0;
};

template <class Real> class Solver {
public:
  /// Collective. Throws as grid::Forest and grid::Blocks.
  Solver(const grid::Communicator &comm, const Problem &problem, std::span<const grid::Leaf> leaves,
         const EulerMethod &method);

  /// Sets the state at time 0: `set` writes rho, momentum and E' of all own leaves, by write().
  /// Without given leaves the mesh is refined by the criterion first. Collective.
  void start(const std::function<void()> &set);
  /// Continues from a state of write().
  void resume(const RunClock &clock, Series series);
  /// True after the last step.
  bool done() const;
  /// One time step, before which the mesh and the time step may change. Collective. Throws
  /// Error(HFFT_ERROR_ARGUMENT) on all ranks when density or pressure is not positive.
  void step();

  grid::Forest &forest() { return forest_; }
  const Problem &problem() const { return problem_; }
  const RunClock &clock() const { return clock_; }
  /// Collective, as it completes the totals.
  const Series &series();
  /// Sets or takes the inner values of an own leaf: rho, momentum, E', each row-major.
  void write(Index leaf, const Real *values);
  void read(Index leaf, Real *values) const;
  /// rho, velocity and p of an own leaf.
  void primitive(Index leaf, Real *values) const;
  /// p0 in the cells of a leaf along the table's axis, 0 without a table.
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
  template <class F> void run(const grid::Where &where, const F &f);
  template <class T, class F, class C>
  std::vector<T> reduce_leaves(const T &zero, const F &f, const C &combine);
  template <int D> void advance(Real dt);
  template <int D, int A> void compute_flux();
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
  int vector_bytes_; ///< of loops over rows
  grid::Array<Real> base_pressure_, base_density_, base_faces_;
  RunClock clock_;
  Series series_;
  std::vector<kernels::Totals> pending_; ///< totals of own leaves, by step
  std::int64_t pending_steps_ = 0;
  std::int64_t changes_ = 0;
  Profile profile_;
};

} // namespace hybridfft::euler
