// Chooses the partition of a grid and the owners of its blocks. Estimates use a measured latency
// and bandwidth of the network; ranks of a node get adjacent blocks.
#include "hybridfft/grid/choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/mpi.h"
#include "exchange/communicator.h"

namespace hybridfft::grid {

namespace {

std::string in_words(const Index3 &n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

/// Measures `count` exchanges: rank r sends `bytes` bytes to rank r + size / 2 (modulo the size).
/// Returns the seconds of one exchange on the slowest rank in the fastest of several rounds. `own`
/// is a duplicate of `comm` for these messages.
double exchanged(const Communicator &comm, MPI_Comm own, std::size_t bytes, int count) {
  constexpr int rounds = 5;
  const int distance = comm.size() / 2;
  const int to = (comm.rank() + distance) % comm.size();
  const int from = (comm.rank() - distance + comm.size()) % comm.size();
  std::vector<char> sent(bytes + 1), received(bytes + 1);
  double least = 0;
  for (int round = 0; round <= rounds; ++round) {
    mpi::check(MPI_Barrier(own), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    for (int n = 0; n < count; ++n)
      mpi::check(MPI_Sendrecv(sent.data(), static_cast<int>(bytes), MPI_BYTE, to, 0,
                              received.data(), static_cast<int>(bytes), MPI_BYTE, from, 0, own,
                              MPI_STATUS_IGNORE),
                 "MPI_Sendrecv");
    seconds = comm.max(seconds + MPI_Wtime()) / count;
    // The first round is a warm-up.
    if (round == 1 || (round > 1 && seconds < least)) least = seconds;
  }
  return least;
}

} // namespace

Network measure(const Communicator &comm) {
  if (comm.size() == 1) return {};
  constexpr std::size_t large = std::size_t{1} << 20;
  const auto own = exchange::acquire(comm.handle());
  const double latency = exchanged(comm, own->get(), 0, 10);
  const double seconds = exchanged(comm, own->get(), large, 2);
  return {latency, std::max(seconds - latency, 0.0) / static_cast<double>(large)};
}

std::vector<Index3> possible_parts(Index blocks, const Index3 &extents) {
  std::vector<Index3> all;
  for (Index p2 = 1; p2 <= std::min(blocks, extents[2]); ++p2) {
    if (blocks % p2 != 0) continue;
    const Index rest = blocks / p2;
    for (Index p1 = 1; p1 <= std::min(rest, extents[1]); ++p1)
      if (rest % p1 == 0 && rest / p1 <= extents[0]) all.push_back({{rest / p1, p1, p2}});
  }
  return all;
}

Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                      const std::function<double(const Index3 &)> &seconds) {
  const std::vector<Index3> all = possible_parts(blocks, extents);
  std::vector<double> costs(all.size());
  comm.agree([&] { std::transform(all.begin(), all.end(), costs.begin(), seconds); });
  constexpr double none = std::numeric_limits<double>::infinity();
  double least = none;
  Index3 best;
  for (std::size_t n = 0; n < all.size(); ++n) {
    // The maximum of MPI is undefined for NaN, so NaN counts as infinity.
    const double cost = comm.max(std::isnan(costs[n]) ? none : costs[n]);
    if (cost >= least) continue;
    least = cost;
    best = all[n];
  }
  if (least == none)
    throw Error(HFFT_ERROR_ARGUMENT,
                "a grid of " + in_words(extents) + " points cannot be cut into " +
                    std::to_string(blocks) +
                    (all.empty() ? " blocks, expected a number of blocks whose factors are at most "
                                   "the numbers of points"
                                 : " blocks that are allowed: all " + std::to_string(all.size()) +
                                       " ways have been given an infinite cost"));
  return best;
}

double exchange_seconds(const Network &network, const Index3 &extents, const Index3 &parts,
                        const Widths &widths, double bytes_per_point) {
  Index3 block;
  for (int a = 0; a < 3; ++a) {
    if (parts[a] < 1 || parts[a] > extents[a])
      throw Error(HFFT_ERROR_ARGUMENT, "a grid of " + in_words(extents) +
                                           " points cannot be cut into " + in_words(parts) +
                                           " blocks");
    block[a] = (extents[a] + parts[a] - 1) / parts[a];
  }
  double seconds = 0;
  for (int a = 0; a < 3; ++a) {
    if (parts[a] == 1) continue;
    const Index width = widths.below[a] + widths.above[a];
    // Messages along later axes include ghosts filled along earlier axes.
    const Index face = block[0] * block[1] * block[2] / block[a];
    seconds += 2 * network.latency +
               network.per_byte * bytes_per_point * static_cast<double>(width * face);
    block[a] += width;
  }
  return seconds;
}

namespace {

Index product(const Index3 &n) { return n[0] * n[1] * n[2]; }

/// Returns the position of a block in row-major order.
Index3 position(Index block, const Index3 &parts) {
  return {{block / (parts[1] * parts[2]), block / parts[2] % parts[1], block % parts[2]}};
}

Index3 parts_of(const Cuts &cuts) {
  Index3 parts;
  for (int a = 0; a < 3; ++a)
    parts[a] = static_cast<Index>(cuts[static_cast<std::size_t>(a)].size());
  return parts;
}

/// Factorises `ranks` into a number of ranks along each axis that divides the axis's number of
/// blocks. The first axis gets the largest possible factor.
Index3 rank_grid(const Index3 &parts, Index ranks) {
  Index3 grid{{1, 1, 1}};
  Index left = ranks;
  for (int a = 0; a < 3; ++a) {
    grid[a] = std::gcd(parts[a], left);
    left /= grid[a];
  }
  if (left != 1)
    throw Error(HFFT_ERROR_ARGUMENT, std::to_string(product(parts)) + " blocks on " +
                                         std::to_string(ranks) +
                                         " ranks, expected a multiple of the number of ranks");
  return grid;
}

/// Returns the number of points on faces between nodes, if each node has `box` ranks of a periodic
/// grid of ranks.
Index points_between(const Index3 &extents, const Index3 &ranks, const Index3 &box) {
  Index points = 0;
  for (int a = 0; a < 3; ++a)
    if (const Index boxes = ranks[a] / box[a]; boxes > 1)
      points += boxes * (product(extents) / extents[a]);
  return points;
}

/// Returns the box of `count` ranks with the fewest points on faces between boxes. Of equal boxes,
/// it returns the one with the shortest edges.
Index3 best_box(const Index3 &extents, const Index3 &ranks, Index count) {
  Index3 best;
  std::array<Index, 2> least{};
  for (const Index3 &box : possible_parts(count, ranks)) {
    if (ranks[0] % box[0] != 0 || ranks[1] % box[1] != 0 || ranks[2] % box[2] != 0) continue;
    const std::array cost{points_between(extents, ranks, box), box[0] + box[1] + box[2]};
    if (product(best) != 0 && cost >= least) continue;
    least = cost;
    best = box;
  }
  return best;
}

/// Returns the greatest common divisor of the nodes' numbers of ranks.
Index ranks_together(std::span<const int> nodes) {
  Index together = 0;
  for (const int node : nodes)
    together = std::gcd(together, std::count(nodes.begin(), nodes.end(), node));
  return together;
}

} // namespace

std::vector<int> owners_by_node(const Cuts &cuts, std::span<const int> nodes) {
  const Index3 parts = parts_of(cuts);
  const Index3 ranks = rank_grid(parts, static_cast<Index>(nodes.size()));
  Index3 extents, boxes;
  for (int a = 0; a < 3; ++a) {
    const std::vector<Index> &sizes = cuts[static_cast<std::size_t>(a)];
    extents[a] = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  }
  const Index3 box = best_box(extents, ranks, ranks_together(nodes));
  for (int a = 0; a < 3; ++a)
    boxes[a] = ranks[a] / box[a];
  std::vector<int> by_node(nodes.size());
  std::iota(by_node.begin(), by_node.end(), 0);
  std::stable_sort(by_node.begin(), by_node.end(), [&](int a, int b) {
    return nodes[static_cast<std::size_t>(a)] < nodes[static_cast<std::size_t>(b)];
  });
  std::vector<int> owners;
  for (Index block = 0; block < product(parts); ++block) {
    const Index3 at = position(block, parts);
    Index place = 0; // place of the rank in by_node: the box of its node, then its place in the box
    for (int a = 0; a < 3; ++a)
      place = place * boxes[a] + at[a] / (parts[a] / ranks[a]) / box[a];
    for (int a = 0; a < 3; ++a)
      place = place * box[a] + at[a] / (parts[a] / ranks[a]) % box[a];
    owners.push_back(by_node[static_cast<std::size_t>(place)]);
  }
  return owners;
}

std::vector<int> owners_by_node(const Cuts &cuts, const Communicator &comm) {
  const auto own = exchange::acquire(comm.handle());
  const auto nodes = exchange::nodes_of(*own);
  std::vector<int> owners;
  comm.agree([&] {
    std::vector<int> of_ranks;
    const Index used = std::min<Index>(comm.size(), product(parts_of(cuts)));
    for (int rank = 0; rank < used; ++rank)
      of_ranks.push_back(nodes->node_of(rank));
    owners = owners_by_node(cuts, of_ranks);
  });
  return owners;
}

namespace {

/// Divides n points into layers of at least `least` points that minimise the maximum of (size +
/// gap) * seconds. It adds points one by one, each to the layer with the lowest time after the
/// addition.
std::vector<Index> sizes_by_speed(Index n, std::span<const double> seconds, Index least,
                                  Index gap) {
  std::vector<Index> sizes(seconds.size(), least);
  for (Index left = n - least * static_cast<Index>(seconds.size()); left > 0; --left) {
    const auto time = [&](std::size_t layer) {
      return static_cast<double>(sizes[layer] + 1 + gap) * seconds[layer];
    };
    std::size_t first = 0;
    for (std::size_t layer = 1; layer < sizes.size(); ++layer)
      if (time(layer) < time(first)) first = layer;
    ++sizes[first];
  }
  return sizes;
}

/// Returns the partition with layers of different thickness along one axis.
/// \param ranks all ranks, from the fastest to the slowest
Shares layers_along(int axis, const Index3 &extents, const Index3 &parts,
                    std::span<const double> seconds_per_point, std::span<const int> ranks,
                    Index least, Index gap) {
  Shares shares{even_cuts(extents, parts), {}, 0};
  const auto layers = static_cast<std::size_t>(parts[axis]);
  const std::size_t per_layer = ranks.size() / layers;
  std::vector<double> slowest;
  for (std::size_t layer = 0; layer < layers; ++layer)
    slowest.push_back(
        seconds_per_point[static_cast<std::size_t>(ranks[(layer + 1) * per_layer - 1])]);
  std::vector<Index> &sizes = shares.cuts[static_cast<std::size_t>(axis)];
  sizes = sizes_by_speed(extents[axis], slowest, least, gap);
  double face = 1; // cross-section of the largest block, in points
  for (int a = 0; a < 3; ++a)
    if (a != axis)
      face *= static_cast<double>(shares.cuts[static_cast<std::size_t>(a)].front() +
                                  (parts[a] > 1 ? gap : 0));
  for (std::size_t layer = 0; layer < layers; ++layer)
    shares.seconds =
        std::max(shares.seconds, static_cast<double>(sizes[layer] + gap) * face * slowest[layer]);
  std::vector<std::size_t> taken(layers);
  for (Index block = 0; block < product(parts); ++block) {
    const auto layer = static_cast<std::size_t>(position(block, parts)[axis]);
    shares.owners.push_back(ranks[layer * per_layer + taken[layer]++]);
  }
  return shares;
}

} // namespace

Shares shares_by_speed(const Index3 &extents, const Index3 &parts,
                       std::span<const double> seconds_per_point, const Index3 &least, Index gap) {
  if (product(parts) != static_cast<Index>(seconds_per_point.size()))
    throw Error(HFFT_ERROR_ARGUMENT, std::to_string(product(parts)) + " blocks on " +
                                         std::to_string(seconds_per_point.size()) +
                                         " ranks, expected one for each rank");
  std::vector<int> ranks(seconds_per_point.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return seconds_per_point[static_cast<std::size_t>(a)] <
           seconds_per_point[static_cast<std::size_t>(b)];
  });
  Shares best;
  for (int a = 0; a < 3; ++a) {
    if (extents[a] < parts[a] * (parts[a] > 1 ? least[a] : 1))
      throw Error(HFFT_ERROR_ARGUMENT, std::to_string(extents[a]) + " points cannot be cut into " +
                                           std::to_string(parts[a]) +
                                           " blocks, expected blocks of at least " +
                                           std::to_string(least[a]) + " points");
    if (parts[a] == 1 && !(a == 2 && best.owners.empty())) continue;
    Shares shares =
        layers_along(a, extents, parts, seconds_per_point, ranks, parts[a] > 1 ? least[a] : 1, gap);
    if (best.owners.empty() || shares.seconds < best.seconds) best = std::move(shares);
  }
  return best;
}

} // namespace hybridfft::grid
