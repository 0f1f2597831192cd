#include "solvers/levelset/files/surface.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/hdf5.h"
#include "solvers/levelset/files/input_file.h"

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
  // A cube crossed by the front has a corner in the tube T. The cube's first point is this corner
  // or a neighbour of it, and therefore in an active tile.
  for (const Box &tile : solver.active_tiles())
    for (Index i = tile.lo[0]; i < std::min(tile.hi[0], n[0] - 1); ++i)
      for (Index j = tile.lo[1]; j < std::min(tile.hi[1], n[1] - 1); ++j)
        for (Index k = tile.lo[2]; k < std::min(tile.hi[2], n[2] - 1); ++k)
          marching.cube(i, j, k);
  return marching.take();
}

template TriangleMesh surface_of(const Solver<float> &, const Array<float> &);
template TriangleMesh surface_of(const Solver<double> &, const Array<double> &);

namespace {

using Corner = std::array<float, 3>;
using Vector = std::array<double, 3>;

[[noreturn]] void refuse(const std::string &path, const std::string &found,
                         const std::string &expected) {
  throw Error(HFFT_ERROR_ARGUMENT,
              io::printable(path + ": found " + found + ", expected " + expected));
}

std::string text_of(const Corner &c) {
  return "(" + number_text(c[0]) + ", " + number_text(c[1]) + ", " + number_text(c[2]) + ")";
}

std::string bytes_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  if (!file) refuse(path, "no file that can be read", "an STL file");
  return all.str();
}

/// Bytes of a binary STL file's header and of each triangle.
constexpr std::size_t head = 84, record = 50;

/// Returns the corners of the triangles of a binary STL file, three per triangle.
std::vector<Corner> binary_corners(const std::string &bytes) {
  std::vector<Corner> corners;
  for (std::size_t at = head; at < bytes.size(); at += record)
    for (std::size_t c = 0; c < 3; ++c) {
      Corner corner;
      std::memcpy(corner.data(), bytes.data() + at + 12 * (c + 1), sizeof corner);
      corners.push_back(corner);
    }
  return corners;
}

/// Returns the corners of the triangles of a text STL file, three per triangle.
std::vector<Corner> text_corners(const std::string &path, const std::string &bytes) {
  std::vector<Corner> corners;
  std::istringstream words(bytes);
  for (std::string word; words >> word;) {
    if (word != "vertex") continue;
    Corner c{};
    for (float &x : c)
      if (!(words >> word) || std::sscanf(word.c_str(), "%f", &x) != 1)
        refuse(path, "'" + word + "' in vertex " + std::to_string(corners.size()), "three numbers");
    corners.push_back(c);
  }
  if (corners.size() % 3 != 0)
    refuse(path, std::to_string(corners.size()) + " vertices", "three for each triangle");
  return corners;
}

/// Reads a file as binary STL if its size matches its number of triangles, otherwise as text.
std::vector<Corner> corners_of(const std::string &path) {
  const std::string bytes = bytes_of(path);
  std::uint32_t count = 0;
  if (bytes.size() >= head) std::memcpy(&count, bytes.data() + head - 4, sizeof count);
  if (bytes.size() == head + record * std::size_t{count}) return binary_corners(bytes);
  if (bytes.starts_with("solid")) return text_corners(path, bytes);
  refuse(path, std::to_string(bytes.size()) + " bytes",
         bytes.size() < head ? "an STL file, with at least 84"
                             : std::to_string(head + record * std::size_t{count}) + " for its " +
                                   std::to_string(count) + " triangles");
}

/// Throws unless the surface is closed: adjacent triangles traverse each edge equally often in both
/// directions.
void require_closed(const std::string &path, const TriangleMesh &mesh) {
  using Edge = std::pair<std::int64_t, std::int64_t>;
  std::map<Edge, int> sides;
  for (const auto &t : mesh.triangles)
    for (const std::size_t c : {0U, 1U, 2U}) {
      const std::int64_t a = t[c], b = t[(c + 1) % 3];
      sides[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  for (std::size_t n = 0; n < mesh.triangles.size(); ++n)
    for (const std::size_t c : {0U, 1U, 2U}) {
      const std::int64_t a = mesh.triangles[n][c], b = mesh.triangles[n][(c + 1) % 3];
      if (sides[std::minmax(a, b)] != 0)
        refuse(path,
               "an open edge of triangle " + std::to_string(n) + ", from " +
                   text_of(mesh.points[static_cast<std::size_t>(a)]) + " to " +
                   text_of(mesh.points[static_cast<std::size_t>(b)]),
               "a closed surface: two triangles at each edge, once in each direction");
    }
}

Vector minus(const Vector &a, const Vector &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Returns the squared distance from p to the point a + s u + t v.
double square_to(const Vector &p, const Vector &a, const Vector &u, double s, const Vector &v,
                 double t) {
  double sum = 0;
  for (std::size_t x = 0; x < 3; ++x)
    sum += square(p[x] - (a[x] + s * u[x] + t * v[x]));
  return sum;
}

/// Returns the squared distance from p to the triangle a, b, c. Tests in turn if the nearest point
/// is a corner, on an edge, or inside (Voronoi regions of the triangle).
double square_distance(const Vector &p, const Vector &a, const Vector &b, const Vector &c) {
  const Vector u = minus(b, a), v = minus(c, a);
  const Vector pa = minus(p, a), pb = minus(p, b), pc = minus(p, c);
  const double d1 = dot(u, pa), d2 = dot(v, pa), d3 = dot(u, pb), d4 = dot(v, pb);
  const double d5 = dot(u, pc), d6 = dot(v, pc);
  if (d1 <= 0 && d2 <= 0) return square_to(p, a, u, 0, v, 0);
  if (d3 >= 0 && d4 <= d3) return square_to(p, a, u, 1, v, 0);
  if (d6 >= 0 && d5 <= d6) return square_to(p, a, u, 0, v, 1);
  const double area_c = d1 * d4 - d3 * d2;
  if (area_c <= 0 && d1 >= 0 && d3 <= 0) return square_to(p, a, u, d1 / (d1 - d3), v, 0);
  const double area_b = d5 * d2 - d1 * d6;
  if (area_b <= 0 && d2 >= 0 && d6 <= 0) return square_to(p, a, u, 0, v, d2 / (d2 - d6));
  const double area_a = d3 * d6 - d5 * d4;
  if (area_a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return square_to(p, a, u, 1 - w, v, w);
  }
  const double sum = area_a + area_b + area_c;
  return square_to(p, a, u, area_b / sum, v, area_c / sum);
}

/// True if (y, z) lies left of the line from a to b, seen along x. Swapped ends give the opposite
/// answer, also for points on the line. Such points count as displaced by (-e^2, e) in y and z, for
/// a small e.
bool left_of(const Vector &a, const Vector &b, double y, double z) {
  const bool turned = b[1] < a[1] || (b[1] == a[1] && b[2] < a[2]);
  const Vector &from = turned ? b : a, &to = turned ? a : b;
  const double side = (to[1] - from[1]) * (z - from[2]) - (to[2] - from[2]) * (y - from[1]);
  return (side >= 0) != turned;
}

/// Distances from the points of a box to a mesh, and crossings of the grid's rows along x with its
/// triangles.
template <class Real> class Distances {
public:
  Distances(const Problem &problem, double reach, const Box &box, const grid::View<Real> &phi)
      : p_(problem), reach_(reach), box_(box), phi_(phi),
        crossings_(static_cast<std::size_t>(box.extent(0) * box.extent(1))) {
    grid::parallel_for(grid::Host{1}, box_, [this](Index i, Index j, Index k) {
      phi_(i, j, k) = static_cast<Real>(reach_);
    });
  }

  /// Updates the distances near a triangle and records the rows that cross it.
  void add(const Vector &a, const Vector &b, const Vector &c) {
    const Box near = covered(a, b, c, reach_);
    for (Index i = near.lo[0]; i < near.hi[0]; ++i)
      for (Index j = near.lo[1]; j < near.hi[1]; ++j)
        for (Index k = near.lo[2]; k < near.hi[2]; ++k) {
          const double square = square_distance({at(0, k), at(1, j), at(2, i)}, a, b, c);
          phi_(i, j, k) = std::min(phi_(i, j, k), static_cast<Real>(std::sqrt(square)));
        }
    const Box rows = covered(a, b, c, 0);
    for (Index i = rows.lo[0]; i < rows.hi[0]; ++i)
      for (Index j = rows.lo[1]; j < rows.hi[1]; ++j)
        cross(a, b, c, i, j);
  }

  /// Negates phi at points with a nonzero winding number, the signed count of crossings along the
  /// row.
  void set_signs() {
    for (Index i = box_.lo[0]; i < box_.hi[0]; ++i)
      for (Index j = box_.lo[1]; j < box_.hi[1]; ++j) {
        auto &row = row_of(i, j);
        std::ranges::sort(row);
        int winding = 0;
        auto next = row.begin();
        for (Index k = box_.lo[2]; k < box_.hi[2]; ++k) {
          for (; next != row.end() && next->first < at(0, k); ++next)
            winding += next->second;
          if (winding != 0) phi_(i, j, k) = -phi_(i, j, k);
        }
      }
  }

private:
  double at(int axis, Index n) const {
    return p_.origin[static_cast<std::size_t>(axis)] + static_cast<double>(n) * p_.h;
  }

  /// Returns the points of the box within `reach` of the bounding box of a triangle.
  Box covered(const Vector &a, const Vector &b, const Vector &c, double reach) const {
    Box points = box_;
    for (int grid_axis = 0; grid_axis < 3; ++grid_axis) {
      const auto x = static_cast<std::size_t>(2 - grid_axis);
      const double low = std::min({a[x], b[x], c[x]}) - reach - p_.origin[x];
      const double high = std::max({a[x], b[x], c[x]}) + reach - p_.origin[x];
      const auto first = static_cast<double>(box_.lo[grid_axis]),
                 end = static_cast<double>(box_.hi[grid_axis]);
      points.lo[grid_axis] = static_cast<Index>(std::clamp(std::floor(low / p_.h), first, end));
      points.hi[grid_axis] = static_cast<Index>(std::clamp(std::ceil(high / p_.h) + 1, first, end));
    }
    return points;
  }

  /// Records the crossing of the row (i, j) with a triangle, if there is one.
  void cross(const Vector &a, const Vector &b, const Vector &c, Index i, Index j) {
    const double y = at(1, j), z = at(2, i);
    const bool left = left_of(a, b, y, z);
    if (left_of(b, c, y, z) != left || left_of(c, a, y, z) != left) return;
    const Vector u = minus(b, a), v = minus(c, a);
    const double area = u[1] * v[2] - u[2] * v[1];
    if (area == 0) return;
    const double s = ((y - a[1]) * v[2] - (z - a[2]) * v[1]) / area;
    const double t = ((z - a[2]) * u[1] - (y - a[1]) * u[2]) / area;
    row_of(i, j).emplace_back(a[0] + s * u[0] + t * v[0], left ? 1 : -1);
  }

  std::vector<std::pair<double, int>> &row_of(Index i, Index j) {
    return crossings_[static_cast<std::size_t>((i - box_.lo[0]) * box_.extent(1) + j - box_.lo[1])];
  }

  const Problem &p_;
  double reach_;
  Box box_;
  grid::View<Real> phi_;
  /// Crossings of each row with triangles: x and direction, 1 or -1.
  std::vector<std::vector<std::pair<double, int>>> crossings_;
};

} // namespace

TriangleMesh read_stl(const std::string &path) {
  const std::vector<Corner> corners = corners_of(path);
  TriangleMesh mesh;
  std::map<Corner, std::int64_t> numbers;
  for (std::size_t n = 0; n < corners.size(); n += 3) {
    std::array<std::int64_t, 3> t{};
    for (const std::size_t c : {0U, 1U, 2U}) {
      Corner corner = corners[n + c];
      for (float &x : corner) {
        if (!std::isfinite(x))
          refuse(path, number_text(x) + " in triangle " + std::to_string(n / 3), "finite numbers");
        x += 0.F; // turns -0 into 0, so that equal corners compare equal
      }
      const auto [place, is_new] =
          numbers.try_emplace(corner, static_cast<std::int64_t>(mesh.points.size()));
      if (is_new) mesh.points.push_back(corner);
      t[c] = place->second;
    }
    mesh.triangles.push_back(t);
  }
  if (mesh.triangles.empty()) refuse(path, "no triangles", "a closed surface");
  require_closed(path, mesh);
  return mesh;
}

template <class Real>
void set_signed_distance(const TriangleMesh &mesh, const Problem &problem, double reach,
                         const Box &box, const grid::View<Real> &phi) {
  if (box.empty()) return;
  Distances<Real> distances(problem, reach, box, phi);
  const auto point = [&](std::int64_t n) {
    const Corner &c = mesh.points[static_cast<std::size_t>(n)];
    return Vector{c[0], c[1], c[2]};
  };
  for (const auto &t : mesh.triangles)
    distances.add(point(t[0]), point(t[1]), point(t[2]));
  distances.set_signs();
}

template void set_signed_distance(const TriangleMesh &, const Problem &, double, const Box &,
                                  const grid::View<float> &);
template void set_signed_distance(const TriangleMesh &, const Problem &, double, const Box &,
                                  const grid::View<double> &);

} // namespace hybridfft::levelset
