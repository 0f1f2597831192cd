#include "solvers/elastic/medium.h"

#include <algorithm>
#include <utility>

namespace hybridfft::elastic {

namespace {

/// Fills arrays beyond the domain with the nearest cells, along axes that are not periodic.
template <class Real>
void repeat_nearest(grid::Array<Real> &array, const Problem &problem, const grid::Host &host) {
  if (array.inner().empty()) return;
  const grid::Index3 n = problem.extents();
  grid::Box cells(n[0], n[1], n[2]);
  cells.lo[2] = problem.planes_above();
  for (int a = 0; a < 3; ++a)
    if (problem.periodic[static_cast<std::size_t>(a)]) {
      cells.lo[a] = array.box().lo[a];
      cells.hi[a] = array.box().hi[a];
    }
  const grid::View<Real> v = array.view();
  grid::parallel_for(host, array.box(), [=](Index i, Index j, Index k) {
    const Index from[3] = {std::clamp(i, cells.lo[0], cells.hi[0] - 1),
                           std::clamp(j, cells.lo[1], cells.hi[1] - 1),
                           std::clamp(k, cells.lo[2], cells.hi[2] - 1)};
    if (from[0] != i || from[1] != j || from[2] != k) v(i, j, k) = v(from[0], from[1], from[2]);
  });
}

} // namespace

template <class Real>
Medium<Real>::Medium(const grid::Cartesian &cartesian, const Problem &problem, Cells<Real> cells,
                     const grid::Host &host)
    : qualities_(problem.quality && problem.quality->in_cells) {
  std::vector<grid::Array<Real> *> given = cells.arrays(qualities_);
  const bool any = !cartesian.mine().empty();
  grid::Halo<Real>(cartesian,
                   any ? std::span<grid::Array<Real> *const>(given)
                       : std::span<grid::Array<Real> *const>(),
                   {}, grid::Schedule::in_order, host.threads)
      .exchange();
  cartesian.communicator().agree([&] {
    for (grid::Array<Real> *array : given)
      repeat_nearest(*array, problem, host);
    int number = fields;
    for (grid::Array<Real> *array : arrays())
      *array = grid::Array<Real>(grid::Place::host, cells.rho.inner(), cells.rho.ghosts(),
                                 host.threads, problem.alignment(cells.rho.inner(), number++));
    compute(cells, host);
  });
}

template <class Real> void Medium<Real>::compute(const Cells<Real> &cells, const grid::Host &host) {
  const grid::View<const Real> vp = cells.vp.view(), vs = cells.vs.view(), rho = cells.rho.view();
  const grid::View<Real> density = density_.view(), lambda = lambda_.view(),
                         inverse_mu = inverse_mu_.view();
  grid::parallel_for(host, inverse_mu_.box(), [=](Index i, Index j, Index k) {
    const double p = vp(i, j, k), s = vs(i, j, k), r = rho(i, j, k);
    const double shear = r * s * s;
    density(i, j, k) = rho(i, j, k);
    inverse_mu(i, j, k) = static_cast<Real>(1 / shear);
    lambda(i, j, k) = static_cast<Real>(r * p * p - 2 * shear);
  });
  if (!qualities_) return;
  const grid::View<const Real> from_p = cells.inverse_q_p.view(), from_s = cells.inverse_q_s.view();
  const grid::View<Real> to_p = inverse_q_p_.view(), to_s = inverse_q_s_.view();
  grid::parallel_for(host, inverse_q_p_.box(), [=](Index i, Index j, Index k) {
    to_p(i, j, k) = from_p(i, j, k);
    to_s(i, j, k) = from_s(i, j, k);
  });
}

template <class Real> std::vector<grid::Array<Real> *> Medium<Real>::arrays() {
  std::vector<grid::Array<Real> *> all{&density_, &lambda_, &inverse_mu_};
  if (qualities_) all.insert(all.end(), {&inverse_q_p_, &inverse_q_s_});
  return all;
}

template <class Real> void Medium<Real>::move_to(const ElasticExec &exec) {
  if (!exec.device) return;
  for (grid::Array<Real> *array : arrays())
    *array = array->copy_to(*exec.device);
}

template <class Real> kernels::Moduli<Real> Medium<Real>::moduli() const {
  return {lambda_.view().origin(), inverse_mu_.view().origin()};
}

template class Medium<float>;
template class Medium<double>;

} // namespace hybridfft::elastic
