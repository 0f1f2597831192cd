// Draws random transform problems between layouts: extents, axes, process grids, padding and memory
// orders.
#include "verifier/layout_problem.h"
#include "verifier/random_cases.h"

namespace hybridfft::verifier {

namespace {

std::vector<int> shuffled_axes(std::size_t d, RandomCases &random) {
  std::vector<int> axes;
  for (std::size_t a = 0; a < d; ++a)
    axes.push_back(static_cast<int>(a));
  if (!random.one_in(3)) random.shuffle(axes);
  return axes;
}

/// Distributes the first `d` axes over the ranks: multiplies the number of parts of a random axis
/// by each prime factor of the number of ranks.
void cut(LayoutSpec &l, std::ptrdiff_t d, int ranks, RandomCases &random) {
  const bool one_axis = random.one_in(4);
  std::ptrdiff_t axis = random.below(d);
  for (int factor = 2; ranks > 1; ++factor)
    for (; ranks % factor == 0; ranks /= factor) {
      l.parts[static_cast<std::size_t>(axis)].parts *= factor;
      if (!one_axis) axis = random.below(d);
    }
}

LayoutSpec random_layout(std::size_t d, int ranks, int halved, std::ptrdiff_t n_halved,
                         RandomCases &random) {
  LayoutSpec l;
  for (const int axis : shuffled_axes(d, random))
    l.parts.push_back({axis, 1, random.one_in(8) ? random.below(3) : 0});
  l.separate = random.one_in(2);
  const std::ptrdiff_t blocks = random.below(5);
  if (blocks == 0) {
    l.blocks = LayoutSpec::Blocks::boxes;
  } else {
    if (blocks == 1) l.blocks = LayoutSpec::Blocks::unequal;
    cut(l, static_cast<std::ptrdiff_t>(d), ranks, random);
  }
  if (l.blocks != LayoutSpec::Blocks::equal)
    l.seed = static_cast<std::uint64_t>(1 + random.below(1000));
  // The padding used by FFTW for real data.
  if (halved >= 0 && l.parts.back().axis == halved && random.one_in(2))
    l.parts.back().padding = 2 * (n_halved / 2 + 1) - n_halved;
  return l;
}

/// Returns a layout without padding and with about one line along the halved axis per rank.
LayoutSpec single_lines(std::size_t d, int ranks, int halved, RandomCases &random) {
  LayoutSpec l;
  for (const int axis : shuffled_axes(d, random))
    if (axis != halved) l.parts.push_back({axis, 1, 0});
  if (!l.parts.empty()) cut(l, static_cast<std::ptrdiff_t>(l.parts.size()), ranks, random);
  l.parts.push_back({halved, l.parts.empty() ? ranks : 1, 0});
  l.separate = random.one_in(2);
  return l;
}

} // namespace

LayoutProblem random_layout_problem(const LayoutSweep &sweep, std::uint64_t index) {
  RandomCases random(mix(sweep.seed, index));
  LayoutProblem p;
  const std::ptrdiff_t kind = random.below(4);
  p.base.kind = kind == 0 ? Kind::r2c : kind == 1 ? Kind::c2r : Kind::c2c;
  p.base.direction = kind % 2 == 0 ? Direction::forward : Direction::backward;
  p.base.in_place = random.one_in(3);
  p.base.single = random.one_in(2);
  p.base.howmany = random.one_in(2) ? 1 + random.below(4) : 1;
  constexpr std::array<std::size_t, 8> dimensions{1, 2, 2, 3, 3, 3, 3, 4};
  const std::size_t d = dimensions[static_cast<std::size_t>(random.below(8))];
  std::ptrdiff_t room = std::max<std::ptrdiff_t>(sweep.max_values / p.base.howmany, 1);
  for (std::size_t i = 0; i < d; ++i) {
    p.base.extents.push_back(random.extent(room));
    room = std::max<std::ptrdiff_t>(room / p.base.extents.back(), 1);
  }
  random.shuffle(p.base.extents);
  p.axes = shuffled_axes(d, random);
  const std::ptrdiff_t least = p.base.kind == Kind::c2c ? 0 : 1;
  if (random.one_in(3))
    p.axes.resize(
        static_cast<std::size_t>(least + random.below(static_cast<std::ptrdiff_t>(d) + 1 - least)));
  const int halved = p.base.kind == Kind::c2c ? -1 : p.axes.back();
  const std::ptrdiff_t n = halved < 0 ? 0 : p.base.extents[static_cast<std::size_t>(halved)];
  p.in = random_layout(d, sweep.ranks, p.base.kind == Kind::r2c ? halved : -1, n, random);
  p.out = random_layout(d, sweep.ranks, p.base.kind == Kind::c2r ? halved : -1, n, random);
  if (halved >= 0 && random.one_in(3)) {
    for (std::size_t a = 0; a < d; ++a)
      if (static_cast<int>(a) != halved)
        p.base.extents[a] = 1 + random.below(std::max(sweep.ranks, 1) + 1);
    (p.base.kind == Kind::r2c ? p.in : p.out) = single_lines(d, sweep.ranks, halved, random);
  }
  if (random.one_in(2)) p.out.separate = p.in.separate;
  if (sweep.max_threads > 1) p.base.threads = 1 + static_cast<int>(random.below(sweep.max_threads));
  p.base.deterministic = random.one_in(3);
  return p;
}

} // namespace hybridfft::verifier
