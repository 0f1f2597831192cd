#include "elastic/solver.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "elastic/sweep.h"
#include "hybridfft/error.hpp"

namespace hybridfft::elastic {

namespace {

/// Throws unless a rank has one block or none, and the surface's block holds what the scheme reads.
void require_blocks(const grid::Cartesian &cartesian, const Problem &problem) {
  if (cartesian.mine().size() > 1)
    throw Error(HFFT_ERROR_ARGUMENT, "a rank has " + std::to_string(cartesian.mine().size()) +
                                         " blocks of the grid, expected one");
  if (problem.surface == Surface::none) return;
  const Index least = problem.surface == Surface::fs4 ? 4 : 2;
  const Index found = cartesian.cuts()[2].front() - 1;
  if (found < least)
    throw Error(HFFT_ERROR_ARGUMENT,
                "the block below the free surface has " + std::to_string(found) +
                    " cells along z, expected at least " + std::to_string(least));
}

} // namespace

template <class Real>
Solver<Real>::Solver(const grid::Cartesian &cartesian, const Problem &problem, Cells<Real> cells,
                     const Sources &sources, const Method &method)
    : problem_(problem), method_(method),
      widths_(exchange_widths(method.exchange)), host_{method.threads},
      medium_(cartesian, problem, std::move(cells), host_), sponge_(problem) {
  cartesian.communicator().agree([&] {
    require_blocks(cartesian, problem);
    if (!cartesian.mine().empty()) box_ = cartesian.box(cartesian.mine().front());
    cells_ = box_;
    cells_.lo[2] = std::max(cells_.lo[2], problem.planes_above());
    allocate();
    make_regions(cartesian);
    make_kernels();
    const grid::Box computed =
        stress_parts_.interior.empty() && stress_parts_.boundary.empty()
            ? grid::Box()
            : grown(cells_, method.exchange == Exchange::wide
                                ? inner_faces(cartesian, cartesian.mine().front(), 2)
                                : grid::Widths());
    forces_ = Drives<Real>(sources, 0, velocities, problem, cells_, velocity_.lattice, medium_);
    moments_ =
        Drives<Real>(sources, velocities, fields, problem, computed, velocity_.lattice, medium_);
  });
  make_halos(cartesian);
}

template <class Real> void Solver<Real>::allocate() {
  const auto make = [this](auto &arrays, int count) {
    for (int n = 0; n < count; ++n)
      arrays.push_back(std::make_unique<grid::Array<Real>>(grid::Place::host, box_, widths_.ghosts,
                                                           host_.threads));
  };
  make(arrays_, fields);
  if (problem_.quality) {
    attenuation_.emplace(problem_);
    make(memory_, stresses);
  }
  for (std::size_t f = 0; f < fields; ++f)
    data_[f] = arrays_[f]->view().origin();
}

template <class Real> void Solver<Real>::make_kernels() {
  const Lattice lattice(*arrays_.front());
  const double dt_over_h = problem_.dt / problem_.h;
  const kernels::Difference<Real> d{static_cast<Real>(near * dt_over_h),
                                    static_cast<Real>(far * dt_over_h)};
  velocity_.lattice = stress_.lattice = lattice;
  velocity_.d = stress_.d = d;
  velocity_.damping = stress_.damping = sponge_.factors();
  for (std::size_t v = 0; v < velocities; ++v)
    stress_.v[v] = velocity_.v[v] = data_[v];
  for (std::size_t s = 0; s < stresses; ++s)
    velocity_.s[s] = stress_.s[s] = data_[velocities + s];
  velocity_.rho = medium_.density().view().origin();
  stress_.moduli = medium_.moduli();
  if (problem_.surface != Surface::none) {
    const bool fs4 = problem_.surface == Surface::fs4;
    surface_stress_ = kernels::SurfaceStress<Real>{
        lattice,    velocity_.damping, data_[szz],    data_[sxz],
        data_[syz], data_[vz],         velocity_.rho, static_cast<Real>(dt_over_h),
        fs4};
    surface_velocity_ = kernels::SurfaceVelocity<Real>{lattice,   data_[vx],      data_[vy],
                                                       data_[vz], stress_.moduli, fs4};
  }
  if (!problem_.quality) return;
  anelastic_.emplace();
  anelastic_->elastic = stress_;
  anelastic_->relaxation = attenuation_->relaxation();
  for (std::size_t s = 0; s < stresses; ++s)
    anelastic_->memory[s] = memory_[s]->view().origin();
}

template <class Real> void Solver<Real>::make_regions(const grid::Cartesian &cartesian) {
  if (cells_.empty()) return;
  const int block = cartesian.mine().front();
  if (method_.exchange != Exchange::wide) {
    velocity_parts_ = stress_parts_ = grid::regions(cells_, inner_faces(cartesian, block, 2));
    return;
  }
  // Stresses go two cells beyond the block, and read velocities two cells further.
  velocity_parts_ = grid::regions(cells_, inner_faces(cartesian, block, 4));
  stress_parts_ = grid::regions(grown(cells_, inner_faces(cartesian, block, 2)),
                                inner_faces(cartesian, block, 4));
}

template <class Real> void Solver<Real>::make_halos(const grid::Cartesian &cartesian) {
  const auto halo = [&](const std::vector<grid::Array<Real> *> &arrays,
                        const std::vector<grid::Widths> &widths) {
    const std::span<grid::Array<Real> *const> mine(arrays);
    return grid::Halo<Real>(cartesian, cartesian.mine().empty() ? mine.first(0) : mine, widths,
                            method_.schedule, host_.threads);
  };
  std::vector<grid::Array<Real> *> v, s;
  std::vector<grid::Widths> v_widths, s_widths;
  for (std::size_t f = 0; f < fields; ++f) {
    (f < velocities ? v : s).push_back(arrays_[f].get());
    (f < velocities ? v_widths : s_widths).push_back(widths_.of_field[f]);
  }
  velocity_halo_.emplace(halo(v, v_widths));
  if (widths_.stresses) {
    stress_halo_.emplace(halo(s, s_widths));
    return;
  }
  for (const auto &memory : memory_)
    s.push_back(memory.get());
  first_halo_.emplace(halo(s, std::vector<grid::Widths>(s.size(), grid::Widths::all(2))));
}

template <class Real> void Solver<Real>::start(grid::Halo<Real> &halo) {
  const Timed timed(profile_.pack);
  halo.start();
}

template <class Real> void Solver<Real>::finish(grid::Halo<Real> &halo) {
  const Timed timed(profile_.wait);
  halo.finish();
}

template <class Real> void Solver<Real>::begin() {
  settle();
  if (!widths_.stresses) return first_halo_->exchange();
  stress_halo_->start();
  stresses_under_way_ = true;
}

template <class Real> void Solver<Real>::settle() {
  if (stresses_under_way_) stress_halo_->finish();
  stresses_under_way_ = false;
}

template <class Real> double Solver<Real>::seconds_of_exchange(const grid::Communicator &comm) {
  constexpr int rounds = 5; // after one that warms up
  double seconds = 0;
  for (int n = -1; n < rounds; ++n) {
    comm.max(0.); // ranks begin together
    double mine = 0;
    {
      const Timed timed(mine);
      velocity_halo_->exchange();
      if (stress_halo_) stress_halo_->exchange();
    }
    if (n >= 0) seconds += comm.max(mine) / rounds;
  }
  return seconds;
}

template <class Real> void Solver<Real>::step(std::int64_t n) {
  {
    const Timed timed(profile_.sources);
    forces_.apply(n, data_);
  }
  widths_.stresses ? velocities_between() : velocities_first();
  {
    const Timed timed(profile_.sources);
    moments_.apply(n, data_);
  }
  stresses_between();
}

/// The interior while stresses of neighbours arrive.
template <class Real> void Solver<Real>::velocities_between() {
  advance_velocity(velocity_parts_.interior);
  finish(*stress_halo_);
  for (const grid::Box &part : velocity_parts_.boundary)
    advance_velocity(part);
  start(*velocity_halo_);
}

/// What neighbours need, then the interior while it travels.
template <class Real> void Solver<Real>::velocities_first() {
  for (const grid::Box &part : velocity_parts_.boundary)
    advance_velocity(part);
  start(*velocity_halo_);
  advance_velocity(velocity_parts_.interior);
}

/// The interior while velocities of neighbours arrive.
template <class Real> void Solver<Real>::stresses_between() {
  advance_stress(stress_parts_.interior);
  finish(*velocity_halo_);
  for (const grid::Box &part : stress_parts_.boundary)
    advance_stress(part);
  if (widths_.stresses) start(*stress_halo_);
}

template <class Real> void Solver<Real>::advance_velocity(const grid::Box &part) {
  const Timed timed(profile_.velocity);
  sweep(host_, part, velocity_, surface_stress_ ? &*surface_stress_ : nullptr);
}

template <class Real> void Solver<Real>::advance_stress(const grid::Box &part) {
  const Timed timed(profile_.stress);
  const auto *above = surface_velocity_ ? &*surface_velocity_ : nullptr;
  anelastic_ ? sweep(host_, part, *anelastic_, above) : sweep(host_, part, stress_, above);
}

template <class Real> Index Solver<Real>::bytes_sent() const {
  return velocity_halo_->bytes_sent() + (stress_halo_ ? stress_halo_->bytes_sent() : 0);
}

template <class Real> Index Solver<Real>::messages_sent() const {
  return velocity_halo_->messages_sent() + (stress_halo_ ? stress_halo_->messages_sent() : 0);
}

template class Solver<float>;
template class Solver<double>;

} // namespace hybridfft::elastic
