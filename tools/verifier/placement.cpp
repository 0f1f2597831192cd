// Computes blocks, random blocks or random boxes of the ranks, and the offsets of their elements.
#include "verifier/placement.h"

#include <algorithm>

#include "verifier/random_cases.h"

namespace hybridfft::verifier {

namespace {

/// Number of points of each part along each axis.
using Counts = std::vector<std::vector<std::ptrdiff_t>>;

/// Returns the sizes of FFTW's default blocks: ceil(n/parts) points until no point is left.
std::vector<std::ptrdiff_t> dealt(std::ptrdiff_t n, int parts) {
  std::vector<std::ptrdiff_t> counts;
  std::ptrdiff_t left = n;
  for (int i = 0; i < parts; ++i) {
    counts.push_back(std::min(left, (n + parts - 1) / parts));
    left -= counts.back();
  }
  return counts;
}

/// Returns random sizes of blocks; some may be 0.
std::vector<std::ptrdiff_t> scattered(std::ptrdiff_t n, int parts, RandomCases &random) {
  std::vector<std::ptrdiff_t> counts;
  std::ptrdiff_t left = n;
  for (int i = 1; i < parts; ++i) {
    counts.push_back(random.below(left + 1));
    left -= counts.back();
  }
  counts.push_back(left);
  std::rotate(counts.begin(), counts.begin() + random.below(parts), counts.end());
  return counts;
}

Counts counts_of(const LayoutSpec &l, const std::vector<std::ptrdiff_t> &n) {
  RandomCases random(mix(l.seed, 77));
  Counts counts(n.size());
  for (const LayoutSpec::AxisSpec &p : l.parts) {
    const auto a = static_cast<std::size_t>(p.axis);
    counts[a] = l.blocks == LayoutSpec::Blocks::unequal ? scattered(n[a], p.parts, random)
                                                        : dealt(n[a], p.parts);
  }
  return counts;
}

/// Returns the parts of a Cartesian grid of ranks, in row-major order over the logical axes.
std::vector<RankBox> grid_parts(const Counts &counts) {
  std::vector<RankBox> parts;
  int ranks = 1;
  for (const auto &axis : counts)
    ranks *= static_cast<int>(axis.size());
  for (int r = 0; r < ranks; ++r) {
    RankBox part{Index(counts.size()), Index(counts.size())};
    int rest = r;
    for (std::size_t a = counts.size(); a-- > 0;) {
      const auto at = static_cast<std::size_t>(rest % static_cast<int>(counts[a].size()));
      rest /= static_cast<int>(counts[a].size());
      for (std::size_t i = 0; i < at; ++i)
        part.start[a] += counts[a][i];
      part.count[a] = counts[a][at];
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Divides the array into one box per rank: repeatedly splits a random box along a random axis.
std::vector<RankBox> random_boxes(const std::vector<std::ptrdiff_t> &n, int ranks,
                                  RandomCases &random) {
  std::vector<RankBox> parts{{Index(n.size(), 0), n}};
  while (static_cast<int>(parts.size()) < ranks) {
    const auto which =
        static_cast<std::size_t>(random.below(static_cast<std::ptrdiff_t>(parts.size())));
    const auto a = static_cast<std::size_t>(random.below(static_cast<std::ptrdiff_t>(n.size())));
    RankBox rest = parts[which];
    const std::ptrdiff_t kept = random.below(rest.count[a] + 1);
    parts[which].count[a] = kept;
    rest.start[a] += kept;
    rest.count[a] -= kept;
    parts.push_back(std::move(rest));
  }
  for (std::size_t i = parts.size(); i > 1; --i)
    std::swap(parts[i - 1],
              parts[static_cast<std::size_t>(random.below(static_cast<std::ptrdiff_t>(i)))]);
  return parts;
}

bool is_real(const LayoutProblem &p, ArraySide side) {
  return (side == ArraySide::in && p.base.kind == Kind::r2c) ||
         (side == ArraySide::out && p.base.kind == Kind::c2r);
}

} // namespace

std::vector<RankBox> parts_of(const LayoutSpec &l, const std::vector<std::ptrdiff_t> &n,
                              int ranks) {
  if (l.blocks != LayoutSpec::Blocks::boxes) return grid_parts(counts_of(l, n));
  RandomCases random(mix(l.seed, 78));
  return random_boxes(n, ranks, random);
}

Placement::Placement(const LayoutProblem &p, ArraySide side, int ranks, int rank)
    : layout_(side == ArraySide::in ? p.in : p.out), fields_(p.base.howmany),
      real_(is_real(p, side)) {
  part_ = parts_of(layout_, extents(p, real_), ranks)[static_cast<std::size_t>(rank)];
  for (const LayoutSpec::AxisSpec &a : layout_.parts)
    points_ *= part_.count[static_cast<std::size_t>(a.axis)] + a.padding;
}

bool Placement::advance(Index &index) const {
  for (std::size_t a = index.size(); a-- > 0;) {
    if (++index[a] < part_.start[a] + part_.count[a]) return true;
    index[a] = part_.start[a];
  }
  return false;
}

std::ptrdiff_t Placement::offset(const Index &index, std::ptrdiff_t component) const {
  std::ptrdiff_t at = 0;
  for (const LayoutSpec::AxisSpec &p : layout_.parts) {
    const auto a = static_cast<std::size_t>(p.axis);
    at = at * (part_.count[a] + p.padding) + index[a] - part_.start[a];
  }
  return layout_.separate ? component * points_ + at : at * fields_ + component;
}

Layout library_layout(const LayoutProblem &p, ArraySide side, int ranks) {
  const LayoutSpec &l = side == ArraySide::in ? p.in : p.out;
  const std::vector<std::ptrdiff_t> n = extents(p, is_real(p, side));
  Layout::Options options{{},
                          std::vector<std::ptrdiff_t>(n.size()),
                          p.base.howmany,
                          l.separate ? Fields::separate : Fields::interleaved};
  std::vector<int> parts(n.size());
  for (const LayoutSpec::AxisSpec &a : l.parts) {
    options.order.push_back(a.axis);
    options.padding[static_cast<std::size_t>(a.axis)] = a.padding;
    parts[static_cast<std::size_t>(a.axis)] = a.parts;
  }
  switch (l.blocks) {
  case LayoutSpec::Blocks::unequal:
    return Layout::grid(counts_of(l, n), options);
  case LayoutSpec::Blocks::boxes: {
    std::vector<IndexBox> boxes;
    for (const RankBox &part : parts_of(l, n, ranks))
      boxes.push_back({part.start, part.count});
    return Layout::boxes(n, std::move(boxes), options);
  }
  case LayoutSpec::Blocks::equal:
    break;
  }
  return Layout::grid(n, parts, options);
}

} // namespace hybridfft::verifier
