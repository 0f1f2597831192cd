#include "support/view/marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "support/view/grid.h"

namespace hybridfft::tools::view {

namespace {

constexpr std::size_t most_materials = 12;

/// The two axes of a plane across `axis`, left to right and bottom to top.
std::pair<std::size_t, std::size_t> sides_of(std::size_t axis) {
  return {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
}

/// Line y = `at` from `low` to `high`, or x = `at`.
io::Segment line(bool upright, double at, double low, double high) {
  return upright ? io::Segment{at, low, at, high} : io::Segment{low, at, high, at};
}

/// The range of a side between the layers of the PML; the ends of the side where it has none.
struct Inner {
  double low, high;
  bool has_low, has_high;
};

Inner inner_range(const Side &side, std::size_t size, std::size_t pml, bool outer_only) {
  const double first = side.grid_point(-0.5);
  const double last = side.grid_point(static_cast<double>(side.points) - 0.5);
  const double high = static_cast<double>(size - std::min(pml, size)) - 0.5;
  const double low = outer_only ? -high : static_cast<double>(pml) - 0.5;
  const bool any = pml > 0 && size > 1;
  const bool has_low = any && low > first && low < last;
  const bool has_high = any && high > first && high < last;
  return {has_low ? low : first, has_high ? high : last, has_low, has_high};
}

std::vector<io::Segment> pml_edges(const Plane &plane, const Simulation &s) {
  const auto [across, up] = sides_of(plane.axis);
  const Inner x = inner_range(plane.across, (*s.sizes)[across], s.pml[across], false);
  const Inner y = inner_range(plane.up, (*s.sizes)[up], s.pml[up], s.axisymmetric && up == 1);
  std::vector<io::Segment> lines;
  if (x.has_low) lines.push_back(line(true, x.low, y.low, y.high));
  if (x.has_high) lines.push_back(line(true, x.high, y.low, y.high));
  if (y.has_low) lines.push_back(line(false, y.low, x.low, x.high));
  if (y.has_high) lines.push_back(line(false, y.high, x.low, x.high));
  return lines;
}

/// Lines from each point to its neighbours, so that a row of points is drawn as a line.
std::vector<io::Segment> joined(const std::set<std::pair<std::size_t, std::size_t>> &points) {
  std::vector<io::Segment> lines;
  constexpr std::array<std::pair<std::size_t, std::size_t>, 5> ways{
      {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, std::size_t(-1)}}};
  for (const auto &[x, y] : points)
    for (const auto &[right, up] : ways)
      if (points.contains({x + right, y + up}))
        lines.push_back({static_cast<double>(x), static_cast<double>(y),
                         static_cast<double>(x + right), static_cast<double>(y + up)});
  return lines;
}

/// The points of a list of 1-based indices that lie in the plane.
void add_points(const io::File &file, const char *dataset, const Plane &plane, const Triple &sizes,
                std::set<std::pair<std::size_t, std::size_t>> &points) {
  if (!file.exists(dataset)) return;
  const auto [across, up] = sides_of(plane.axis);
  for (const std::uint64_t index : file.read_all<std::uint64_t>(dataset)) {
    if (index == 0) continue;
    const std::uint64_t offset = index - 1;
    const Triple p{offset % sizes[0], offset / sizes[0] % sizes[1], offset / sizes[0] / sizes[1]};
    if (p[plane.axis] == plane.slice) points.insert({p[across], p[up]});
  }
}

std::vector<int> materials(const std::vector<float> &c0,
                           const std::optional<std::vector<float>> &rho0) {
  std::map<std::pair<float, float>, int> known;
  std::vector<int> labels(c0.size());
  for (std::size_t n = 0; n < c0.size(); ++n) {
    const std::pair material(c0[n], rho0 ? (*rho0)[n] : 0.F);
    labels[n] = known.try_emplace(material, static_cast<int>(known.size())).first->second;
    if (known.size() > most_materials) return {};
  }
  return labels;
}

std::vector<io::Segment> medium_borders(const io::File &file, const Plane &plane,
                                        const Triple &sizes) {
  const auto speeds = read_grid_plane(file, "c0", sizes, plane.axis, plane.slice);
  if (!speeds) return {};
  const std::size_t columns = sizes[sides_of(plane.axis).first];
  const std::vector<int> labels =
      materials(*speeds, read_grid_plane(file, "rho0", sizes, plane.axis, plane.slice));
  if (!labels.empty()) return borders(labels, columns);
  const auto [least, most] = std::minmax_element(speeds->begin(), speeds->end());
  return contour(*speeds, columns, 0.5F * (*least + *most));
}

/// (1 2 1) / 4 along both axes; ends have themselves as neighbours.
std::vector<float> blurred(const std::vector<float> &field, std::size_t columns) {
  const std::size_t rows = field.size() / columns;
  const auto pass = [](const std::vector<float> &in, std::size_t lines, std::size_t length,
                       std::size_t next_line, std::size_t next) {
    std::vector<float> out(in.size());
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t i = 0; i < length; ++i) {
        const float *value = &in[l * next_line + i * next];
        const float before = i > 0 ? *(value - next) : *value;
        const float after = i + 1 < length ? *(value + next) : *value;
        out[l * next_line + i * next] = 0.25F * (before + 2.F * *value + after);
      }
    return out;
  };
  return pass(pass(field, rows, columns, columns, 1), columns, rows, 1, columns);
}

/// The position of the level between two values, 0..1.
double crossing(float a, float b, float level) {
  return std::clamp(static_cast<double>((level - a) / (b - a)), 0., 1.);
}

} // namespace

std::vector<io::Segment> contour(const std::vector<float> &field, std::size_t columns,
                                 float level) {
  std::vector<io::Segment> lines;
  const std::size_t rows = columns > 0 ? field.size() / columns : 0;
  for (std::size_t j = 0; j + 1 < rows; ++j)
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      // The corners of a cell, and the points where its sides cross the level, counterclockwise.
      const std::array<float, 4> v{field[j * columns + i], field[j * columns + i + 1],
                                   field[(j + 1) * columns + i + 1], field[(j + 1) * columns + i]};
      const auto x = static_cast<double>(i);
      const auto y = static_cast<double>(j);
      std::array<std::pair<double, double>, 4> at;
      std::size_t n = 0;
      for (std::size_t side = 0; side < 4; ++side) {
        const float a = v[side];
        const float b = v[(side + 1) % 4];
        if ((a >= level) == (b >= level)) continue;
        const double t = crossing(a, b, level);
        const std::array<std::pair<double, double>, 4> points{
            {{x + t, y}, {x + 1., y + t}, {x + 1. - t, y + 1.}, {x, y + 1. - t}}};
        at[n++] = points[side];
      }
      const bool middle = 0.25F * (v[0] + v[1] + v[2] + v[3]) >= level;
      // At a saddle, the corners on the other side than the middle are cut off.
      const std::size_t start = n == 4 && middle == (v[0] >= level) ? 0 : 1;
      if (n == 2) lines.push_back({at[0].first, at[0].second, at[1].first, at[1].second});
      for (std::size_t k = 0; n == 4 && k < 4; k += 2) {
        const auto &p = at[(start + k) % 4];
        const auto &q = at[(start + k + 1) % 4];
        lines.push_back({p.first, p.second, q.first, q.second});
      }
    }
  return lines;
}

/// By how much an area is ahead at points of its own that are lost when shares are smoothed, those
/// of layers one point thick.
constexpr float thin = 0.1F;

std::vector<io::Segment> borders(const std::vector<int> &labels, std::size_t columns) {
  if (labels.empty()) return {};
  const int count = 1 + *std::max_element(labels.begin(), labels.end());
  std::vector<std::vector<float>> shares;
  for (int label = 0; label < count; ++label) {
    std::vector<float> share(labels.size());
    std::transform(labels.begin(), labels.end(), share.begin(),
                   [label](int l) { return l == label ? 1.F : 0.F; });
    shares.push_back(blurred(blurred(share, columns), columns));
  }
  // An area ends where another one has the larger share; two neighbours see the same line, which
  // the one of the smaller label draws.
  std::vector<io::Segment> lines;
  for (std::size_t label = 0; label + 1 < shares.size(); ++label) {
    std::vector<float> lead(labels.size());
    for (std::size_t n = 0; n < lead.size(); ++n) {
      float best = 0.F;
      for (std::size_t other = 0; other < shares.size(); ++other)
        if (other != label) best = std::max(best, shares[other][n]);
      const bool mine = labels[n] == static_cast<int>(label);
      lead[n] = shares[label][n] - best;
      if (mine != (lead[n] > 0.F)) lead[n] = mine ? thin : -thin;
    }
    const std::vector<io::Segment> more = contour(lead, columns, 0.F);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

std::vector<Mark> find_marks(const io::File &file, const io::File &other, const Plane &plane,
                             const std::string &dataset) {
  const Simulation simulation = read_simulation(file, other);
  std::vector<Mark> marks;
  if (!simulation.sizes || !plane.placed || plane.slice >= (*simulation.sizes)[plane.axis])
    return marks;
  const Triple &sizes = *simulation.sizes;
  const auto add = [&](Mark::Kind kind, const char *name, std::vector<io::Segment> lines) {
    if (!lines.empty()) marks.push_back({kind, name, std::move(lines)});
  };
  const io::File &input = other.exists("c0") || other.exists("p_source_flag") ? other : file;
  const bool medium = dataset == "c0" || dataset.starts_with("rho0");
  if (!medium) add(Mark::Kind::medium, "border of materials", medium_borders(input, plane, sizes));
  std::set<std::pair<std::size_t, std::size_t>> points;
  add_points(input, "p_source_index", plane, sizes, points);
  add_points(input, "u_source_index", plane, sizes, points);
  add(Mark::Kind::source, "source", joined(points));
  if (dataset != "p0_source_input")
    if (const auto p0 = read_grid_plane(input, "p0_source_input", sizes, plane.axis, plane.slice))
      if (const float most = *std::max_element(p0->begin(), p0->end()); most > 0.F)
        add(Mark::Kind::medium, "half the initial pressure",
            contour(*p0, sizes[sides_of(plane.axis).first], 0.5F * most));
  add(Mark::Kind::pml, "edge of the PML", pml_edges(plane, simulation));
  if (plane.up.first < 0) // mirrored; the PML's edges are so already
    for (Mark &mark : marks)
      for (std::size_t n = mark.kind == Mark::Kind::pml ? 0 : mark.lines.size(); n-- > 0;) {
        const io::Segment l = mark.lines[n];
        mark.lines.push_back({l.x0, -l.y0, l.x1, -l.y1});
      }
  return marks;
}

} // namespace hybridfft::tools::view
