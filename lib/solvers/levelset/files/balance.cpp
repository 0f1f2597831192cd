#include "solvers/levelset/files/balance.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>

#include "grid/neighbour_messages.h"

namespace hybridfft::levelset {

namespace {

/// Box of consecutive ranks during the bisection. At the end each part has one rank.
struct Part {
  Box box;
  int first = 0, ranks = 1;
};

/// Number of points of T in one plane of a part.
struct PlaneCount {
  std::int32_t part, axis;
  std::int64_t plane, points;
};

/// Numbers of points of T in the planes of one part: [axis][plane].
using Counts = std::array<std::vector<std::int64_t>, 3>;

/// Plane that divides a part in two.
struct Cut {
  int axis = -1; ///< -1: the part has one point and cannot be divided
  Index at = 0;  ///< first plane of the second half
};

/// Finds the cut for which the number of points below it is nearest to `wanted`. Returns the number
/// of planes below the cut.
/// \param counts   number of points in each plane
/// \param distance set to the difference between the number of points below the cut and `wanted`
Index nearest_plane(const std::vector<std::int64_t> &counts, double wanted, double &distance) {
  double below = 0;
  Index best = 1;
  distance = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n + 1 < counts.size(); ++n) {
    below += static_cast<double>(counts[n]);
    if (std::abs(below - wanted) < distance)
      distance = std::abs(below - wanted), best = static_cast<Index>(n) + 1;
  }
  return best;
}

/// Chooses the plane that divides a part. The longest axis is cut unless another axis gives more
/// equal halves. Extents along x count half, because long rows along x are fast.
Cut cut_of(const Part &part, const Counts &counts) {
  double total = 0;
  for (const std::int64_t n : counts[0])
    total += static_cast<double>(n);
  const Index lower_ranks = part.ranks / 2;
  const double share = static_cast<double>(lower_ranks) / static_cast<double>(part.ranks);
  std::array<int, 3> axes{0, 1, 2};
  std::ranges::stable_sort(axes, [&](int a, int b) {
    return part.box.extent(a) * (a == 2 ? 1 : 2) > part.box.extent(b) * (b == 2 ? 1 : 2);
  });
  Cut best;
  double least = std::numeric_limits<double>::infinity();
  for (const int axis : axes) {
    const Index extent = part.box.extent(axis);
    if (extent < 2) continue;
    if (total == 0)
      return {axis,
              part.box.lo[axis] +
                  std::max<Index>(1, static_cast<Index>(share * static_cast<double>(extent)))};
    double distance = 0;
    const Index at = nearest_plane(counts[static_cast<std::size_t>(axis)], share * total, distance);
    if (distance >= least) continue;
    least = distance;
    best = {axis, part.box.lo[axis] + at};
    if (distance <= 0.005 * total) break;
  }
  return best;
}

/// Divides a part and its ranks in two. Without a cut, the second part is empty.
std::pair<Part, Part> halves(const Part &part, const Cut &cut) {
  const int first = part.ranks / 2;
  Part a{part.box, part.first, first}, b{part.box, part.first + first, part.ranks - first};
  if (cut.axis < 0) {
    b.box = Box();
    return {a, b};
  }
  a.box.hi[cut.axis] = b.box.lo[cut.axis] = cut.at;
  return {a, b};
}

/// Counts the points of T on all ranks, in each plane of each part along each axis. Collective.
/// \param points  points of T on this rank
/// \param part_of number of the part of each point
std::vector<Counts> count_planes(const grid::Communicator &comm, const std::vector<Part> &parts,
                                 const std::vector<Index3> &points,
                                 const std::vector<std::size_t> &part_of) {
  std::vector<Counts> counts(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const int a : {0, 1, 2})
      counts[p][static_cast<std::size_t>(a)].assign(
          static_cast<std::size_t>(std::max<Index>(0, parts[p].box.extent(a))), 0);
  std::map<std::array<std::int64_t, 3>, std::int64_t> mine;
  for (std::size_t n = 0; n < points.size(); ++n)
    if (parts[part_of[n]].ranks > 1)
      for (const int a : {0, 1, 2})
        ++mine[{static_cast<std::int64_t>(part_of[n]), a, points[n][a]}];
  std::vector<PlaneCount> list;
  for (const auto &[where, count] : mine)
    list.push_back({static_cast<std::int32_t>(where[0]), static_cast<std::int32_t>(where[1]),
                    where[2], count});
  for (const PlaneCount &c : comm.gather_all(std::span<const PlaneCount>(list))) {
    const auto part = static_cast<std::size_t>(c.part), axis = static_cast<std::size_t>(c.axis);
    counts[part][axis][static_cast<std::size_t>(c.plane - parts[part].box.lo[c.axis])] += c.points;
  }
  return counts;
}

} // namespace

template <class Real>
std::vector<Box> balanced_boxes(const Solver<Real> &solver, const Array<Real> &phi) {
  const grid::Communicator &comm = solver.cartesian().communicator();
  std::vector<Index3> points;
  for_tube(solver, phi, [&](const Index3 &point) { points.push_back(point); });
  std::vector<std::size_t> part_of(points.size(), 0);
  std::vector<Part> parts{{solver.cartesian().domain(), 0, comm.size()}};
  const auto divisible = [](const Part &part) { return part.ranks > 1; };
  while (std::ranges::any_of(parts, divisible)) {
    const std::vector<Counts> counts = count_planes(comm, parts, points, part_of);
    std::vector<Part> next;
    std::vector<std::size_t> place; // number of each part's first child
    for (std::size_t p = 0; p < parts.size(); ++p) {
      place.push_back(next.size());
      if (!divisible(parts[p])) {
        next.push_back(parts[p]);
        continue;
      }
      const auto [a, b] = halves(parts[p], cut_of(parts[p], counts[p]));
      next.push_back(a);
      next.push_back(b);
    }
    for (std::size_t n = 0; n < points.size(); ++n) {
      const Index3 &p = points[n];
      const Box point(p, {{p[0] + 1, p[1] + 1, p[2] + 1}});
      const std::size_t child = place[part_of[n]];
      part_of[n] = child + (next[child].box.contains(point) ? 0 : 1);
    }
    parts = std::move(next);
  }
  std::vector<Box> boxes;
  for (const Part &part : parts)
    boxes.push_back(part.box.empty() ? Box() : part.box);
  return boxes;
}

std::vector<Index> planes_of_workers(const std::vector<std::int64_t> &points, int workers) {
  std::int64_t all = 0, load = 0;
  for (const std::int64_t n : points)
    all += n;
  const double mean = static_cast<double>(all) / workers;
  std::vector<Index> starts{0};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double now = static_cast<double>(load), next = static_cast<double>(load + points[i]);
    if (static_cast<int>(starts.size()) < workers && load > 0 &&
        std::abs(now - mean) <= std::abs(next - mean)) {
      starts.push_back(static_cast<Index>(i));
      load = 0;
    }
    load += points[i];
  }
  starts.resize(static_cast<std::size_t>(workers) + 1, static_cast<Index>(points.size()));
  return starts;
}

template <class Real>
std::vector<Box> plane_boxes(const Solver<Real> &solver, const Array<Real> &phi) {
  const grid::Communicator &comm = solver.cartesian().communicator();
  const Box all = solver.cartesian().domain();
  const auto planes = static_cast<std::size_t>(all.extent(2));
  std::vector<std::int64_t> mine(planes, 0), points(planes, 0);
  for_tube(solver, phi, [&](const Index3 &p) { ++mine[static_cast<std::size_t>(p[2])]; });
  const std::vector<std::int64_t> ranks = comm.gather_all(std::span<const std::int64_t>(mine));
  for (std::size_t n = 0; n < ranks.size(); ++n)
    points[n % planes] += ranks[n];
  const std::vector<Index> starts = planes_of_workers(points, comm.size());
  std::vector<Box> boxes;
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    Box box = all;
    box.lo[2] = starts[r];
    box.hi[2] = starts[r + 1];
    boxes.push_back(box.empty() ? Box() : box);
  }
  return boxes;
}

template <class Real>
void redistribute(const grid::Communicator &comm, const Array<Real> &from, Array<Real> &to) {
  const Box old_box = from.inner(), new_box = to.inner();
  const std::vector<Box> sources = comm.gather_all(std::span<const Box>(&old_box, 1)),
                         targets = comm.gather_all(std::span<const Box>(&new_box, 1));
  std::vector<grid::Traffic> traffic;
  const auto bytes = [](const Box &box) { return box.points() * static_cast<Index>(sizeof(Real)); };
  for (int r = 0; r < comm.size(); ++r) {
    const auto other = static_cast<std::size_t>(r);
    const grid::Traffic t{r, bytes(grid::intersection(old_box, targets[other])),
                          bytes(grid::intersection(sources[other], new_box))};
    if (r != comm.rank() && t.sent + t.received > 0) traffic.push_back(t);
  }
  grid::NeighbourMessages messages(comm, std::span<const std::vector<grid::Traffic>>(&traffic, 1),
                                   1);
  const grid::View<const Real> source = from.view();
  const grid::View<Real> target = to.view();
  const auto in_order = [](const Box &box, const auto &f) {
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          f(i, j, k);
  };
  const int out = messages.begin(0);
  for (std::size_t n = 0; n < traffic.size(); ++n) {
    auto *values = reinterpret_cast<Real *>(messages.outgoing(0, n, out));
    in_order(grid::intersection(old_box, targets[static_cast<std::size_t>(traffic[n].rank)]),
             [&](Index i, Index j, Index k) { *values++ = source(i, j, k); });
  }
  messages.start(0);
  in_order(grid::intersection(old_box, new_box),
           [&](Index i, Index j, Index k) { target(i, j, k) = source(i, j, k); });
  const int in = messages.finish(0);
  for (std::size_t n = 0; n < traffic.size(); ++n) {
    const auto *values = reinterpret_cast<const Real *>(messages.incoming(0, n, in));
    in_order(grid::intersection(sources[static_cast<std::size_t>(traffic[n].rank)], new_box),
             [&](Index i, Index j, Index k) { target(i, j, k) = *values++; });
  }
}

#define HFFT_BALANCE(Real)                                                                         \
  template std::vector<Box> balanced_boxes(const Solver<Real> &, const Array<Real> &);             \
  template std::vector<Box> plane_boxes(const Solver<Real> &, const Array<Real> &);                \
  template void redistribute(const grid::Communicator &, const Array<Real> &, Array<Real> &);
HFFT_BALANCE(float)
HFFT_BALANCE(double)
#undef HFFT_BALANCE

} // namespace hybridfft::levelset
