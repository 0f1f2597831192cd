/// Work on the points of blocks: fluxes, Runge-Kutta stages, speeds and totals. The same functions
/// run on threads of the host and on devices.
#pragma once

#include <cmath>

#include "hybridfft/grid/block_view.hpp"

namespace hybridfft::euler::kernels {

using grid::BlockView;
using grid::Cell;
using grid::Index;
using grid::Index3;

/// The hydrostatic pressure and density.
template <class T> struct Base {
  const T *pressure = nullptr, *density = nullptr; ///< in cells, see BaseTables; nullptr: none
  const T *faces = nullptr;                        ///< at the finest faces
  Index level0 = 0;                                ///< cells of level 0 along the axis
  Index cells = 0;                                 ///< cells of a block
  int axis = -1, max_level = 0;

  HFFT_HOST_DEVICE Index number(const Cell &c) const {
    const Index at = axis == 0 ? c.i : axis == 1 ? c.j : c.k;
    return c.place[axis] * cells + at;
  }
  HFFT_HOST_DEVICE T p(const Cell &c) const {
    return pressure == nullptr ? T(0) : pressure[level0 * ((Index{1} << c.level) - 1) + number(c)];
  }
  HFFT_HOST_DEVICE T rho(const Cell &c) const {
    return density == nullptr ? T(0) : density[level0 * ((Index{1} << c.level) - 1) + number(c)];
  }
  HFFT_HOST_DEVICE T face(const Cell &c) const {
    return faces == nullptr ? T(0) : faces[number(c) << (max_level - c.level)];
  }
};

/// rho, velocity and p - p0 of a cell.
template <class T, int D> struct State {
  T q[D + 2];

  HFFT_HOST_DEVICE State(const T *u, Index stride, T gamma) {
    q[0] = u[0];
    T kinetic = 0;
    for (int v = 1; v <= D; ++v) {
      const T momentum = u[v * stride];
      q[v] = momentum / q[0];
      kinetic += momentum * q[v];
    }
    q[D + 1] = (gamma - 1) * (u[(D + 1) * stride] - T(0.5) * kinetic);
  }
};

/// Half the slope from a cell towards a face; `far` is the difference on the face's side.
template <bool Limited, class T> HFFT_HOST_DEVICE T toward(T near, T far) {
  if constexpr (!Limited) return (near + 2 * far) / 6;
  const T third = std::abs((near + 2 * far) / 3);
  const T first = 2 * std::abs(near), second = 2 * std::abs(far);
  T least = first < second ? first : second;
  least = third < least ? third : least;
  const T half = T(0.5) * (far < 0 ? -least : least);
  return near * far > 0 ? half : T(0);
}

/// Fluxes through the faces along axis A, by the HLLC method.
template <class T, int D, int A, bool Limited> struct Flux {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    const T *const at = &u(c);
    const Index step = u.stride(A), stride = u.variable_stride();
    const State<T, D> a(at - 2 * step, stride, gamma), b(at - step, stride, gamma),
        d(at, stride, gamma), e(at + step, stride, gamma);
    T left[D + 2], right[D + 2];
    for (int v = 0; v < D + 2; ++v) {
      const T low = b.q[v] - a.q[v], middle = d.q[v] - b.q[v], high = e.q[v] - d.q[v];
      left[v] = b.q[v] + toward<Limited>(low, middle);
      right[v] = d.q[v] - toward<Limited>(high, middle);
    }
    const T p0 = A == base.axis ? base.face(c) : base.p(c);
    hllc(left, right, p0, c);
  }

  HFFT_HOST_DEVICE void hllc(const T (&l)[D + 2], const T (&r)[D + 2], T p0, const Cell &c) const {
    constexpr int n = 3 - A; // the normal momentum
    const T pl = l[D + 1] + p0, pr = r[D + 1] + p0;
    const T al = std::sqrt(gamma * pl / l[0]), ar = std::sqrt(gamma * pr / r[0]);
    const T low_l = l[n] - al, low_r = r[n] - ar, high_l = l[n] + al, high_r = r[n] + ar;
    const T sl = low_l < low_r ? low_l : low_r, sr = high_l > high_r ? high_l : high_r;
    const T ml = l[0] * (sl - l[n]), mr = r[0] * (sr - r[n]);
    const T ss = (pr - pl + ml * l[n] - mr * r[n]) / (ml - mr);
    const bool from_left = sl > 0 || (!(sr < 0) && ss > 0), plain = sl > 0 || sr < 0;
    T w[D + 2];
    for (int v = 0; v < D + 2; ++v)
      w[v] = from_left ? l[v] : r[v];
    const T p = from_left ? pl : pr, s = from_left ? sl : sr;
    T squares = 0;
    for (int v = 1; v <= D; ++v)
      squares += w[v] * w[v];
    const T energy = p / (gamma - 1) + T(0.5) * w[0] * squares;
    const T shrink = (s - w[n]) / (s - ss);
    for (int v = 0; v < D + 2; ++v) {
      const T q = v == 0 ? w[0] : v <= D ? w[0] * w[v] : energy;
      T f = q * w[n];
      if (v == n) f += p - p0;
      if (v == D + 1) f += p * w[n];
      T m = shrink * q;
      if (v == n) m = shrink * w[0] * ss;
      if (v == D + 1) m = shrink * (energy + (ss - w[n]) * (w[0] * ss + p / (s - w[n])));
      flux(c, v) = plain ? f : f + s * (m - q);
    }
  }

  BlockView<T> u, flux;
  Base<T> base;
  T gamma;
};

/// A stage of the Runge-Kutta method of third order.
template <class T, int D> struct Stage {
  HFFT_HOST_DEVICE void operator()(const Cell &c) const {
    const T h = h0 / static_cast<T>(Index{1} << c.level);
    T source[D + 2] = {};
    for (int x = 0; x < D; ++x)
      if (gravity[x] != 0) {
        source[1 + x] = (u(c) - base.rho(c)) * gravity[x];
        source[D + 1] += u(c, 1 + x) * gravity[x];
      }
    for (int v = 0; v < D + 2; ++v) {
      T rate = source[v];
      if constexpr (D == 3) rate -= (flux[0](c, v, 1, 0, 0) - flux[0](c, v)) / h;
      rate -= (flux[1](c, v, 0, 1, 0) - flux[1](c, v)) / h;
      rate -= (flux[2](c, v, 0, 0, 1) - flux[2](c, v)) / h;
      const T now = u(c, v), next = now + dt * rate;
      if (number == 0) {
        old(c, v) = now;
        u(c, v) = next;
      } else if (number == 1) {
        u(c, v) = T(0.75) * old(c, v) + T(0.25) * next;
      } else {
        u(c, v) = old(c, v) / 3 + T(2) / T(3) * next;
      }
    }
  }

  BlockView<T> u, old;
  BlockView<T> flux[3];
  Base<T> base;
  T gravity[3];
  T h0, dt;
  int number; ///< 0, 1, 2
};

/// The largest speed, or the first cell whose density or pressure is not positive.
struct Speed {
  double speed = 0;
  int level = -1; ///< of that cell; -1: none
  Index3 cell;    ///< in cells of its level
  double rho = 0, p = 0;
};

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

struct Worst {
  HFFT_HOST_DEVICE Speed operator()(const Speed &a, const Speed &b) const {
    if (a.level >= 0) return a;
    if (b.level >= 0) return b;
    return a.speed > b.speed ? a : b;
  }
};

/// The largest difference between a cell and its neighbours along the axes, and between ghosts
/// beyond faces.
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
    return static_cast<double>(State<T, D>(at, u.variable_stride(), gamma).q[by]);
  }

  BlockView<T> u;
  T gamma;
  Index cells, ghosts;
  int by; ///< number of the variable
};

struct MaxOfTwo {
  HFFT_HOST_DEVICE double operator()(double a, double b) const { return a > b ? a : b; }
};

/// Integrals of mass, momentum and energy.
struct Totals {
  double values[5] = {0, 0, 0, 0, 0};
};

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
  double h0, gamma1; ///< gamma - 1
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
