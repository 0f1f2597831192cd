#include "solvers/elastic/solver.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "hybridfft/error.hpp"
#include "solvers/elastic/sweep.h"

namespace hybridfft::elastic {

namespace {

/// Throws unless each rank has at most one block, and the block at a free surface has enough cells
/// for the scheme.
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
      widths_(exchange_widths(method.exchange)), exec_{{method.threads}, nullptr, method.device},
      medium_(cartesian, problem, std::move(cells), exec_.host), sponge_(problem) {
  cartesian.communicator().agree([&] {
    require_blocks(cartesian, problem);
    if (!cartesian.mine().empty()) box_ = cartesian.box(cartesian.mine().front());
    cells_ = box_;
    cells_.lo[2] = std::max(cells_.lo[2], problem.planes_above());
    allocate();
    make_regions(cartesian);
    make_drives(cartesian, sources);
    medium_.move_to(exec_);
    sponge_.move_to(exec_);
    if (attenuation_) attenuation_->move_to(exec_);
    make_kernels();
  });
  make_halos(cartesian);
}

template <class Real>
grid::Box Solver<Real>::box_of_stresses(const grid::Cartesian &cartesian) const {
  if (cells_.empty() || method_.exchange != GhostExchange::wide) return cells_;
  // Stresses are also computed in two layers of ghost cells, but not outside of the grid, where
  // they stay 0.
  grid::Box box = grown(cells_, inner_faces(cartesian, cartesian.mine().front(), 2));
  const Index3 end = problem_.extents();
  for (int a = 0; a < 3; ++a) {
    if (problem_.periodic[static_cast<std::size_t>(a)]) continue;
    box.lo[a] = std::max(box.lo[a], a == 2 ? problem_.planes_above() : Index{0});
    box.hi[a] = std::min(box.hi[a], end[a]);
  }
  return box;
}

template <class Real>
void Solver<Real>::make_drives(const grid::Cartesian &cartesian, const Sources &sources) {
  const grid::Box computed = box_of_stresses(cartesian);
  const grid::Lattice lattice(arrays_.front()->view());
  const auto drives = [&](int first, int last, bool replace, std::span<const grid::Box> boxes) {
    return Drives<Real>(sources, first, last, replace, problem_, boxes, data_, lattice, medium_,
                        exec_);
  };
  const auto of_parts = [&](int first, int last, bool replace, const grid::Regions &parts) {
    return DrivesOfParts{drives(first, last, replace, parts.boundary),
                         drives(first, last, replace, {&parts.interior, 1})};
  };
  forces_ = drives(0, velocities, false, {&cells_, 1});
  given_velocities_ = of_parts(0, velocities, true, velocity_parts_);
  moments_ = of_parts(velocities, fields, false, stress_parts_);
  given_stresses_ = drives(velocities, fields, true, {&computed, 1});
}

template <class Real> void Solver<Real>::allocate() {
  // Arrays are numbered for alignment(): fields, then the medium, then memory variables.
  constexpr int of_medium = 5;
  const auto make = [this](auto &arrays, int count, int first) {
    for (int n = first; n < first + count; ++n)
      arrays.push_back(std::make_unique<grid::Array<Real>>(make_array<Real>(
          exec_, box_, widths_.ghosts, problem_.alignment(box_, exec_.device ? 0 : n))));
  };
  make(arrays_, fields, 0);
  if (problem_.quality) {
    attenuation_.emplace(problem_);
    make(memory_, stresses, fields + of_medium);
  }
  for (std::size_t f = 0; f < fields; ++f)
    data_[f] = arrays_[f]->view().origin();
}

template <class Real> void Solver<Real>::make_kernels() {
  const grid::Lattice lattice(arrays_.front()->view());
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
  if (problem_.quality->in_cells) {
    anelastic_of_cells_.emplace();
    attenuate(*anelastic_of_cells_);
    anelastic_of_cells_->quality = attenuation_->of_cells(medium_);
  } else {
    anelastic_.emplace();
    attenuate(*anelastic_);
    anelastic_->quality = attenuation_->uniform();
  }
}

template <class Real> template <class Kernel> void Solver<Real>::attenuate(Kernel &kernel) {
  kernel.elastic = stress_;
  kernel.relaxation = attenuation_->relaxation();
  for (std::size_t s = 0; s < stresses; ++s)
    kernel.memory[s] = memory_[s]->view().origin();
}

template <class Real> template <class F> void Solver<Real>::with_stress_kernel(const F &f) {
  if (anelastic_of_cells_) return f(*anelastic_of_cells_);
  anelastic_ ? f(*anelastic_) : f(stress_);
}

template <class Real> void Solver<Real>::make_regions(const grid::Cartesian &cartesian) {
  const bool alone = cartesian.blocks() == 1;
  fused_ =
      !exec_.device &&
      (method_.sweeps == Sweeps::fused ||
       (method_.sweeps == Sweeps::automatic && (alone || method_.exchange == GhostExchange::wide)));
  if (cells_.empty()) return;
  const int block = cartesian.mine().front();
  if (method_.exchange != GhostExchange::wide) {
    velocity_parts_ = stress_parts_ = grid::regions(cells_, inner_faces(cartesian, block, 2));
    return;
  }
  // The stresses in two ghost layers read velocities two cells further out.
  velocity_parts_ = grid::regions(cells_, inner_faces(cartesian, block, 4));
  stress_parts_ = grid::regions(box_of_stresses(cartesian), inner_faces(cartesian, block, 4));
}

template <class Real> void Solver<Real>::make_halos(const grid::Cartesian &cartesian) {
  const auto halo = [&](const std::vector<grid::Array<Real> *> &arrays,
                        const std::vector<grid::Widths> &widths) {
    const std::span<grid::Array<Real> *const> mine(arrays);
    const auto own = cartesian.mine().empty() ? mine.first(0) : mine;
    if (exec_.device)
      return grid::Halo<Real>(*exec_.device, cartesian, own, widths, method_.schedule);
    return grid::Halo<Real>(cartesian, own, widths, method_.schedule, exec_.host.threads);
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

template <class Real>
template <class Work>
void Solver<Real>::timed(double &seconds, const Work &work) {
  const Timed time(seconds);
  work();
  if (exec_.device && method_.profile) exec_.device->synchronize();
}

template <class Real> grid::Array<Real> &Solver<Real>::on_host(grid::Array<Real> &array) {
  if (array.place() == grid::Place::host) return array;
  const bool alike = copy_ && copy_->inner() == array.inner() &&
                     copy_->ghosts() == array.ghosts() && copy_->alignment() == array.alignment();
  if (!alike)
    copy_.emplace(grid::Place::host, array.inner(), array.ghosts(), exec_.host.threads,
                  array.alignment());
  copy_->take(*exec_.device, array);
  return *copy_;
}

template <class Real> void Solver<Real>::take_back(grid::Array<Real> &array) {
  if (array.place() == grid::Place::device) array.take(*exec_.device, *copy_);
}

template <class Real> void Solver<Real>::begin() {
  settle();
  if (!widths_.stresses) return first_halo_->exchange();
  start(*stress_halo_);
  stresses_in_flight_ = true;
}

template <class Real> void Solver<Real>::settle() {
  if (stresses_in_flight_) finish(*stress_halo_);
  stresses_in_flight_ = false;
  if (exec_.device) exec_.device->synchronize();
}

template <class Real> double Solver<Real>::seconds_of_exchange(const grid::Communicator &comm) {
  constexpr int rounds = 5; // after one warm-up
  double seconds = 0;
  for (int n = -1; n < rounds; ++n) {
    comm.max(0.); // synchronises the ranks before timing
    double mine = 0;
    {
      const Timed timed(mine);
      velocity_halo_->exchange();
      if (stress_halo_) stress_halo_->exchange();
      if (exec_.device) exec_.device->synchronize();
    }
    if (n >= 0) seconds += comm.max(mine) / rounds;
  }
  return seconds;
}

/// Starts an exchange. At most one is in flight.
template <class Real> void Solver<Real>::start(grid::Halo<Real> &halo) {
  halo.start();
  messages_.begin([&halo] { return halo.test(); });
  exec_.messages = &messages_;
}

template <class Real> void Solver<Real>::finish(grid::Halo<Real> &halo) {
  exec_.messages = nullptr;
  halo.finish();
}

template <class Real> void Solver<Real>::drive(const Drives<Real> &drives) {
  timed(profile_.sources, [&] { drives.apply(step_, exec_); });
}

template <class Real> void Solver<Real>::step(std::int64_t n) {
  step_ = n;
  drive(forces_);
  if (fused_) return velocities_with_stresses();
  widths_.stresses ? velocities_between() : velocities_first();
  for (const Drives<Real> &part : moments_)
    drive(part);
  stresses_between();
}

/// Advances velocities: the interior while stresses of neighbours are in flight, then the boundary.
template <class Real> void Solver<Real>::velocities_between() {
  advance_velocity(velocity_parts_.interior);
  finish(*stress_halo_);
  for (const grid::Box &part : velocity_parts_.boundary)
    advance_velocity(part);
  for (const Drives<Real> &part : given_velocities_)
    drive(part);
  start(*velocity_halo_);
}

/// Advances the velocities needed by neighbours, sends them, and advances the interior meanwhile.
template <class Real> void Solver<Real>::velocities_first() {
  boundary_velocities();
  advance_velocity(velocity_parts_.interior);
  drive(given_velocities_[1]);
}

template <class Real> void Solver<Real>::boundary_velocities() {
  for (const grid::Box &part : velocity_parts_.boundary)
    advance_velocity(part);
  drive(given_velocities_[0]);
  start(*velocity_halo_);
}

/// Advances stresses: the interior while velocities of neighbours are in flight, then the boundary.
template <class Real> void Solver<Real>::stresses_between() {
  advance_stress(stress_parts_.interior);
  boundary_stresses();
}

template <class Real> void Solver<Real>::boundary_stresses() {
  finish(*velocity_halo_);
  for (const grid::Box &part : stress_parts_.boundary)
    advance_stress(part);
  drive(given_stresses_);
  if (widths_.stresses) start(*stress_halo_);
}

/// Fused sweeps: advances the velocities needed by neighbours, sends them, and meanwhile advances
/// velocities and stresses in the interior. Then advances the stresses at the boundary.
template <class Real> void Solver<Real>::velocities_with_stresses() {
  if (widths_.stresses) finish(*stress_halo_);
  boundary_velocities();
  with_stress_kernel([&](const auto &stress) { fused_sweep(stress); });
  drive(moments_[0]);
  boundary_stresses();
}

template <class Real>
template <class StressKernel>
void Solver<Real>::fused_sweep(const StressKernel &stress) {
  const FusedSweep<Real, StressKernel> sweep(
      exec_,
      {velocity_parts_.interior, &velocity_, surface_stress_ ? &*surface_stress_ : nullptr,
       &given_velocities_[1]},
      {stress_parts_.interior, &stress, surface_velocity_ ? &*surface_velocity_ : nullptr,
       &moments_[1]},
      step_);
  double seconds = 0;
  SweepSeconds parts;
  timed(seconds, [&] { parts = sweep.run(method_.profile); });
  const double sum = parts.velocity + parts.stress + parts.surface + parts.sources;
  if (sum <= 0) return;
  // Attributes the elapsed time to the parts in proportion to their times summed over threads.
  profile_.velocity += seconds * parts.velocity / sum;
  profile_.stress += seconds * parts.stress / sum;
  profile_.surface += seconds * parts.surface / sum;
  profile_.sources += seconds * parts.sources / sum;
}

template <class Real>
template <class Kernel, class Column>
void Solver<Real>::advance(double &seconds, const grid::Box &part, const Kernel &kernel,
                           const std::optional<Column> &surface) {
  const Column *column = surface ? &*surface : nullptr;
  if (method_.profile && column != nullptr) {
    timed(profile_.surface, [&] { sweep_columns(exec_, part, *column); });
    column = nullptr;
  }
  timed(seconds, [&] { sweep(exec_, part, kernel, column); });
}

template <class Real> void Solver<Real>::advance_velocity(const grid::Box &part) {
  advance(profile_.velocity, part, velocity_, surface_stress_);
}

template <class Real> void Solver<Real>::advance_stress(const grid::Box &part) {
  with_stress_kernel(
      [&](const auto &stress) { advance(profile_.stress, part, stress, surface_velocity_); });
}

template <class Real> StepTimes Solver<Real>::profile() const {
  StepTimes profile = profile_;
  for (const auto *halo : {&velocity_halo_, &stress_halo_}) {
    if (!*halo) continue;
    const grid::HaloTimes times = (*halo)->times();
    profile.pack += times.pack;
    profile.wait += times.wait;
    profile.copies += times.copies;
  }
  return profile;
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
