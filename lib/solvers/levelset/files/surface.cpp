#include "solvers/levelset/files/surface.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hybridfft::levelset {

namespace {

/// Corners of the six tetrahedra of a cube. Bits 0, 1 and 2 of a corner's number are its offsets
/// along x, y and z. Each row is a path along edges from corner 0 to corner 7.
constexpr int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                  {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

/// Marching tetrahedra on one rank. Vertices on shared edges are stored once.
template <class Real> class Marching {
public:
  Marching(const Solver<Real> &solver, const Array<Real> &phi)
      : solver_(solver), phi_(phi.view()) {}

  /// Adds the triangles of the cube with the first point (i, j, k).
  void cube(Index i, Index j, Index k) {
    Index3 corner[8];
    double value[8];
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
      corner[c] = {{i + (c >> 2), j + (c >> 1 & 1), k + (c & 1)}};
      value[c] = static_cast<double>(phi_(corner[c][0], corner[c][1], corner[c][2]));
      inside += value[c] < 0 ? 1 : 0;
    }
    if (inside == 0 || inside == 8) return;
    for (const auto &t : tetrahedra) {
      const Index3 at[4] = {corner[t[0]], corner[t[1]], corner[t[2]], corner[t[3]]};
      const double v[4] = {value[t[0]], value[t[1]], value[t[2]], value[t[3]]};
      tetrahedron(at, v);
    }
  }

  TriangleMesh take() { return std::move(surface_); }

private:
  /// Adds the triangles of a tetrahedron: one if one or three corners are inside, two if two are.
  void tetrahedron(const Index3 *at, const double *v) {
    int order[4] = {0, 1, 2, 3}, inside = 0;
    std::stable_partition(order, order + 4, [&](int c) { return v[c] < 0; });
    for (int c = 0; c < 4; ++c)
      inside += v[c] < 0 ? 1 : 0;
    const auto between = [&](int a, int b) {
      return crossing(at[order[a]], v[order[a]], at[order[b]], v[order[b]]);
    };
    const Index3 &in = at[order[0]], &out = at[order[3]];
    if (inside == 1) add(between(0, 1), between(0, 2), between(0, 3), in, at[order[1]]);
    if (inside == 3) add(between(0, 3), between(1, 3), between(2, 3), in, out);
    if (inside != 2) return;
    const std::int64_t a = between(0, 2), b = between(0, 3), c = between(1, 3), d = between(1, 2);
    add(a, b, c, in, out);
    add(a, c, d, in, out);
  }

  /// Returns the number of the vertex on the edge between two grid points, by linear interpolation
  /// of phi = 0. Adds the vertex if it is new.
  std::int64_t crossing(Index3 a, double va, Index3 b, double vb) {
    const Index3 &n = solver_.problem().points;
    Index na = (a[0] * n[1] + a[1]) * n[2] + a[2], nb = (b[0] * n[1] + b[1]) * n[2] + b[2];
    if (na > nb) std::swap(a, b), std::swap(va, vb), std::swap(na, nb);
    int bits = 0; // direction from a to b; each component is 0 or 1
    for (int axis = 0; axis < 3; ++axis)
      bits = 2 * bits + static_cast<int>(b[axis] - a[axis]);
    const auto next = static_cast<std::int64_t>(surface_.points.size());
    const auto [place, is_new] = numbers_.try_emplace(na * 8 + bits, next);
    if (is_new) {
      const Problem &p = solver_.problem();
      const double share = va / (va - vb);
      std::array<float, 3> x{};
      for (const std::size_t axis : {0U, 1U, 2U}) {
        const int i = 2 - static_cast<int>(axis);
        x[axis] =
            static_cast<float>(p.origin[axis] + p.h * (static_cast<double>(a[i]) +
                                                       share * static_cast<double>(b[i] - a[i])));
      }
      surface_.points.push_back(x);
    }
    return place->second;
  }

  /// Adds a triangle, oriented so that its normal points from `in` to `out`.
  void add(std::int64_t a, std::int64_t b, std::int64_t c, const Index3 &in, const Index3 &out) {
    const auto point = [&](std::int64_t n) { return surface_.points[static_cast<std::size_t>(n)]; };
    const auto p = point(a), q = point(b), r = point(c);
    double u[3], w[3];
    for (const std::size_t x : {0U, 1U, 2U}) {
      u[x] = double(q[x]) - double(p[x]);
      w[x] = double(r[x]) - double(p[x]);
    }
    double along = 0;
    for (int x = 0; x < 3; ++x)
      along += (u[(x + 1) % 3] * w[(x + 2) % 3] - u[(x + 2) % 3] * w[(x + 1) % 3]) *
               static_cast<double>(out[2 - x] - in[2 - x]);
    if (along < 0) std::swap(b, c);
    surface_.triangles.push_back({a, b, c});
  }

  const Solver<Real> &solver_;
  grid::View<const Real> phi_;
  TriangleMesh surface_;
  std::unordered_map<std::int64_t, std::int64_t>
      numbers_; ///< number of each vertex, by the edge of the grid it lies on
};

} // namespace

template <class Real> TriangleMesh surface_of(const Solver<Real> &solver, const Array<Real> &phi) {
  Marching<Real> marching(solver, phi);
  const Index3 &n = solver.problem().points;
  // A cube crossed by the front has a corner in T. Its first point is a neighbour, therefore in N
  // and an active tile.
  for (const Box &tile : solver.active_tiles())
    for (Index i = tile.lo[0]; i < std::min(tile.hi[0], n[0] - 1); ++i)
      for (Index j = tile.lo[1]; j < std::min(tile.hi[1], n[1] - 1); ++j)
        for (Index k = tile.lo[2]; k < std::min(tile.hi[2], n[2] - 1); ++k)
          marching.cube(i, j, k);
  return marching.take();
}

template TriangleMesh surface_of(const Solver<float> &, const Array<float> &);
template TriangleMesh surface_of(const Solver<double> &, const Array<double> &);

} // namespace hybridfft::levelset
