#include "solvers/elastic/sources.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hybridfft::elastic {

namespace {

/// Maps index i into the grid along a periodic axis. Along other axes, returns i, or a negative
/// number outside of the grid.
Index in_grid(const Problem &problem, int axis, Index i) {
  const Index n = problem.extents()[axis];
  if (problem.periodic[static_cast<std::size_t>(axis)]) return (i % n + n) % n;
  return i < n ? i : -1;
}

/// Returns the indices lo <= i < hi whose periodic image in the grid is `image`.
std::vector<Index> images(const Problem &problem, int axis, Index image, Index lo, Index hi) {
  std::vector<Index> all;
  for (Index i = lo; i < hi; ++i)
    if (in_grid(problem, axis, i) == image) all.push_back(i);
  return all;
}

} // namespace

void Sources::add_moment(const Problem &problem, const Index3 &cell,
                         const std::array<double, 6> &tensor, Index signal) {
  const double per_stress = -problem.dt / (problem.h * problem.h * problem.h);
  const Index top = problem.planes_above();
  for (std::size_t s = 0; s < stresses; ++s) {
    if (tensor[s] == 0) continue;
    const auto [p, q] = stress_axes[s];
    const int field = velocities + static_cast<int>(s);
    const int ways = p == q ? 1 : 4;
    for (int way = 0; way < ways; ++way) {
      Index3 point{{cell[0], cell[1], cell[2] + top}};
      if (p != q) {
        point[p] -= way % 2;
        point[q] -= way / 2;
      }
      bool inside = point[2] >= top || problem.periodic[2];
      for (int axis = 0; axis < 3; ++axis) {
        point[axis] = in_grid(problem, axis, point[axis]);
        inside = inside && point[axis] >= 0;
      }
      if (inside) drives.push_back({field, point, per_stress * tensor[s] / ways, signal, false});
    }
  }
}

void Sources::add_force(const Problem &problem, const Index3 &cell,
                        const std::array<double, 3> &force, Index signal) {
  const Index3 point{{cell[0], cell[1], cell[2] + problem.planes_above()}};
  const double per_force = problem.dt / (problem.h * problem.h * problem.h);
  for (int a = 0; a < velocities; ++a)
    if (const double weight = per_force * force[static_cast<std::size_t>(a)]; weight != 0)
      drives.push_back({a, point, weight, signal, false, Scale::buoyancy});
}

void Sources::add_pressure(const Problem &problem, const Index3 &cell, bool replace, Index signal) {
  const Index3 point{{cell[0], cell[1], cell[2] + problem.planes_above()}};
  for (const int s : {sxx, syy, szz})
    drives.push_back({s, point, -3, signal, replace, Scale::speed_squared});
}

namespace {

template <class Real>
double scale_at(Index n, const Drive &drive, const grid::Lattice &lattice,
                const Medium<Real> &medium) {
  const Real *const rho = medium.density().view().origin();
  switch (drive.scale) {
  case Scale::speed_squared:
    return (static_cast<double>(medium.moduli().lambda[n]) +
            2 * static_cast<double>(medium.moduli().mu(n))) /
           static_cast<double>(rho[n]);
  case Scale::buoyancy:
    return 2 / (static_cast<double>(rho[n]) +
                static_cast<double>(rho[n + lattice.stride(drive.field)]));
  case Scale::none:
    break;
  }
  return 1;
}

} // namespace

template <class Real>
Drives<Real>::Drives(const Sources &sources, int first, int last, bool replace,
                     const Problem &problem, std::span<const grid::Box> boxes,
                     const std::array<Real *, fields> &field, const grid::Lattice &lattice,
                     const Medium<Real> &medium, const ElasticExec &exec)
    : lattice_(lattice), signals_(sources.signals) {
  // Sorts the contributions by point, in the order of rows, so that one thread handles each point.
  // The contributions of a point keep the order of the sources.
  std::map<std::pair<Index, int>, std::vector<kernels::Contribution>> driven;
  const auto add = [&](const Drive &d, const grid::Box &box) {
    std::array<std::vector<Index>, 3> at;
    for (int a = 0; a < 3; ++a)
      at[static_cast<std::size_t>(a)] = images(problem, a, d.point[a], box.lo[a], box.hi[a]);
    for (const Index i : at[0])
      for (const Index j : at[1])
        for (const Index k : at[2]) {
          const Index n = lattice.at(i, j, k);
          driven[{n, d.field}].push_back({d.weight * scale_at(n, d, lattice, medium), d.signal,
                                          replace, sources.steps_of(d.signal)});
        }
  };
  for (const Drive &d : sources.drives)
    for (const grid::Box &box : boxes)
      if (d.field >= first && d.field < last && d.replace == replace) add(d, box);
  std::vector<kernels::DrivenPoint<Real>> points;
  std::vector<kernels::Contribution> contributions;
  for (const auto &[at, all] : driven) {
    const auto begin = static_cast<Index>(contributions.size());
    contributions.insert(contributions.end(), all.begin(), all.end());
    points.push_back({field[static_cast<std::size_t>(at.second)] + at.first, at.first, begin,
                      static_cast<Index>(contributions.size())});
  }
  points_ = List<kernels::DrivenPoint<Real>>(points, exec);
  contributions_ = List<kernels::Contribution>(contributions, exec);
  if (!points.empty()) samples_ = List<double>(sources.samples, exec);
}

template <class Real> kernels::Drive<Real> Drives<Real>::drive(std::int64_t n) const {
  return {points_.data(), contributions_.data(), samples_.data() + n * signals_, n};
}

template <class Real> void Drives<Real>::apply(std::int64_t n, const ElasticExec &exec) const {
  if (any(n)) for_points(exec, grid::Box(1, 1, points_.size()), drive(n));
}

template <class Real> void Drives<Real>::apply_within(const grid::Box &rows, std::int64_t n) const {
  if (rows.empty() || !any(n)) return;
  const kernels::DrivenPoint<Real> *const end = points_.data() + points_.size();
  const Index last = lattice_.at(rows.lo[0], rows.hi[1] - 1, rows.hi[2] - 1);
  const kernels::DrivenPoint<Real> *point = std::lower_bound(
      points_.data(), end, lattice_.at(rows.lo[0], rows.lo[1], rows.lo[2]),
      [](const kernels::DrivenPoint<Real> &at, Index offset) { return at.offset < offset; });
  const kernels::Drive<Real> drive = this->drive(n);
  for (; point != end && point->offset <= last; ++point)
    drive(0, 0, point - points_.data());
}

template class Drives<float>;
template class Drives<double>;

} // namespace hybridfft::elastic
