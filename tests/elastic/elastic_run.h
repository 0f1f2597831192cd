/// Elastic problems for tests: a solver whose cells and fields are functions of the position.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/elastic/solver.h"
#include "support/mpi_test.h"

namespace hybridfft::elastic::test {

/// Speeds and density of a cell, and its quality factors if the problem has Quality::in_cells.
struct Material {
  double vp = std::sqrt(3.), vs = 1, rho = 1;
  double q_p = 1, q_s = 1;
};

using MaterialOf = std::function<Material(Index i, Index j, Index k)>;

/// Returns a problem with cells of size 1.
inline Problem unit_problem(const Index3 &cells, double dt, std::int64_t steps,
                            const grid::Periodic &periodic) {
  Problem p;
  p.cells = cells;
  p.h = 1;
  p.dt = dt;
  p.steps = steps;
  p.periodic = periodic;
  return p;
}

/// A solver on the blocks of `cuts`, or on one block.
template <class Real> class Waves {
public:
  Waves(MPI_Comm comm, const Problem &problem, const MaterialOf &material,
        const Sources &sources = {}, const Method &method = {},
        std::optional<grid::Cuts> cuts = std::nullopt)
      : comm_(comm),
        cartesian_(comm_, cuts ? *cuts : grid::even_cuts(problem.extents(), {{1, 1, 1}}),
                   problem.periodic),
        solver_(cartesian_, problem, cells(problem, material, method), sources, method) {}

  Solver<Real> *operator->() { return &solver_; }
  const Problem &problem() const { return solver_.problem(); }

  /// Sets field f to function(x, y, z) at its points, including the free surface. The centre of the
  /// first cell has z = 0.
  template <class F> void set(int f, const F &function) {
    solver_.settle();
    const grid::View<Real> v = solver_.field(f).view();
    const double h = problem().h;
    const Index top = problem().planes_above();
    const auto o = offset(f);
    const grid::Box box = f == vz ? solver_.box() : solver_.cells();
    grid::parallel_for({1}, box, [&](Index i, Index j, Index k) {
      v(i, j, k) = static_cast<Real>(function((static_cast<double>(i) + o[0]) * h,
                                              (static_cast<double>(j) + o[1]) * h,
                                              (static_cast<double>(k - top) + o[2]) * h));
    });
  }

  /// Advances `steps` time steps, starting with number `first`.
  void advance(std::int64_t steps, std::int64_t first = 0) {
    solver_.begin();
    for (std::int64_t n = 0; n < steps; ++n)
      solver_.step(first + n);
    solver_.settle();
  }

  /// Returns field f in cell (i, j, k) of this rank's block. k = -1 is the free surface.
  double at(int f, Index i, Index j, Index k) {
    return solver_.field(f).view()(i, j, k + problem().planes_above());
  }

  /// Returns field f in all cells of this rank's block, row-major.
  std::vector<double> values(int f) {
    std::vector<double> all;
    const grid::View<const Real> v = std::as_const(solver_.field(f)).view();
    const grid::Box &b = solver_.cells();
    for (Index i = b.lo[0]; i < b.hi[0]; ++i)
      for (Index j = b.lo[1]; j < b.hi[1]; ++j)
        for (Index k = b.lo[2]; k < b.hi[2]; ++k)
          all.push_back(static_cast<double>(v(i, j, k)));
    return all;
  }

  /// Returns the maximum of |field f - function(x, y, z)| over the cells of all ranks.
  template <class F> double deviation(int f, const F &function) {
    const grid::View<const Real> v = std::as_const(solver_.field(f)).view();
    const double h = problem().h;
    const Index top = problem().planes_above();
    const auto o = offset(f);
    return comm_.max(grid::reduce(
        grid::Host{1}, solver_.cells(), 0.,
        [&](Index i, Index j, Index k) {
          return std::abs(static_cast<double>(v(i, j, k)) -
                          function((static_cast<double>(i) + o[0]) * h,
                                   (static_cast<double>(j) + o[1]) * h,
                                   (static_cast<double>(k - top) + o[2]) * h));
        },
        [](double a, double b) { return std::max(a, b); }));
  }
  double largest(int f) {
    return deviation(f, [](double, double, double) { return 0.; });
  }

  const grid::Communicator &comm() const { return comm_; }

  /// Returns the offset of a field's points from the centres of cells, in units of h.
  static std::array<double, 3> offset(int f) {
    std::array<double, 3> o{};
    if (f < velocities) {
      o[static_cast<std::size_t>(f)] = .5;
    } else if (const auto axes = stress_axes[static_cast<std::size_t>(f - velocities)];
               axes[0] != axes[1]) {
      o[static_cast<std::size_t>(axes[0])] = o[static_cast<std::size_t>(axes[1])] = .5;
    }
    return o;
  }

private:
  Cells<Real> cells(const Problem &problem, const MaterialOf &material, const Method &method) {
    grid::Box box;
    if (!cartesian_.mine().empty()) box = cartesian_.box(cartesian_.mine().front());
    const bool qualities = problem.quality && problem.quality->in_cells;
    Cells<Real> c(box, Solver<Real>::ghosts(method.exchange), 1, qualities);
    const Index top = problem.planes_above();
    grid::Box inside = box;
    inside.lo[2] = std::max(inside.lo[2], top);
    grid::parallel_for({1}, inside, [&](Index i, Index j, Index k) {
      const Material m = material(i, j, k - top);
      c.vp.view()(i, j, k) = static_cast<Real>(m.vp);
      c.vs.view()(i, j, k) = static_cast<Real>(m.vs);
      c.rho.view()(i, j, k) = static_cast<Real>(m.rho);
      if (!qualities) return;
      c.inverse_q_p.view()(i, j, k) = static_cast<Real>(1 / m.q_p);
      c.inverse_q_s.view()(i, j, k) = static_cast<Real>(m.vs > 0 ? 1 / m.q_s : 0);
    });
    return c;
  }

  grid::Communicator comm_;
  grid::Cartesian cartesian_;
  Solver<Real> solver_;
};

/// A Gaussian in time of unit area, with standard deviation `width` and its maximum at `delay`.
/// Also its derivative.
struct Gaussian {
  double width, delay;
  double operator()(double t) const {
    const double x = (t - delay) / width;
    return std::exp(-x * x / 2) / (width * std::sqrt(2 * std::numbers::pi));
  }
  double derivative(double t) const { return -(t - delay) / (width * width) * (*this)(t); }
};

/// Returns one moment source in a cell. `tensor` times rate(t) is its moment rate at time t.
template <class Rate>
Sources moment(const Problem &problem, const Index3 &cell, const std::array<double, 6> &tensor,
               const Rate &rate) {
  Sources sources;
  sources.signals = 1;
  for (std::int64_t n = 0; n < problem.steps; ++n)
    sources.samples.push_back(rate((static_cast<double>(n) + .5) * problem.dt));
  sources.add_moment(problem, cell, tensor, 0);
  return sources;
}

} // namespace hybridfft::elastic::test
