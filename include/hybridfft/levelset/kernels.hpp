/// \file levelset/kernels.hpp
/// The level-set equations of one step, as functions of a point that run on host threads and as
/// device kernels. Points have the grid's indices i, j, k along z, y, x. T, the tube, is the set of
/// points with |phi| < gamma. N is T and its 26-neighbours.
#ifndef HYBRIDFFT_LEVELSET_KERNELS_HPP
#define HYBRIDFFT_LEVELSET_KERNELS_HPP

#include <cstdint>
#include <cstring>
#include <numbers>
#include <type_traits>

#include "hybridfft/grid/array.hpp"
#include "hybridfft/levelset/scheme.hpp"

namespace hybridfft::levelset {

/// Argument of the user's speed function: a point in space and time.
struct Point {
  double x = 0, y = 0, z = 0;   ///< position in m
  double t = 0;                 ///< time of the Runge-Kutta stage in s
  double phi = 0;               ///< value of phi in m
  double kappa = 0;             ///< curvature in 1/m, positive for a ball
  double normal[3] = {0, 0, 0}; ///< outward unit vector along x, y, z
};

namespace kernels {

using grid::Box;
using grid::View;

/// Memory layout shared by all arrays of one block: a point has the same offset in each array.
struct BlockLattice {
  BlockLattice() = default;
  template <class T>
  explicit BlockLattice(const View<T> &v) : stride{v.stride(0), v.stride(1)}, offset(v.offset()) {}
  HFFT_LEVELSET_INLINE Index at(Index i, Index j, Index k) const {
    return i * stride[0] + j * stride[1] + k + offset;
  }
  template <class Real> HFFT_LEVELSET_INLINE Stencil<Real> around(const Real *p) const {
    return {p, {1, stride[1], stride[0]}};
  }
  Index stride[2] = {0, 0};
  Index offset = 0;
};

/// Maps grid indices to positions in space.
struct Frame {
  HFFT_LEVELSET_INLINE double x(int axis, Index n) const {
    return origin[axis] + static_cast<double>(n) * h;
  }
  double origin[3]; ///< position of point (0, 0, 0) along x, y, z
  double h;
};

/// A scalar at each point: a constant plus a weighted sum of two arrays, for interpolation in time.
template <class Real> struct Field {
  HFFT_LEVELSET_INLINE Real operator()(Index n, Index, Index, Index) const {
    return first_share * first[n] + second_share * second[n] + constant;
  }
  const Real *first, *second; ///< an array with weight 0 may be any array of the block
  Real first_share, second_share, constant;
};

/// Velocity with one Field for each component.
template <class Real> struct FieldVelocity {
  HFFT_LEVELSET_INLINE Real operator()(int axis, Index n, Index i, Index j, Index k) const {
    return component[axis](n, i, j, k);
  }
  Field<Real> component[3];
};

/// Velocity whose components are products of functions of x, y and z, stored as tables.
template <class Real> struct TableVelocity {
  HFFT_LEVELSET_INLINE Real operator()(int axis, Index, Index i, Index j, Index k) const {
    return factor[axis] * along[axis][0][k] * along[axis][1][j] * along[axis][2][i];
  }
  Real factor[3];
  const Real *along[3][3]; ///< [component][x, y, z] tables, indexed by the grid's indices
};

/// Speed along the normal, computed by the user's function at each point.
template <class Real, class F> struct UserSpeed {
  HFFT_LEVELSET_INLINE Real operator()(Index n, Index i, Index j, Index k) const {
    const Stencil<Real> p = lattice.around(phi + n);
    const Real g[3] = {central(p, 0, h), central(p, 1, h), central(p, 2, h)};
    const Real norm = std::sqrt(square(g[0]) + square(g[1]) + square(g[2]) + Real(1e-12));
    Point point;
    point.x = frame.x(0, k), point.y = frame.x(1, j), point.z = frame.x(2, i);
    point.t = time;
    point.phi = p(0);
    point.kappa = curvature_term(p, h) / norm;
    for (int a = 0; a < 3; ++a)
      point.normal[a] = g[a] / norm;
    return static_cast<Real>(f(point));
  }
  F f;
  BlockLattice lattice;
  Frame frame;
  Real h;
  const Real *phi;
  double time;
};

/// Transport by a velocity: sets rate = -(v . grad phi).
template <class Real, class Velocity, int order> struct Carry {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Stencil<Real> p = lattice.around(phi + n);
    const Real u = velocity(0, n, i, j, k), v = velocity(1, n, i, j, k),
               w = velocity(2, n, i, j, k);
    rate[n] = -(u * upwind<order>(p, 0, h, u)) - v * upwind<order>(p, 1, h, v) -
              w * upwind<order>(p, 2, h, w);
  }
  Velocity velocity;
  BlockLattice lattice;
  Real h;
  const Real *phi;
  Real *rate;
};

/// Motion along the normal: sets rate = keep rate - F |grad phi|. `keep` is 0 if this is the first
/// term of the rate, else 1.
template <class Real, class Speed, int order> struct Grow {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real f = speed(n, i, j, k);
    const Real term = f * upwind_norm<order>(lattice.around(phi + n), h, f);
    rate[n] = keep * rate[n] - term;
  }
  Speed speed;
  BlockLattice lattice;
  Real h, keep;
  const Real *phi;
  Real *rate;
};

/// Motion by curvature: sets rate = keep rate + b kappa |grad phi|.
template <class Real> struct Bend {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    rate[n] = keep * rate[n] + bending * curvature_term(lattice.around(phi + n), h);
  }
  BlockLattice lattice;
  Real h, bending, keep;
  const Real *phi;
  Real *rate;
};

/// Coefficients of a Runge-Kutta stage: to = a start + b (phi + dt rate).
template <class Real> struct Stage {
  HFFT_LEVELSET_INLINE Real operator()(Real start, Real phi, Real rate) const {
    return a * start + b * (phi + dt * rate);
  }
  Real a, b, dt;
};

/// Advances points of the tube by one Runge-Kutta stage. The cut-off c(phi) uses phi at the start
/// of the step.
template <class Real> struct Advance {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real old = start[n];
    const Real next = stage(old, phi[n], band.cut_off(old) * rate[n]);
    to[n] = band.in_tube(old) ? next : old;
  }
  BlockLattice lattice;
  Band<Real> band;
  Stage<Real> stage;
  const Real *start, *phi, *rate;
  Real *to;
};

/// Smoothed sign for reinitialisation: phi/sqrt(phi^2 + |grad phi|^2 h^2) on N, 0 elsewhere.
template <class Real> struct SmoothSign {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Stencil<Real> p = lattice.around(phi + n);
    const Real g = square(central(p, 0, h)) + square(central(p, 1, h)) + square(central(p, 2, h));
    const Real tiny = sizeof(Real) == 4 ? Real(1e-36) : Real(1e-300);
    const Real s = p(0) / std::sqrt(square(p(0)) + g * (h * h) + tiny);
    sign[n] = wide(i, j, k) != 0 ? s : Real(0); // s may be NaN where ghosts are not filled
  }
  BlockLattice lattice;
  Real h;
  View<const std::uint8_t> wide;
  const Real *phi;
  Real *sign;
};

/// Advances phi_tau + S (|grad phi| - 1) = 0 by one Runge-Kutta stage, at points with S != 0.
template <class Real, int order> struct Reinitialise {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real s = sign[n], old = start[n];
    const Real rate = -s * (upwind_norm<order>(lattice.around(phi + n), h, s) - 1);
    const Real next = stage(old, phi[n], rate);
    to[n] = s != 0 ? next : old;
  }
  BlockLattice lattice;
  Real h;
  Stage<Real> stage;
  const Real *start, *phi, *sign;
  Real *to;
};

/// Limits phi to [-gamma, gamma].
template <class Real> struct Cut {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    phi(i, j, k) = band.cut(phi(i, j, k));
  }
  Band<Real> band;
  View<Real> phi;
};

/// Limits phi to [-gamma, gamma] and copies it to the two other fields of the Runge-Kutta method.
template <class Real> struct Settle {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real value = band.cut(phi[n]);
    phi[n] = value;
    first[n] = value;
    second[n] = value;
  }
  BlockLattice lattice;
  Band<Real> band;
  Real *phi, *first, *second;
};

/// to = from
template <class Real> struct Copy {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    to(i, j, k) = from(i, j, k);
  }
  View<const Real> from;
  View<Real> to;
};

/// Marks the points of T: sets tube = 1 if |phi| < gamma, else 0.
template <class Real> struct MarkTube {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    tube(i, j, k) = band.in_tube(phi(i, j, k)) ? 1 : 0;
  }
  Band<Real> band;
  View<const Real> phi;
  View<std::uint8_t> tube;
};

/// Marks the points of N: sets wide = 1 at points of T and their 26 neighbours.
struct MarkWide {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const unsigned any = plane(i - 1, j, k) | plane(i, j, k) | plane(i + 1, j, k);
    wide(i, j, k) = static_cast<std::uint8_t>(any);
  }
  HFFT_LEVELSET_INLINE unsigned plane(Index i, Index j, Index k) const {
    return row(i, j - 1, k) | row(i, j, k) | row(i, j + 1, k);
  }
  HFFT_LEVELSET_INLINE unsigned row(Index i, Index j, Index k) const {
    return unsigned(tube(i, j, k - 1)) | unsigned(tube(i, j, k)) | unsigned(tube(i, j, k + 1));
  }
  View<const std::uint8_t> tube;
  View<std::uint8_t> wide;
};

/// Extrapolates an array beyond one end of an axis: computes the pads, the ghosts beyond the end,
/// from the two outermost points. Called for each point of the grid's last layer.
template <class Real> struct Extrapolate {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real difference = v[n] - v[n - outward];
    for (Index p = 1; p <= pads; ++p)
      v[n + p * outward] = v[n] + static_cast<Real>(p) * slope * difference;
  }
  BlockLattice lattice;
  Index outward; ///< distance in elements from the last point to the first pad
  Index pads;
  Real slope; ///< 1: linear extrapolation; 0: nearest value
  Real *v;
};

/// Extends values off the front: one first-order pseudo-time step of v_tau + S n . grad v = 0,
/// written to `to`. Only points of the tube with |phi| >= h change; other points keep v.
template <class Real> struct Extend {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Stencil<Real> p = lattice.around(phi + n), v = lattice.around(values + n);
    const Real g[3] = {central(p, 0, h), central(p, 1, h), central(p, 2, h)};
    const Real norm = std::sqrt(square(g[0]) + square(g[1]) + square(g[2])) + Real(1e-12);
    const Real sign = p(0) > 0 ? Real(1) : p(0) < 0 ? Real(-1) : Real(0);
    Real change = 0;
    for (int a = 0; a < 3; ++a) {
      const Real c = g[a] / norm * sign;
      change += c > 0 ? c * (v(0) - v(-v.step[a])) : c * (v(v.step[a]) - v(0));
    }
    const bool moves = band.in_tube(p(0)) && !(magnitude(p(0)) < h);
    to[n] = moves ? v(0) - Real(0.5) * change : v(0);
  }
  BlockLattice lattice;
  Band<Real> band;
  Real h;
  const Real *phi, *values;
  Real *to;
};

/// Sums and maxima over a part of a row. Volumes and areas are integers in units of 2^-40 h^3 and
/// 2^-40 h^2, so sums have the same bits in any order.
struct Counts {
  std::int64_t tube = 0, wide = 0; ///< numbers of points of T and N
  std::int64_t inside = 0;         ///< points with phi < 0
  std::int64_t volume = 0, area = 0;
  double fastest = 0;    ///< largest |v_x| + |v_y| + |v_z| + |F|
  double displacing = 0; ///< largest |v| + |F|
  HFFT_LEVELSET_INLINE void add(const Counts &other) {
    tube += other.tube, wide += other.wide, inside += other.inside;
    volume += other.volume, area += other.area;
    fastest = larger(fastest, other.fastest);
    displacing = larger(displacing, other.displacing);
  }
};

inline constexpr double unit_of_counts = 1099511627776.0; // 2^40

/// Adds the counts of points lo <= k < hi of row (i, j). f is a function of a point, f(i, j, k,
/// counts), or of a part of a row, f(i, j, lo, hi, counts).
template <class F>
HFFT_LEVELSET_INLINE void count_row(const F &f, Index i, Index j, Index lo, Index hi, Counts &c) {
  if constexpr (std::is_invocable_v<const F &, Index, Index, Index, Counts &>) {
    for (Index k = lo; k < hi; ++k)
      f(i, j, k, c);
  } else {
    f(i, j, lo, hi, c);
  }
}

/// Returns the sum of eight bytes, each 0 or 1.
HFFT_LEVELSET_INLINE int sum_of_marks(const std::uint8_t *marks) {
  std::uint64_t all = 0;
  std::memcpy(&all, marks, sizeof all);
  return static_cast<int>((all * 0x0101010101010101U) >> 56);
}

/// Counts the points of T, of N and with phi < 0 in a part of a row.
template <class Real> struct CountTubes {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index lo, Index hi, Counts &c) const {
    int in_tube = 0, in_wide = 0, inside = 0;
    Index k = lo;
    for (; k + 8 <= hi; k += 8) {
      in_tube += sum_of_marks(&tube(i, j, k));
      in_wide += sum_of_marks(&wide(i, j, k));
      for (int l = 0; l < 8; ++l)
        inside += phi(i, j, k + l) < 0 ? 1 : 0;
    }
    for (; k < hi; ++k) {
      in_tube += tube(i, j, k);
      in_wide += wide(i, j, k);
      inside += phi(i, j, k) < 0 ? 1 : 0;
    }
    c.tube += in_tube, c.wide += in_wide, c.inside += inside;
  }
  View<const std::uint8_t> tube, wide;
  View<const Real> phi;
};

/// Measures the front by smeared delta and Heaviside functions at points of T with |phi| < 1.5 h.
/// Adds the area to Counts::area, and the number of points with phi < 0 to Counts::inside. Adds the
/// enclosed volume minus this number to Counts::volume.
template <class Real> struct Measure {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k, Counts &c) const {
    const Index n = lattice.at(i, j, k);
    const double e = 1.5 * h, v = phi[n];
    if (!(magnitude(v) < e) || !band.in_tube(phi[n])) return;
    c.inside += v < 0 ? 1 : 0;
    c.volume += static_cast<std::int64_t>(std::floor(inside_share(v / e) * unit_of_counts + 0.5)) -
                (v < 0 ? static_cast<std::int64_t>(unit_of_counts) : 0);
    double g = 0;
    const Index step[3] = {1, lattice.stride[1], lattice.stride[0]};
    for (const Index s : step)
      g += square((static_cast<double>(phi[n + s]) - static_cast<double>(phi[n - s])) / (2 * h));
    const double area = (1 + cosine(std::numbers::pi * v / e)) / 3 * std::sqrt(g);
    c.area += static_cast<std::int64_t>(std::floor(area * unit_of_counts + 0.5));
  }
  BlockLattice lattice;
  Band<Real> band;
  double h;
  const Real *phi;
};

/// Finds the maxima of |v_x| + |v_y| + |v_z| + |F| and of |v| + |F| over the tube.
template <class Real, class Velocity, class Speed> struct Fastest {
  HFFT_LEVELSET_INLINE void operator()(Index i, Index j, Index k, Counts &c) const {
    if (tube(i, j, k) == 0) return;
    const Index n = lattice.at(i, j, k);
    const Real u = velocity(0, n, i, j, k), v = velocity(1, n, i, j, k),
               w = velocity(2, n, i, j, k), f = magnitude(speed(n, i, j, k));
    c.fastest = larger(c.fastest, double(magnitude(u) + magnitude(v) + magnitude(w) + f));
    c.displacing = larger(c.displacing, double(std::sqrt(u * u + v * v + w * w) + f));
  }
  Velocity velocity;
  Speed speed;
  BlockLattice lattice;
  View<const std::uint8_t> tube;
};

} // namespace kernels

namespace detail {

using grid::Box;
using grid::Index3;

/// Device kernel that calls a function for all points of the listed tiles, in one launch.
template <class F> struct TileWalk {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Box &tile = tiles[i / edge[0]];
    const Index a = tile.lo[0] + i % edge[0], b = tile.lo[1] + j, c = tile.lo[2] + k;
    if (a < tile.hi[0] && b < tile.hi[1] && c < tile.hi[2]) f(a, b, c);
  }
  F f;
  const Box *tiles;
  Index3 edge;
};

/// Device kernel that accumulates Counts over rows of the listed tiles: index (0, t, r) is row r of
/// tile t.
template <class F> struct RowWalk {
  HFFT_HOST_DEVICE void operator()(Index, Index t, Index r) const {
    const Box &tile = tiles[t];
    const Index i = tile.lo[0] + r / edge[1], j = tile.lo[1] + r % edge[1];
    kernels::Counts c;
    if (i < tile.hi[0] && j < tile.hi[1]) kernels::count_row(f, i, j, tile.lo[2], tile.hi[2], c);
    counts[t * edge[0] * edge[1] + r] = c;
  }
  F f;
  const Box *tiles;
  Index3 edge;
  kernels::Counts *counts;
};

} // namespace detail

} // namespace hybridfft::levelset

#endif
