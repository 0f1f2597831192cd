/// \file levelset/solver_impl.hpp
/// Definitions of the members of Solver. solver.hpp includes this file.
#ifndef HYBRIDFFT_LEVELSET_SOLVER_IMPL_HPP
#define HYBRIDFFT_LEVELSET_SOLVER_IMPL_HPP

#include <cmath>
#include <string>

#include "hybridfft/levelset/solver.hpp"

namespace hybridfft::levelset {

namespace detail {

/// Throws Error(HFFT_ERROR_ARGUMENT) with an argument, the value found and the value expected.
inline void require(bool good, const std::string &argument, const std::string &found,
                    const std::string &expected) {
  if (!good)
    throw Error(HFFT_ERROR_ARGUMENT, argument + ": found " + found + ", expected " + expected);
}

/// Returns the problem with defaults filled in: the widths of the band, and a periodic end for an
/// axis of one point. \throws Error(HFFT_ERROR_ARGUMENT) for an invalid member of either argument
inline Problem completed(Problem p, const Execution &execution) {
  const auto text = [](auto value) { return std::to_string(value); };
  require(p.h > 0, "h", text(p.h), "a length above 0");
  require(p.order == 1 || p.order == 5, "order", text(p.order), "1 or 5");
  if (p.beta == 0) p.beta = (p.order == 5 ? 3 : 2) * p.h;
  if (p.gamma == 0) p.gamma = (p.order == 5 ? 6 : 4) * p.h;
  require(p.beta > 0 && p.gamma > p.beta && p.gamma <= 16 * p.h, "beta, gamma",
          text(p.beta) + ", " + text(p.gamma), "0 < beta < gamma <= 16 h");
  for (int a = 0; a < 3; ++a) {
    require(p.points[a] >= 7 || (a == 0 && p.points[a] == 1), "points",
            text(p.points[a]) + " along " + "zyx"[a], "7 or more, or 1 along z");
    if (p.points[a] == 1) p.ends[static_cast<std::size_t>(2 - a)] = End::periodic;
  }
  for (const double x : p.origin)
    require(std::isfinite(x), "origin", text(x), "finite numbers");
  require(execution.tile >= 4, "tile", text(execution.tile), "4 or more");
  require(execution.threads >= 1, "threads", text(execution.threads), "1 or more");
  return p;
}

inline Box block_of(const grid::Cartesian &grid) {
  return grid.mine().empty() ? Box() : grid.box(grid.mine().front());
}

/// Returns the box of tile indices of all tiles that overlap a box of points.
inline Box tiles_of(const Box &box, Index edge) {
  Box tiles;
  if (box.empty()) return tiles;
  for (int a = 0; a < 3; ++a) {
    tiles.lo[a] = box.lo[a] / edge;
    tiles.hi[a] = (box.hi[a] + edge - 1) / edge;
  }
  return tiles;
}

/// Returns the layer of ghosts beyond one end of an axis of a box, including corners.
inline Box layer_beyond(const Box &box, int axis, bool above, Index width) {
  Box layer = grid::grown(box, grid::Widths::all(width));
  (above ? layer.lo : layer.hi)[axis] = (above ? box.hi : box.lo)[axis];
  return layer;
}

/// Returns a zero field. Kernels read all arrays without branching, so an absent array is replaced
/// by any existing one with weight 0.
template <class Real> kernels::Field<Real> nothing(const Real *any) {
  return {any, any, Real(0), Real(0), Real(0)};
}

} // namespace detail

template <class Real>
Solver<Real>::Solver(const grid::Communicator &comm, const Problem &problem,
                     const Execution &execution, const std::vector<Box> &boxes)
    : Solver(problem, execution,
             grid::Cartesian(comm, problem.points, boxes, periodic_axes(problem))) {}

template <class Real>
Solver<Real>::Solver(const Problem &problem, const Execution &execution, grid::Cartesian grid)
    : problem_(detail::completed(problem, execution)), exec_{grid::Host{execution.threads},
                                                             execution.device},
      grid_(std::move(grid)), box_(detail::block_of(grid_)), domain_(grid_.domain()),
      tile_box_(detail::tiles_of(box_, execution.tile)),
      edge_(execution.tile), edges_{{std::min(edge_, problem_.points[0]),
                                     std::min(edge_, problem_.points[1]),
                                     std::min(edge_, problem_.points[2])}},
      dense_(execution.dense),
      profile_(execution.profile), band_{static_cast<Real>(problem_.beta),
                                         static_cast<Real>(problem_.gamma)} {
  grid_.communicator().agree([&] {
    for (auto &field : fields_)
      field = make_array();
    work_ = make_array();
    tube_ = detail::make_array<std::uint8_t>(exec_, box_, grid::Widths::all(1));
    wide_ = detail::make_array<std::uint8_t>(exec_, box_, grid::Widths::all(1));
  });
  for (auto &field : fields_)
    halos_.push_back(make_halo(field));
  lattice_ = BlockLattice(fields_[0].view());
  const auto tiles = static_cast<std::size_t>(tile_box_.points());
  is_active_.assign(tiles, 0);
  signs_.assign(tiles, 1);
  inside_of_tiles_.assign(tiles, 0);
}

/// Stops timing the current phase and starts timing `part`; nullptr: no phase.
template <class Real> void Solver<Real>::enter(double FrontTimes::*part) {
  if (profile_ && exec_.device && part_ != nullptr) exec_.device->synchronize();
  const auto now = std::chrono::steady_clock::now();
  if (part_ != nullptr) times_.*part_ += std::chrono::duration<double>(now - since_).count();
  part_ = part;
  since_ = now;
}

template <class Real> grid::Halo<Real> Solver<Real>::make_halo(Array<Real> &array) const {
  Array<Real> *const arrays[1] = {&array};
  const std::span<Array<Real> *const> mine(arrays, grid_.mine().size());
  if (exec_.device) return grid::Halo<Real>(*exec_.device, grid_, mine);
  return grid::Halo<Real>(grid_, mine, {}, grid::Schedule::all_at_once, exec_.host.threads);
}

/// Throws Error(HFFT_ERROR_ARGUMENT) unless the array has this rank's points and three layers of
/// ghosts.
template <class Real> void Solver<Real>::require_layout(const Array<Real> &array) const {
  const auto text = [](const Box &box) {
    std::string all;
    for (int a = 0; a < 3; ++a)
      all += (a > 0 ? " x " : "") + std::to_string(box.extent(a));
    return all;
  };
  const Box expected = box_.empty() ? Box() : grid::grown(box_, grid::Widths::all(pad));
  const Box found = array.box();
  detail::require(found == expected, "array", text(found) + " points with ghosts",
                  text(expected) + ": an array of make_host_array() or make_array()");
}

template <class Real> void Solver<Real>::upload(const Array<Real> &from, Array<Real> &to) const {
  require_layout(from);
  require_layout(to);
  if (exec_.device) return to.take(*exec_.device, from);
  if (!box_.empty())
    detail::for_points(exec_, from.box(), kernels::Copy<Real>{from.view(), to.view()});
}

/// Returns the patch of the grid's last layer beside a part of the block. At faces of the block it
/// also covers the ghosts. Returns no value if the stencils of the part do not reach beyond the
/// end. Stencils can also reach the end across a neighbouring block thinner than the stencil.
template <class Real>
std::optional<typename Solver<Real>::EndPatch> Solver<Real>::patch_of(int axis, bool above,
                                                                      const Box &part) const {
  const Index pads =
      above ? box_.hi[axis] + pad - domain_.hi[axis] : domain_.lo[axis] - (box_.lo[axis] - pad);
  const bool reached =
      above ? part.hi[axis] + pad > domain_.hi[axis] : part.lo[axis] - pad < domain_.lo[axis];
  if (pads < 1 || !reached) return std::nullopt;
  EndPatch patch{part, axis, above, pads};
  for (int a = 0; a < 3; ++a) {
    if (part.lo[a] == box_.lo[a]) patch.points.lo[a] -= pad;
    if (part.hi[a] == box_.hi[a]) patch.points.hi[a] += pad;
  }
  patch.points.lo[axis] = above ? domain_.hi[axis] - 1 : domain_.lo[axis];
  patch.points.hi[axis] = patch.points.lo[axis] + 1;
  return patch;
}

/// Returns the patches at all ends of the grid that stencils of these tiles reach. Along the ends,
/// the patches also cover the tiles next to these tiles.
template <class Real>
std::vector<typename Solver<Real>::EndPatch>
Solver<Real>::end_patches(const std::vector<std::size_t> &tiles) const {
  std::vector<EndPatch> patches;
  const std::vector<Box> boxes = boxes_of(tiles);
  for (const int axis : {2, 1, 0}) { // x, y, z
    if (problem_.ends[static_cast<std::size_t>(2 - axis)] == End::periodic) continue;
    for (const bool above : {false, true}) {
      std::vector<char> chosen(is_active_.size(), 0);
      std::vector<std::size_t> list;
      for (const Box &tile : boxes) {
        if (!patch_of(axis, above, tile)) continue;
        Box beside = detail::tiles_of(tile, edge_);
        // A single layer of tiles represents all tiles whose stencils reach the end.
        beside.lo[axis] = above ? tile_box_.hi[axis] - 1 : tile_box_.lo[axis];
        beside.hi[axis] = beside.lo[axis] + 1;
        for (int a = 0; a < 3; ++a)
          if (a != axis) --beside.lo[a], ++beside.hi[a];
        for_tiles(beside, [&](std::size_t n) {
          if (chosen[n] == 0) list.push_back(n);
          chosen[n] = 1;
        });
      }
      for (const Box &tile : boxes_of(list))
        if (const auto patch = patch_of(axis, above, tile)) patches.push_back(*patch);
    }
  }
  return patches;
}

/// Extrapolates the array to the pads, the ghosts beyond the ends of the grid.
/// \param first also fills pads of fixed ends, to initialise them
/// \param nearest uses the nearest value, without a slope
template <class Real>
void Solver<Real>::fill_pads(Array<Real> &array, const std::vector<EndPatch> &patches, bool first,
                             bool nearest) {
  const grid::View<Real> view = array.view();
  for (const EndPatch &patch : patches) {
    const End end = problem_.ends[static_cast<std::size_t>(2 - patch.axis)];
    if (end == End::fixed && !first && !nearest) continue;
    const Index step = view.stride(patch.axis);
    detail::for_points(exec_, patch.points,
                       kernels::Extrapolate<Real>{lattice_, patch.above ? step : -step, patch.pads,
                                                  nearest ? Real(0) : Real(1), view.origin()});
  }
}

/// Exchanges the ghosts with neighbours, then fills the pads beyond the ends of the grid axis by
/// axis.
/// \param first also fills pads of fixed ends, to initialise them
/// \param nearest uses the nearest value, without a slope
template <class Real>
void Solver<Real>::fill_ends(Array<Real> &array, grid::Halo<Real> &halo, bool first, bool nearest) {
  const PartTimer timer(*this, &FrontTimes::exchange);
  halo.exchange();
  if (box_.empty()) return;
  fill_pads(array, patches_, first, nearest);
}

template <class Real> void Solver<Real>::refresh(int field) {
  if (field == now_ && fresh_) return;
  fill_ends(fields_[std::size_t(field)], halos_[std::size_t(field)], false, false);
  if (field == now_) fresh_ = true;
}

template <class Real> template <class F> void Solver<Real>::set(const F &phi) {
  Array<Real> first = make_host_array();
  const grid::View<Real> v = first.view();
  const kernels::Frame frame{{problem_.origin[0], problem_.origin[1], problem_.origin[2]},
                             problem_.h};
  grid::detail::for_rows(exec_.host, box_, [&](Index i, Index j) {
    for (Index k = box_.lo[2]; k < box_.hi[2]; ++k)
      v(i, j, k) = static_cast<Real>(phi(frame.x(0, k), frame.x(1, j), frame.x(2, i)));
  });
  set(first);
}

template <class Real> void Solver<Real>::set(const Array<Real> &phi, bool with_pads) {
  grid_.communicator().agree([&] { require_layout(phi); });
  Array<Real> first = phi.copy_to(grid::Place::host, exec_.host.threads);
  if (!box_.empty())
    detail::for_points(Executor{exec_.host, {}}, first.box(),
                       kernels::Cut<Real>{band_, first.view()});
  now_ = 0;
  upload(first, fields_[0]);
  patches_.clear();
  for (const int axis : {2, 1, 0})
    for (const bool above : {false, true})
      if (problem_.ends[static_cast<std::size_t>(2 - axis)] != End::periodic && !box_.empty())
        if (const auto patch = patch_of(axis, above, box_)) patches_.push_back(*patch);
  fill_ends(fields_[0], halos_[0], !with_pads, false);
  fresh_ = true;
  pads_cut_ = false;
  time_ = 0;
  steps_ = 0;
  if (!box_.empty())
    for (const int other : {1, 2})
      detail::for_points(
          exec_, first.box(),
          kernels::Copy<Real>{fields_[0].view(), fields_[std::size_t(other)].view()});
  find_tubes(true);
}

template <class Real>
void Solver<Real>::restore(const Array<Real> &phi, double time, std::int64_t steps) {
  grid_.communicator().agree([&] { require_layout(phi); });
  Array<Real> next = this->phi();
  if (!box_.empty())
    detail::for_points(Executor{exec_.host, {}}, box_,
                       kernels::Copy<Real>{phi.view(), next.view()});
  set(next, true);
  time_ = time;
  steps_ = steps;
}

template <class Real> Array<Real> Solver<Real>::phi() const {
  if (!exec_.device)
    return fields_[std::size_t(now_)].copy_to(grid::Place::host, exec_.host.threads);
  Array<Real> copy = make_host_array();
  phi(copy);
  return copy;
}

template <class Real> const Array<Real> &Solver<Real>::phi(Array<Real> &copy) const {
  const Array<Real> &now = fields_[std::size_t(now_)];
  if (!exec_.device) return now;
  if (copy.inner() != box_) copy = make_host_array();
  copy.take(*exec_.device, now);
  return copy;
}

/// Runs one time step: third-order TVD Runge-Kutta, or forward Euler for order 1. Calls stage(in,
/// to, coefficients, time) for each stage; `time` counts from the start of the step.
template <class Real>
template <class Stage>
void Solver<Real>::runge_kutta(double dt, const Stage &stage) {
  const int start = now_, one = (now_ + 1) % 3, two = (now_ + 2) % 3;
  const auto step = static_cast<Real>(dt);
  refresh(start);
  stage(start, one, kernels::Stage<Real>{Real(0), Real(1), step}, 0.0);
  if (problem_.order == 1) {
    now_ = one;
  } else {
    refresh(one);
    stage(one, two, kernels::Stage<Real>{Real(0.75), Real(0.25), step}, dt);
    refresh(two);
    stage(two, start, kernels::Stage<Real>{Real(1.0 / 3), Real(2.0 / 3), step}, dt / 2);
  }
  fresh_ = false;
}

template <class Real>
template <int order>
void Solver<Real>::add_rates(int in, const Motion<Real> &m) {
  const auto h = static_cast<Real>(problem_.h);
  const Real *const phi = data(in);
  Real *const rate = work_.view().origin();
  Real keep = 0;
  if (m.velocity == Motion<Real>::Velocity::fields)
    on_band(kernels::Carry<Real, kernels::FieldVelocity<Real>, order>{m.fields, lattice_, h, phi,
                                                                      rate});
  if (m.velocity == Motion<Real>::Velocity::table)
    on_band(
        kernels::Carry<Real, kernels::TableVelocity<Real>, order>{m.table, lattice_, h, phi, rate});
  if (m.velocity != Motion<Real>::Velocity::none) keep = 1;
  if (m.has_speed) {
    on_band(
        kernels::Grow<Real, kernels::Field<Real>, order>{m.speed, lattice_, h, keep, phi, rate});
    keep = 1;
  }
  if (m.bending != 0) {
    on_band(kernels::Bend<Real>{lattice_, h, static_cast<Real>(m.bending), keep, phi, rate});
    keep = 1;
  }
  if (keep == 0)
    on_band(kernels::Grow<Real, kernels::Field<Real>, 1>{detail::nothing(phi), lattice_, h, keep,
                                                         phi, rate});
}

/// Advances phi by dt and reinitialises it.
/// \param rates computes the rates of a field: rates(field, stage time)
template <class Real>
template <class Rates>
void Solver<Real>::advance(double dt, const Rates &rates, int iterations) {
  detail::require(dt > 0 && std::isfinite(dt), "dt", std::to_string(dt), "a time above 0");
  const int start = now_;
  {
    const PartTimer timer(*this, &FrontTimes::advance);
    runge_kutta(dt, [&](int in, int to, const kernels::Stage<Real> &stage, double after) {
      rates(in, time_ + after);
      on_band(kernels::Advance<Real>{lattice_, band_, stage, data(start), data(in),
                                     work_.view().origin(), data(to)});
    });
  }
  time_ += dt;
  ++steps_;
  reinitialise(iterations);
}

template <class Real>
void Solver<Real>::move(double dt, const Motions<Real> &motions, int iterations) {
  advance(
      dt,
      [&](int in, double time) {
        const Motion<Real> motion = motions(time);
        if (problem_.order == 1)
          add_rates<1>(in, motion);
        else
          add_rates<5>(in, motion);
      },
      iterations);
}

template <class Real>
template <class F>
void Solver<Real>::step(double dt, const F &speed, int iterations) {
  static_assert(std::is_invocable_r_v<double, F, const Point &>);
  using Speed = kernels::UserSpeed<Real, F>;
  const auto h = static_cast<Real>(problem_.h);
  const kernels::Frame frame{{problem_.origin[0], problem_.origin[1], problem_.origin[2]},
                             problem_.h};
  advance(
      dt,
      [&](int in, double time) {
        const Speed user{speed, lattice_, frame, h, data(in), time};
        Real *const rate = work_.view().origin();
        if (problem_.order == 1)
          on_band(kernels::Grow<Real, Speed, 1>{user, lattice_, h, Real(0), data(in), rate});
        else
          on_band(kernels::Grow<Real, Speed, 5>{user, lattice_, h, Real(0), data(in), rate});
      },
      iterations);
}

template <class Real>
template <int order>
void Solver<Real>::reinitialise_stage(int in, int to, const kernels::Stage<Real> &stage) {
  on_band(kernels::Reinitialise<Real, order>{lattice_, static_cast<Real>(problem_.h), stage,
                                             data(now_), data(in), work_.view().origin(),
                                             data(to)});
}

template <class Real> void Solver<Real>::reinitialise(int iterations) {
  const PartTimer timer(*this, &FrontTimes::reinitialise);
  if (iterations > 0) {
    refresh(now_);
    on_band(kernels::SmoothSign<Real>{lattice_, static_cast<Real>(problem_.h), wide_.view(),
                                      data(now_), work_.view().origin()});
  }
  for (int n = 0; n < iterations; ++n)
    runge_kutta(0.5 * problem_.h, [&](int in, int to, const kernels::Stage<Real> &stage, double) {
      if (problem_.order == 1)
        reinitialise_stage<1>(in, to, stage);
      else
        reinitialise_stage<5>(in, to, stage);
    });
  cut();
  find_tubes(false);
}

/// Limits phi to [-gamma, gamma], and copies it to the other two fields, so stages need not write
/// points outside of N. The first call also limits the pads of fixed ends.
template <class Real> void Solver<Real>::cut() {
  on_band(kernels::Settle<Real>{lattice_, band_, data(now_), data((now_ + 1) % 3),
                                data((now_ + 2) % 3)});
  fresh_ = false;
  if (pads_cut_ || box_.empty()) return;
  pads_cut_ = true;
  for (int axis = 0; axis < 3; ++axis) {
    if (problem_.ends[static_cast<std::size_t>(axis)] != End::fixed) continue;
    for (const bool above : {false, true})
      for (auto &field : fields_)
        detail::for_points(exec_, detail::layer_beyond(box_, 2 - axis, above, pad),
                           kernels::Cut<Real>{band_, field.view()});
  }
}

/// Returns the layers around the block, one point thick and clipped to the grid. Their points
/// belong to other ranks, or to the opposite end of a periodic axis.
template <class Real> std::vector<Box> Solver<Real>::shell() const {
  std::vector<Box> layers;
  if (box_.empty()) return layers;
  Box all = grid::grown(box_, grid::Widths::all(1));
  for (int a = 0; a < 3; ++a)
    if (!grid_.periodic()[static_cast<std::size_t>(a)]) {
      all.lo[a] = std::max(all.lo[a], domain_.lo[a]);
      all.hi[a] = std::min(all.hi[a], domain_.hi[a]);
    }
  for (int a = 0; a < 3; ++a)
    for (const bool above : {false, true}) {
      const Box layer = grid::intersection(detail::layer_beyond(box_, a, above, 1), all);
      if (!layer.empty()) layers.push_back(layer);
    }
  return layers;
}

/// Calls f(number) for this rank's tiles within a box of tile indices.
template <class Real>
template <class F>
void Solver<Real>::for_tiles(const Box &places, const F &f) const {
  const Box &t = tile_box_, mine = grid::intersection(places, t);
  for (Index i = mine.lo[0]; i < mine.hi[0]; ++i)
    for (Index j = mine.lo[1]; j < mine.hi[1]; ++j)
      for (Index k = mine.lo[2]; k < mine.hi[2]; ++k)
        f(static_cast<std::size_t>(((i - t.lo[0]) * t.extent(1) + j - t.lo[1]) * t.extent(2) + k -
                                   t.lo[2]));
}

/// Returns the tiles that may contain points of N, and all active tiles. T must be marked first.
/// The result includes tiles beside the shell(). On a device it includes all neighbours of active
/// tiles. On the host it includes only neighbours with points of T or with 26-neighbours of these
/// points. With `all` it has every tile.
template <class Real> std::vector<std::size_t> Solver<Real>::candidates(bool all) const {
  const Box &t = tile_box_;
  std::vector<char> chosen(is_active_.size(), all || dense_ ? 1 : 0);
  const auto choose = [&](const Box &tiles) {
    for_tiles(tiles, [&](std::size_t n) { chosen[n] = 1; });
  };
  for (const Box &tile : active_.tiles.boxes)
    choose(grid::grown(detail::tiles_of(tile, edge_), grid::Widths::all(exec_.device ? 1 : 0)));
  for (detail::Segment s : active_.segments) {
    detail::shrink_to_marks(tube_.view(), s);
    const Box beside({{s.i - 1, s.j - 1, s.lo - 1}}, {{s.i + 2, s.j + 2, s.hi + 1}});
    if (s.lo < s.hi) choose(detail::tiles_of(grid::intersection(beside, box_), edge_));
  }
  for (const Box &layer : shell())
    for (int a = 0; a < 3; ++a) {
      const bool below = layer.hi[a] <= box_.lo[a], above = layer.lo[a] >= box_.hi[a];
      if (!below && !above) continue;
      Box beside = t;
      if (below)
        beside.hi[a] = t.lo[a] + 1;
      else
        beside.lo[a] = t.hi[a] - 1;
      choose(beside);
    }
  std::vector<std::size_t> list;
  for (std::size_t n = 0; n < chosen.size(); ++n)
    if (chosen[n] != 0) list.push_back(n);
  return list;
}

template <class Real>
std::vector<Box> Solver<Real>::boxes_of(const std::vector<std::size_t> &tiles) const {
  std::vector<Box> boxes;
  const Box &t = tile_box_;
  for (const std::size_t tile : tiles) {
    const auto n = static_cast<Index>(tile);
    const Index3 place{{t.lo[0] + n / (t.extent(1) * t.extent(2)),
                        t.lo[1] + n / t.extent(2) % t.extent(1), t.lo[2] + n % t.extent(2)}};
    Box box;
    for (int a = 0; a < 3; ++a) {
      box.lo[a] = place[a] * edge_;
      box.hi[a] = box.lo[a] + edge_;
    }
    boxes.push_back(grid::intersection(box, box_));
  }
  return boxes;
}

/// Returns the row segments with points of N; all rows for Execution::dense.
template <class Real> std::vector<detail::Segment> Solver<Real>::segments() const {
  if (!dense_) return detail::marked_segments<Real>(exec_, active_.tiles.boxes, wide_.view(), box_);
  std::vector<detail::Segment> all;
  for (Index i = box_.lo[0]; i < box_.hi[0]; ++i)
    for (Index j = box_.lo[1]; j < box_.hi[1]; ++j)
      all.push_back({i, j, box_.lo[2], box_.hi[2]});
  return all;
}

/// Marks T and N after phi has changed, and updates the active tiles.
template <class Real> void Solver<Real>::find_tubes(bool all) {
  const PartTimer timer(*this, &FrontTimes::tubes);
  refresh(now_);
  const grid::View<const Real> phi = std::as_const(fields_[std::size_t(now_)]).view();
  const kernels::MarkTube<Real> mark{band_, phi, tube_.view()};
  for (const Box &layer : shell())
    detail::for_points(exec_, layer, mark);
  if (!all)
    on_band(mark); // T is a subset of the previous N
  else if (!box_.empty())
    detail::for_points(exec_, box_, mark);
  const std::vector<std::size_t> list = candidates(all);
  detail::WorkList tiles{detail::TileList(exec_, boxes_of(list), edges_), {}};
  if (!exec_.device) tiles.segments = detail::rows_of(exec_, tiles.tiles.boxes);
  detail::for_points<Real>(exec_, tiles, kernels::MarkWide{tube_.view(), wide_.view()});
  take_tiles(list, detail::count(exec_, tiles.tiles,
                                 kernels::CountTubes<Real>{tube_.view(), wide_.view(), phi}));
}

/// Replaces the active tiles and their row segments.
template <class Real>
void Solver<Real>::take_tiles(const std::vector<std::size_t> &tiles,
                              const std::vector<kernels::Counts> &counts) {
  std::vector<std::size_t> work;
  points_of_tiles_.clear();
  mine_ = 0;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    const std::size_t tile = tiles[n];
    const bool active = dense_ || counts[n].wide > 0;
    if (active) {
      work.push_back(tile);
      points_of_tiles_.push_back(counts[n].tube);
    }
    mine_ += counts[n].tube;
    is_active_[tile] = active ? 1 : 0;
    inside_of_tiles_[tile] = counts[n].inside;
    signs_[tile] = static_cast<std::int8_t>(counts[n].wide > 0 ? 0 : counts[n].inside > 0 ? -1 : 1);
  }
  active_.tiles = detail::TileList(exec_, boxes_of(work), edges_);
  if (!exec_.device) active_.segments = segments();
  patches_ = end_patches(work);
  if (fresh_ && !box_.empty()) fill_pads(fields_[std::size_t(now_)], patches_, false, false);
  points_ = static_cast<std::int64_t>(grid_.communicator().sum(static_cast<std::uint64_t>(mine_)));
}

template <class Real> void Solver<Real>::extend(Array<Real> &values, int iterations) {
  grid_.communicator().agree([&] { require_layout(values); });
  grid::Halo<Real> halo = make_halo(values);
  refresh(now_);
  for (int n = 0; n < iterations; ++n) {
    fill_ends(values, halo, false, true);
    on_band(kernels::Extend<Real>{lattice_, band_, static_cast<Real>(problem_.h), data(now_),
                                  values.view().origin(), work_.view().origin()});
    on_band(kernels::Copy<Real>{std::as_const(work_).view(), values.view()});
  }
  if (exec_.device) exec_.device->synchronize();
}

template <class Real>
template <class Velocity>
Speeds Solver<Real>::speeds_of(const Velocity &velocity, const Motion<Real> &m) const {
  const kernels::Field<Real> speed = m.has_speed ? m.speed : detail::nothing(data(now_));
  kernels::Counts most;
  for (const kernels::Counts &c :
       detail::count(exec_, active_,
                     kernels::Fastest<Real, Velocity, kernels::Field<Real>>{
                         velocity, speed, lattice_, tube_.view()}))
    most.add(c);
  const grid::Communicator &comm = grid_.communicator();
  return {comm.max(most.fastest), comm.max(most.displacing)};
}

template <class Real> Speeds Solver<Real>::speeds(const Motion<Real> &m) const {
  if (m.velocity == Motion<Real>::Velocity::table) return speeds_of(m.table, m);
  if (m.velocity == Motion<Real>::Velocity::fields) return speeds_of(m.fields, m);
  const kernels::Field<Real> none = detail::nothing(data(now_));
  return speeds_of(kernels::FieldVelocity<Real>{{none, none, none}}, m);
}

template <class Real> double Solver<Real>::time_step(const Motion<Real> &m, double cfl) const {
  const double most = speeds(m).sum, infinite = std::numeric_limits<double>::infinity();
  const double h = problem_.h;
  return std::min(most > 0 ? cfl * h / most : infinite,
                  m.bending > 0 ? 0.15 * (h * h) / m.bending : infinite);
}

template <class Real> std::int64_t Solver<Real>::inside() const {
  std::int64_t all = 0;
  for (const std::int64_t points : inside_of_tiles_)
    all += points;
  return static_cast<std::int64_t>(grid_.communicator().sum(static_cast<std::uint64_t>(all)));
}

template <class Real> Measures Solver<Real>::measure() const {
  const auto unit = static_cast<std::int64_t>(kernels::unit_of_counts);
  std::int64_t sums[4] = {0, 0, 0,
                          0}; // whole units and 2^-40 fractions of the volume, then of the area
  std::int64_t inside_tube = 0;
  for (const std::int64_t points : inside_of_tiles_)
    sums[0] += points;
  for (const kernels::Counts &c : detail::count(
           exec_, active_, kernels::Measure<Real>{lattice_, band_, problem_.h, data(now_)})) {
    sums[0] += c.volume / unit;
    sums[1] += c.volume % unit;
    sums[2] += c.area / unit;
    sums[3] += c.area % unit;
    inside_tube += c.inside;
  }
  const grid::Communicator &comm = grid_.communicator();
  // Unsigned sums wrap around, so they are also correct for negative terms.
  const auto sum = [&](std::int64_t mine) {
    return static_cast<double>(
        static_cast<std::int64_t>(comm.sum(static_cast<std::uint64_t>(mine))));
  };
  const auto total = [&](std::int64_t units, std::int64_t parts) {
    return sum(units) + sum(parts) / kernels::unit_of_counts;
  };
  const double h = problem_.h, edge = static_cast<double>(band_.gamma) / (1.5 * h);
  double volume = total(sums[0], sums[1]);
  // In a band thinner than the smearing, points outside of T have a share, too: phi is +-gamma.
  if (edge < 1)
    volume += inside_share(edge) * (static_cast<double>(domain_.points() - points_) -
                                    2 * (static_cast<double>(inside()) - sum(inside_tube)));
  return {volume * (h * h * h), total(sums[2], sums[3]) * (h * h)};
}

template <class Real> std::int64_t Solver<Real>::tiles() const {
  return static_cast<std::int64_t>(
      grid_.communicator().sum(static_cast<std::uint64_t>(active_.tiles.size())));
}

template <class Real> Index3 Solver<Real>::tiles_of_grid() const {
  const Box all = detail::tiles_of(domain_, edge_);
  return {{all.extent(0), all.extent(1), all.extent(2)}};
}

} // namespace hybridfft::levelset

#endif
