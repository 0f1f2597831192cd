#include "solvers/euler/solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

#include "hybridfft/error.hpp"

namespace hybridfft::euler {

namespace {

/// Returns the size in bytes of the processor's widest vectors, limited by the row of a block.
int vector_bytes(std::size_t row) {
#if defined(__x86_64__)
  if (row >= 64 && __builtin_cpu_supports("avx512f")) return 64;
  if (row >= 32 && __builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

/// Component of gravity along the table's axis.
double gravity_along(const Problem &p) {
  return p.gravity[static_cast<std::size_t>(2 - p.base_axis)];
}

} // namespace

BaseTables::BaseTables(const Problem &p) {
  if (p.base.empty()) return;
  const Index level0 = p.shape.trees[p.base_axis] * p.shape.cells;
  const double g = gravity_along(p);
  for (int l = 0; l <= p.shape.max_level; ++l) {
    const Index step = Index{1} << (p.shape.max_level - l);
    const double h = p.h / static_cast<double>(Index{1} << l);
    for (Index c = 0; c < level0 << l; ++c) {
      double sum = 0;
      for (Index f = c * step; f < (c + 1) * step; ++f)
        sum +=
            0.5 * (p.base[static_cast<std::size_t>(f + 1)] + p.base[static_cast<std::size_t>(f)]);
      pressure.push_back(sum / static_cast<double>(step));
      density.push_back((p.base[static_cast<std::size_t>((c + 1) * step)] -
                         p.base[static_cast<std::size_t>(c * step)]) /
                        (g * h));
    }
  }
}

template <class Real>
Solver<Real>::Solver(const grid::Communicator &comm, const Problem &problem,
                     std::span<const grid::Leaf> leaves, const EulerMethod &method)
    : problem_(problem), method_(method), tables_(problem), comm_(comm),
      forest_(comm, problem.shape, leaves), u_(make_blocks(cell_traits())), old_(like(u_)),
      halo_(forest_, u_),
      vector_bytes_(vector_bytes(static_cast<std::size_t>(problem.shape.cells) * sizeof(Real))) {
  const int first = 3 - problem.dimensions();
  for (int a = first; a < 3; ++a) {
    grid::BlockTraits traits;
    traits.centring = static_cast<grid::Centring>(static_cast<int>(grid::Centring::face_i) + a);
    flux_[static_cast<std::size_t>(a)] = std::make_unique<grid::Blocks<Real>>(make_blocks(traits));
  }
  forest_.halo_depth(method.halo_depth);
  make_base();
}

template <class Real>
grid::Blocks<Real> Solver<Real>::make_blocks(const grid::BlockTraits &traits) const {
  if (method_.device)
    return grid::Blocks<Real>(*method_.device, forest_, problem_.variables(), traits);
  return grid::Blocks<Real>(forest_, grid::Place::host, problem_.variables(), traits,
                            method_.threads);
}

template <class Real> grid::BlockTraits Solver<Real>::cell_traits() const {
  grid::BlockTraits traits;
  traits.sides = problem_.sides;
  traits.absent = problem_.absent;
  traits.vector = 1;
  traits.edges =
      false; // stencils, the criterion and interpolation need no ghosts at edges and corners
  return traits;
}

template <class Real> double Solver<Real>::now() const {
  if (method_.clock) return method_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Real> void Solver<Real>::make_base() {
  const auto make = [&](const std::vector<double> &values) {
    grid::Array<Real> array(grid::Place::host, grid::Box(1, 1, static_cast<Index>(values.size())));
    const grid::View<Real> v = array.view();
    for (std::size_t n = 0; n < values.size(); ++n)
      v(0, 0, static_cast<Index>(n)) = static_cast<Real>(values[n]);
    return method_.device && !values.empty() ? array.copy_to(*method_.device) : std::move(array);
  };
  base_pressure_ = make(tables_.pressure);
  base_density_ = make(tables_.density);
  base_faces_ = make(problem_.base);
}

template <class Real> kernels::Base<Real> Solver<Real>::base() const {
  kernels::Base<Real> b;
  if (problem_.base.empty()) return b;
  const auto first = [](const grid::Array<Real> &array) {
    const grid::View<const Real> v = array.view();
    return v.origin() + v.offset();
  };
  b.pressure = first(base_pressure_);
  b.density = first(base_density_);
  b.faces = first(base_faces_);
  b.level0 = problem_.shape.trees[problem_.base_axis] * problem_.shape.cells;
  b.cells = problem_.shape.cells;
  b.axis = problem_.base_axis;
  b.max_level = problem_.shape.max_level;
  return b;
}

template <class Real> double Solver<Real>::base_pressure(const grid::Leaf &leaf, Index cell) const {
  if (problem_.base.empty()) return 0;
  const Index level0 = problem_.shape.trees[problem_.base_axis] * problem_.shape.cells;
  return tables_.pressure[static_cast<std::size_t>(
      level0 * ((Index{1} << leaf.level) - 1) +
      leaf.place[problem_.base_axis] * problem_.shape.cells + cell)];
}

template <class Real> template <class... F> void Solver<Real>::run(const grid::Pass<F> &...passes) {
  const auto begin = now();
  if (method_.device) {
    grid::for_blocks(*method_.device, forest_, passes...);
    if (method_.profile) method_.device->synchronize();
  } else {
    grid::for_blocks(grid::Host{method_.threads}, forest_, passes...);
  }
  profile_.kernels += now() - begin;
}

template <class Real>
template <class T, class F, class C>
std::vector<T> Solver<Real>::reduce_leaves(const T &zero, const F &f, const C &combine) {
  const grid::Where where{.centring = grid::Centring::cell};
  if (method_.device) return grid::reduce_leaves(*method_.device, forest_, where, zero, f, combine);
  return grid::reduce_leaves(grid::Host{method_.threads}, forest_, where, zero, f, combine);
}

template <class Real>
void Solver<Real>::by_dimension(const std::function<void()> &two,
                                const std::function<void()> &three) const {
  problem_.dimensions() == 2 ? two() : three();
}

template <class Real> template <int D, int A, bool Limited> auto Solver<Real>::flux_pass() {
  const grid::Where region{
      .centring = static_cast<grid::Centring>(static_cast<int>(grid::Centring::face_i) + A)};
  return grid::Pass{region, kernels::Flux<Real, D, A, Limited>{u_.view(), flux_[A]->view(), base(),
                                                               static_cast<Real>(problem_.gamma),
                                                               vector_bytes_}};
}

/// Performs a Runge-Kutta stage. Blocks without finer neighbours are advanced as soon as their
/// fluxes are computed, while these are in cache. The other blocks follow after the flux
/// correction.
template <class Real>
template <int D, bool Limited>
void Solver<Real>::run_stage(const kernels::Stage<Real, D> &stage) {
  const auto pass_of = [&](grid::BlockChoice blocks) {
    return grid::Pass{grid::Where{.blocks = blocks, .centring = grid::Centring::cell}, stage};
  };
  const auto first = pass_of(grid::BlockChoice::uncorrected);
  if constexpr (D == 3)
    run(flux_pass<D, 0, Limited>(), flux_pass<D, 1, Limited>(), flux_pass<D, 2, Limited>(), first);
  else
    run(flux_pass<D, 1, Limited>(), flux_pass<D, 2, Limited>(), first);
  const auto begin = now();
  if constexpr (D == 3)
    grid::correct_fluxes(forest_, *flux_[0], *flux_[1], *flux_[2]);
  else
    grid::correct_fluxes(forest_, *flux_[1], *flux_[2]);
  profile_.halo += now() - begin;
  run(pass_of(grid::BlockChoice::corrected));
}

template <class Real> template <int D> void Solver<Real>::advance(Real dt) {
  for (int number = 0; number < 3; ++number) {
    halo_.start();
    halo_.finish();
    kernels::Stage<Real, D> stage{u_.view(), old_.view(), {},     base(),       {},
                                  {},        dt,          number, vector_bytes_};
    for (std::size_t a = 3 - D; a < 3; ++a)
      stage.flux[a] = flux_[a]->view();
    for (std::size_t x = 0; x < 3; ++x)
      stage.gravity[x] = static_cast<Real>(problem_.gravity[x]);
    stage.h0 = static_cast<Real>(problem_.h);
    problem_.limiter == Limiter::koren ? run_stage<D, true>(stage) : run_stage<D, false>(stage);
  }
}

template <class Real> template <int D> void Solver<Real>::take_time_step() {
  const std::vector<kernels::Speed> mine =
      reduce_leaves(kernels::Speed{},
                    kernels::SpeedOf<Real, D>{u_.view(), base(), static_cast<Real>(problem_.gamma),
                                              problem_.shape.cells},
                    kernels::Worst{});
  kernels::Speed worst;
  for (const kernels::Speed &s :
       grid::gather_leaves(forest_, std::span<const kernels::Speed>(mine)))
    worst = kernels::Worst{}(worst, s);
  if (worst.level >= 0) {
    std::string cell;
    for (int a = 2; a >= 3 - D; --a)
      cell += (a < 2 ? ", " : "") + std::to_string(worst.cell[a]);
    std::ostringstream text;
    text.precision(9);
    text << "step " << clock_.step << ": cell (" << cell << ") of level " << worst.level
         << ": found rho = " << worst.rho << " kg/m^3 and p = " << worst.p
         << " Pa, expected both above 0";
    throw Error(HFFT_ERROR_ARGUMENT, text.str());
  }
  int finest = 0;
  for (const grid::Leaf &leaf : forest_.leaves())
    finest = std::max(finest, leaf.level);
  const double h = problem_.h / static_cast<double>(Index{1} << finest);
  if (problem_.dt == 0) clock_.dt = problem_.cfl * h / worst.speed;
}

/// Returns a mark for each leaf of this rank: 1 (refine), -1 (coarsen) or 0 (keep).
/// Neighbours of a refined leaf are refined or kept as well, so fronts stay within the fine mesh
/// between two adaptations. Collective.
/// \param jumps value of the criterion for each leaf of this rank
/// \param down  threshold of coarsening
template <class Real>
std::vector<std::int8_t> Solver<Real>::wishes(const std::vector<double> &jumps, double down) const {
  std::vector<std::int8_t> mine;
  for (const double jump : jumps)
    mine.push_back(jump > *problem_.refine_above ? std::int8_t{1}
                   : jump < down                 ? std::int8_t{-1}
                                                 : std::int8_t{0});
  const std::vector<std::int8_t> wish =
      grid::gather_leaves(forest_, std::span<const std::int8_t>(mine));
  std::vector<std::int8_t> marks = wish;
  const std::span<const grid::Leaf> leaves = forest_.leaves();
  for (std::size_t s = 0; s < wish.size(); ++s) {
    if (wish[s] <= 0) continue;
    for (const Index t : forest_.around(static_cast<Index>(s))) {
      const auto n = static_cast<std::size_t>(t);
      const std::int8_t least = leaves[n].level <= leaves[s].level ? 1 : 0;
      marks[n] = std::max(marks[n], least);
    }
  }
  std::vector<std::int8_t> result;
  for (const Index leaf : forest_.mine()) {
    const auto n = static_cast<std::size_t>(leaf);
    const bool finest = leaves[n].level == problem_.shape.max_level;
    result.push_back(finest && marks[n] > 0 ? std::int8_t{0} : marks[n]);
  }
  return result;
}

template <class Real> template <int D> void Solver<Real>::adapt(double down) {
  const auto begin = now();
  halo_.start();
  halo_.finish();
  forest_.touch();
  const std::vector<double> jumps = reduce_leaves(
      0.,
      kernels::Jump<Real, D>{u_.view(), static_cast<Real>(problem_.gamma), problem_.shape.cells,
                             problem_.shape.halo, problem_.refine_by},
      kernels::MaxOfTwo{});
  const std::vector<std::int8_t> marks = wishes(jumps, down);
  finish_totals();
  const bool changed = forest_.adapt(marks, u_).any();
  profile_.adapt += now() - begin;
  if (!changed || ++changes_ % method_.balance_interval != 0) return;
  const auto then = now();
  forest_.balance(method_.balance, {}, u_);
  profile_.migration += now() - then;
}

template <class Real> void Solver<Real>::start(const std::function<void()> &set) {
  set();
  if (problem_.refine_above && !problem_.leaves_given)
    for (int l = 0; l < problem_.shape.max_level; ++l) {
      forest_.touch();
      by_dimension([&] { adapt<2>(-1.); }, [&] { adapt<3>(-1.); });
      set();
    }
  forest_.touch();
  clock_ = {};
  clock_.dt = problem_.dt;
}

template <class Real> void Solver<Real>::resume(const RunClock &clock, Series series) {
  clock_ = clock;
  series_ = std::move(series);
  forest_.touch();
}

template <class Real> bool Solver<Real>::done() const {
  return clock_.step >= problem_.steps || !(clock_.time < problem_.t_end * (1 - 1e-12));
}

template <class Real> void Solver<Real>::step() {
  if (problem_.refine_above && clock_.step > 0 && clock_.step % problem_.adapt_interval == 0)
    by_dimension([&] { adapt<2>(*problem_.coarsen_below); },
                 [&] { adapt<3>(*problem_.coarsen_below); });
  if (clock_.step % problem_.dt_interval == 0)
    by_dimension([&] { take_time_step<2>(); }, [&] { take_time_step<3>(); });
  const double dt = std::min(clock_.dt, problem_.t_end - clock_.time);
  by_dimension([&] { advance<2>(static_cast<Real>(dt)); },
               [&] { advance<3>(static_cast<Real>(dt)); });
  clock_.time += dt;
  ++clock_.step;
  const auto leaves = static_cast<std::int64_t>(forest_.leaves().size());
  std::int64_t cells = leaves;
  for (int a = 0; a < problem_.dimensions(); ++a)
    cells *= problem_.shape.cells;
  clock_.cell_updates += cells;
  series_.time.push_back(clock_.time);
  series_.dt.push_back(dt);
  series_.leaves.push_back(leaves);
  series_.cell_updates.push_back(clock_.cell_updates);
  by_dimension([&] { add_totals<2>(); }, [&] { add_totals<3>(); });
}

template <class Real> template <int D> void Solver<Real>::add_totals() {
  const std::vector<kernels::Totals> mine =
      reduce_leaves(kernels::Totals{},
                    kernels::TotalOf<Real, D>{u_.view(), base(), problem_.h, problem_.gamma - 1},
                    kernels::Plus{});
  pending_.insert(pending_.end(), mine.begin(), mine.end());
  ++pending_steps_;
}

/// Sums the totals of all steps since the last change of the mesh over the ranks. Single steps thus
/// need no reduction.
template <class Real> void Solver<Real>::finish_totals() {
  const std::size_t own = forest_.mine().size();
  for (std::int64_t s = 0; s < pending_steps_; ++s) {
    const std::span<const kernels::Totals> mine(pending_.data() + static_cast<std::size_t>(s) * own,
                                                own);
    kernels::Totals sum;
    for (const kernels::Totals &t : grid::gather_leaves(forest_, mine))
      sum = kernels::Plus{}(sum, t);
    series_.totals.insert(series_.totals.end(), sum.values, sum.values + problem_.variables());
  }
  pending_.clear();
  pending_steps_ = 0;
}

template <class Real> const Series &Solver<Real>::series() {
  finish_totals();
  return series_;
}

template <class Real> Index Solver<Real>::values_of_leaf() const {
  Index values = problem_.variables();
  for (int a = 0; a < problem_.dimensions(); ++a)
    values *= problem_.shape.cells;
  return values;
}

template <class Real> void Solver<Real>::write(Index leaf, const Real *values) {
  grid::write_block(u_, forest_.slot(leaf), values);
}

template <class Real> void Solver<Real>::read(Index leaf, Real *values) const {
  grid::read_block(u_, forest_.slot(leaf), values);
}

template <class Real> void Solver<Real>::primitive(Index leaf, Real *values) const {
  read(leaf, values);
  const grid::Leaf &at = forest_.leaves()[static_cast<std::size_t>(leaf)];
  const int d = problem_.dimensions();
  const Index n = problem_.shape.cells, planes = d == 3 ? n : 1, cells = planes * n * n;
  for (Index i = 0; i < planes; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) {
        Real *const u = values + (i * n + j) * n + k;
        Real kinetic = 0;
        for (int v = 1; v <= d; ++v) {
          const Real momentum = u[v * cells];
          u[v * cells] = momentum / u[0];
          kinetic += momentum * u[v * cells];
        }
        const Index along = problem_.base_axis == 0 ? i : problem_.base_axis == 1 ? j : k;
        u[(d + 1) * cells] =
            static_cast<Real>(problem_.gamma - 1) * (u[(d + 1) * cells] - Real(0.5) * kinetic) +
            static_cast<Real>(base_pressure(at, along));
      }
}

template <class Real> Profile Solver<Real>::profile() const {
  Profile p = profile_;
  const grid::HaloTimes t = halo_.times();
  p.halo += t.copies;
  p.messages += t.pack + t.wait;
  return p;
}

template class Solver<float>;
template class Solver<double>;

} // namespace hybridfft::euler
