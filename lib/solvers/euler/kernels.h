/// Pointwise functions of the Euler solver: HLLC fluxes, Runge-Kutta stages, wave speeds,
/// refinement criterion and totals. Host threads and devices run the same functions; on the host
/// they process packs (SIMD vectors) of cells.
#pragma once

#include <cmath>
#include <type_traits>

#include "hybridfft/grid/block_view.hpp"
#include "hybridfft/grid/pack.hpp"

namespace hybridfft::euler::kernels {

using grid::BlockView;
using grid::Cell;
using grid::Index;
using grid::Index3;
using grid::pack::load;
using grid::pack::store;
#if !defined(__CUDACC__)
using grid::pack::VectorOf;
#endif

/// Calls work.points<V>(cell) for the packs V of a row of `count` cells. If several cells remain at
/// the end of the row, a last pack overlaps the one before, and the shared cells are computed
/// twice. If `work` changes its own input (`in_place`), the remaining cells are computed one by
/// one.
template <class V, bool in_place, class T, class Work>
HFFT_INLINE void along_row(const Work &work, Cell c, Index count, const T *) {
  constexpr Index lanes = sizeof(V) / sizeof(T);
  const Index end = c.k + count;
  for (; c.k + lanes <= end; c.k += lanes)
    work.template points<V>(c);
  if (!in_place && c.k + 1 < end && count >= lanes) {
    c.k = end - lanes;
    work.template points<V>(c);
    return;
  }
  for (; c.k < end; ++c.k)
    work.template points<T>(c);
}

#if defined(__CUDACC__)
#define HFFT_EULER_ROWS(T, in_place)
#else
#if defined(__x86_64__)
#define HFFT_EULER_WIDE_ROWS(T, in_place)                                                          \
  [[gnu::target("avx2")]] void row32(const Cell &c, Index count) const {                           \
    along_row<typename VectorOf<T, 32>::Type, in_place>(*this, c, count,                           \
                                                        static_cast<T *>(nullptr));                \
  }                                                                                                \
  [[gnu::target("avx512f")]] void row64(const Cell &c, Index count) const {                        \
    along_row<typename VectorOf<T, 64>::Type, in_place>(*this, c, count,                           \
                                                        static_cast<T *>(nullptr));                \
  }
#else
#define HFFT_EULER_WIDE_ROWS(T, in_place)                                                          \
  void row32(const Cell &c, Index count) const { row16(c, count); }                                \
  void row64(const Cell &c, Index count) const { row16(c, count); }
#endif
/// Defines the members that for_blocks() calls on the host. row() processes a row of cells in
/// vectors of `vector_bytes`.
#define HFFT_EULER_ROWS(T, in_place)                                                               \
  void row16(const Cell &c, Index count) const {                                                   \
    along_row<typename VectorOf<T, 16>::Type, in_place>(*this, c, count,                           \
                                                        static_cast<T *>(nullptr));                \
  }                                                                                                \
  HFFT_EULER_WIDE_ROWS(T, in_place)                                                                \
  void row(const Cell &c, Index count) const {                                                     \
    vector_bytes == 64 ? row64(c, count) : vector_bytes == 32 ? row32(c, count) : row16(c, count); \
  }
#endif

template <class V> HFFT_INLINE V smaller(V a, V b) { return a < b ? a : b; }
template <class V> HFFT_INLINE V larger(V a, V b) { return a > b ? a : b; }
template <class V, class T> HFFT_INLINE V magnitude(V a, T zero) { return a < zero ? -a : a; }

/// Square roots of the elements of a pack.
template <class V, class T> HFFT_INLINE V root(V x, T) {
  if constexpr (std::is_same_v<V, T>) {
    return std::sqrt(x);
  } else {
    V r;
    for (unsigned n = 0; n < sizeof(V) / sizeof(T); ++n)
      r[n] = std::sqrt(x[n]);
    return r;
  }
}

/// Tables of the hydrostatic pressure p0 and density rho0 along one axis.
template <class T> struct Base {
  const T *pressure = nullptr,
          *density = nullptr; ///< values in cells, see BaseTables; nullptr: no table
  const T *faces = nullptr;   ///< p0 at the faces of the finest cells
  Index level0 = 0;           ///< number of cells of level 0 along the axis
  Index cells = 0;            ///< cells of a block along an axis
  int axis = -1, max_level = 0;

  /// Number of a cell along the table's axis, among the cells of its level.
  HFFT_HOST_DEVICE Index number(const Cell &c) const {
    if (axis == 0) return c.place[0] * cells + c.i;
    return axis == 1 ? c.place[1] * cells + c.j : c.place[2] * cells + c.k;
  }
  /// Values of a table for a pack of cells, or 0 without a table. The index in the table is first +
  /// (number << shift).
  template <class V>
  HFFT_INLINE V values(const T *table, Index first, int shift, const Cell &c) const {
    if (table == nullptr) return V{};
    const Index at = number(c);
    if constexpr (std::is_same_v<V, T>) {
      return table[first + (at << shift)];
    } else {
      V v{};
      const Index step = axis == 2 ? 1 : 0;
      for (unsigned n = 0; n < sizeof(V) / sizeof(T); ++n)
        v[n] = table[first + ((at + n * step) << shift)];
      return v;
    }
  }
  /// Index of the first cell of a cell's level in the tables.
  HFFT_HOST_DEVICE Index first(const Cell &c) const { return level0 * ((Index{1} << c.level) - 1); }
  /// p() and rho() return p0 and rho0 in a pack of cells; face() returns p0 at their low faces.
  template <class V = T> HFFT_INLINE V p(const Cell &c) const {
    return values<V>(pressure, first(c), 0, c);
  }
  template <class V = T> HFFT_INLINE V rho(const Cell &c) const {
    return values<V>(density, first(c), 0, c);
  }
  template <class V = T> HFFT_INLINE V face(const Cell &c) const {
    return values<V>(faces, 0, max_level - c.level, c);
  }
};

/// Primitive variables of a pack of cells: rho, velocity and p - p0.
template <class V, int D> struct State {
  V q[D + 2];

  template <class T> HFFT_INLINE State(const T *u, Index stride, T gamma) {
    q[0] = load<V>(u);
    const V inverse = T(1) / q[0];
    V kinetic{};
    for (int v = 1; v <= D; ++v) {
      const V momentum = load<V>(u + v * stride);
      q[v] = momentum * inverse;
      kinetic += momentum * q[v];
    }
    q[D + 1] = (gamma - 1) * (load<V>(u + (D + 1) * stride) - T(0.5) * kinetic);
  }
};

/// Returns half of the limited slope from a cell towards a face: third-order reconstruction with
/// Koren's limiter.
/// \param near difference between the two cells at the opposite face
/// \param far  difference between the two cells at this face, in the same direction
template <bool Limited, class T, class V> HFFT_INLINE V toward(V near, V far) {
  const V sum = near + T(2) * far;
  if constexpr (!Limited) return sum * T(1. / 6);
  const V size = T(2) * smaller(magnitude(near, T(0)), magnitude(far, T(0)));
  const V half = T(0.5) * smaller(size, magnitude(sum * T(1. / 3), T(0)));
  const V none{};
  return near * far > T(0) ? (far < T(0) ? -half : half) : none;
}

/// Computes the fluxes through the low faces of cells along axis A: reconstruction from two cells
/// on each side, then the HLLC Riemann solver.
template <class T, int D, int A, bool Limited> struct Flux {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const { points<T>(c); }
  HFFT_EULER_ROWS(T, false)

  template <class V> HFFT_INLINE void points(const Cell &c) const {
    const T *const at = &u(c);
    const Index step = u.stride(A), stride = u.variable_stride();
    const State<V, D> a(at - 2 * step, stride, gamma), b(at - step, stride, gamma),
        d(at, stride, gamma), e(at + step, stride, gamma);
    V left[D + 2], right[D + 2];
    for (int v = 0; v < D + 2; ++v) {
      const V low = b.q[v] - a.q[v], middle = d.q[v] - b.q[v], high = e.q[v] - d.q[v];
      left[v] = b.q[v] + toward<Limited, T>(low, middle);
      right[v] = d.q[v] - toward<Limited, T>(high, middle);
    }
    hllc(left, right, A == base.axis ? base.template face<V>(c) : base.template p<V>(c), c);
  }

  template <class V>
  HFFT_INLINE void hllc(const V (&l)[D + 2], const V (&r)[D + 2], V p0, const Cell &c) const {
    constexpr int n = 3 - A; // index of the normal momentum
    const V pl = l[D + 1] + p0, pr = r[D + 1] + p0;
    const V al = root(gamma * pl / l[0], T(0)), ar = root(gamma * pr / r[0], T(0));
    const V sl = smaller(l[n] - al, r[n] - ar), sr = larger(l[n] + al, r[n] + ar);
    const V ml = l[0] * (sl - l[n]), mr = r[0] * (sr - r[n]);
    const V ss = (pr - pl + ml * l[n] - mr * r[n]) / (ml - mr);
    // w is the left or right state, on the upwind side of the contact wave. The flux is that of w,
    // or of the middle state on this side if the acoustic wave there runs against the flow.
    const V speed = sl > T(0) ? sl : sr < T(0) ? sr : ss; // its sign selects the state
    V w[D + 2], squares{};
    for (int v = 0; v < D + 2; ++v)
      w[v] = speed > T(0) ? l[v] : r[v];
    const V p = speed > T(0) ? pl : pr, s = speed > T(0) ? sl : sr;
    for (int v = 1; v <= D; ++v)
      squares += w[v] * w[v];
    const V energy = p * (T(1) / (gamma - 1)) + T(0.5) * w[0] * squares;
    const V shrink = (s - w[n]) / (s - ss), none{};
    const V added = sl > T(0)   ? none
                    : sr < T(0) ? none
                                : s; // the flux is flux(w) + added (middle state - w)
    T *const to = &flux(c);
    const Index stride = flux.variable_stride();
    store(to, w[0] * w[n] + added * (shrink * w[0] - w[0]));
    for (int v = 1; v <= D; ++v) {
      const V q = w[0] * w[v];
      if (v == n)
        store(to + v * stride, q * w[n] + (p - p0) + added * (shrink * w[0] * ss - q));
      else
        store(to + v * stride, q * w[n] + added * (shrink * q - q));
    }
    const V middle = shrink * (energy + (ss - w[n]) * (w[0] * ss + p / (s - w[n])));
    store(to + (D + 1) * stride, energy * w[n] + p * w[n] + added * (middle - energy));
  }

  BlockView<T> u, flux;
  Base<T> base;
  T gamma;
  int vector_bytes; ///< vector size of loops over rows
};

/// Performs a stage of the third-order strong-stability-preserving Runge-Kutta method on cells.
template <class T, int D> struct Stage {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const { points<T>(c); }
  HFFT_EULER_ROWS(T, true)

  template <class V> HFFT_INLINE void points(const Cell &c) const {
    const T by_h = static_cast<T>(Index{1} << c.level) / h0;
    T *const at = &u(c), *const kept = &old(c);
    const Index stride = u.variable_stride();
    V source[D + 2] = {};
    for (int x = 0; x < D; ++x)
      if (gravity[x] != 0) {
        source[1 + x] = (load<V>(at) - base.template rho<V>(c)) * gravity[x];
        source[D + 1] += load<V>(at + (1 + x) * stride) * gravity[x];
      }
    for (int v = 0; v < D + 2; ++v) {
      V rate = source[v];
      for (int a = 3 - D; a < 3; ++a) {
        const T *const f = &flux[a](c, v);
        rate -= (load<V>(f + flux[a].stride(a)) - load<V>(f)) * by_h;
      }
      const V now = load<V>(at + v * stride), next = now + dt * rate;
      if (number == 0) store(kept + v * stride, now);
      if (number == 0)
        store(at + v * stride, next);
      else if (number == 1)
        store(at + v * stride, T(0.75) * load<V>(kept + v * stride) + T(0.25) * next);
      else
        store(at + v * stride, T(1. / 3) * load<V>(kept + v * stride) + T(2. / 3) * next);
    }
  }

  BlockView<T> u, old;
  BlockView<T> flux[3];
  Base<T> base;
  T gravity[3];
  T h0, dt;
  int number; ///< stage: 0, 1 or 2
  int vector_bytes;
};

/// Largest wave speed, or the first cell with invalid density or pressure (not finite, or not above
/// 0).
struct Speed {
  double speed = 0;
  int level = -1; ///< level of the invalid cell; -1: none
  Index3 cell;    ///< index of the invalid cell among the cells of its level
  double rho = 0, p = 0;
};

/// Returns the wave speed of a cell: the sum of |v| + c over the axes, with the speed of sound c.
template <class T, int D> struct SpeedOf {
  HFFT_HOST_DEVICE Speed operator()(const Cell &c) const {
    const State<T, D> w(&u(c), u.variable_stride(), gamma);
    const T p = w.q[D + 1] + base.p(c);
    Speed found;
    if (!(w.q[0] > 0) || !(p > 0) || !(w.q[0] < HUGE_VAL) || !(p < HUGE_VAL)) {
      found.level = c.level;
      found.cell = {{c.place[0] * (D == 3 ? cells : 1) + c.i, c.place[1] * cells + c.j,
                     c.place[2] * cells + c.k}};
      found.rho = static_cast<double>(w.q[0]);
      found.p = static_cast<double>(p);
      return found;
    }
    T sum = 0;
    for (int v = 1; v <= D; ++v)
      sum += std::abs(w.q[v]);
    found.speed = static_cast<double>(sum + D * std::sqrt(gamma * p / w.q[0]));
    return found;
  }

  BlockView<T> u;
  Base<T> base;
  T gamma;
  Index cells;
};

/// Returns one of two Speeds: the one of an invalid cell (level >= 0) if there is one, else the
/// larger one.
struct Worst {
  HFFT_HOST_DEVICE Speed operator()(const Speed &a, const Speed &b) const {
    if (a.level >= 0) return a;
    if (b.level >= 0) return b;
    return a.speed > b.speed ? a : b;
  }
};

/// Refinement criterion of a cell: the largest difference of a variable to the lower neighbours
/// along the axes. At faces of a block it includes the differences at the ghosts beyond the face.
template <class T, int D> struct Jump {
  HFFT_HOST_DEVICE double operator()(const Cell &c) const {
    double largest = 0;
    for (int a = 3 - D; a < 3; ++a) {
      const Index at = a == 0 ? c.i : a == 1 ? c.j : c.k;
      const Index low = at == 0 ? -ghosts : -1, high = at == cells - 1 ? ghosts : 0;
      const Index step = u.stride(a);
      double before = value(&u(c) + low * step);
      for (Index d = low + 1; d <= high; ++d) {
        const double next = value(&u(c) + d * step);
        const double jump = std::abs(next - before);
        largest = jump > largest ? jump : largest;
        before = next;
      }
    }
    return largest;
  }
  HFFT_HOST_DEVICE double value(const T *at) const {
    if (by == 0) return static_cast<double>(*at);
    const State<T, D> w(at, u.variable_stride(), gamma);
    T chosen = w.q[1];
    for (int v = 2; v < D + 2; ++v) // kernels cannot index registers at run time
      if (v == by) chosen = w.q[v];
    return static_cast<double>(chosen);
  }

  BlockView<T> u;
  T gamma;
  Index cells, ghosts;
  int by; ///< index of the compared variable in the order rho, velocity components, p - p0
};

struct MaxOfTwo {
  HFFT_HOST_DEVICE double operator()(double a, double b) const { return a > b ? a : b; }
};

/// Integrals of mass, momentum and energy, in this order.
struct Totals {
  double values[5] = {0, 0, 0, 0, 0};
};

/// Returns the contribution of a cell to the totals.
template <class T, int D> struct TotalOf {
  HFFT_HOST_DEVICE Totals operator()(const Cell &c) const {
    Totals t;
    double volume = 1;
    for (int a = 0; a < D; ++a)
      volume *= h0 / static_cast<double>(Index{1} << c.level);
    for (int v = 0; v < D + 2; ++v)
      t.values[v] = static_cast<double>(u(c, v)) * volume;
    t.values[D + 1] += static_cast<double>(base.p(c)) / gamma1 * volume;
    return t;
  }

  BlockView<T> u;
  Base<T> base;
  double h0, gamma1; ///< h0: edge of the cells of level 0; gamma1: gamma - 1
};

struct Plus {
  HFFT_HOST_DEVICE Totals operator()(const Totals &a, const Totals &b) const {
    Totals sum;
    for (int v = 0; v < 5; ++v)
      sum.values[v] = a.values[v] + b.values[v];
    return sum;
  }
};

} // namespace hybridfft::euler::kernels
