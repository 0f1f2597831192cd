#include "support/verify/dice.h"
#include "support/verify/layout_problem.h"

namespace hybridfft::verifier {

namespace {

template <class T> void shuffle(std::vector<T> &list, Dice &dice) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1],
              list[static_cast<std::size_t>(dice.roll(static_cast<std::ptrdiff_t>(i)))]);
}

std::vector<int> shuffled_axes(std::size_t d, Dice &dice) {
  std::vector<int> axes;
  for (std::size_t a = 0; a < d; ++a)
    axes.push_back(static_cast<int>(a));
  if (!dice.one_in(3)) shuffle(axes, dice);
  return axes;
}

/// Each prime factor of the number of ranks cuts one of the first `d` axes.
void cut(LayoutSpec &l, std::ptrdiff_t d, int ranks, Dice &dice) {
  const bool one_axis = dice.one_in(4);
  std::ptrdiff_t axis = dice.roll(d);
  for (int factor = 2; ranks > 1; ++factor)
    for (; ranks % factor == 0; ranks /= factor) {
      l.parts[static_cast<std::size_t>(axis)].parts *= factor;
      if (!one_axis) axis = dice.roll(d);
    }
}

LayoutSpec random_layout(std::size_t d, int ranks, int halved, std::ptrdiff_t n_halved,
                         Dice &dice) {
  LayoutSpec l;
  for (const int axis : shuffled_axes(d, dice))
    l.parts.push_back({axis, 1, dice.one_in(8) ? dice.roll(3) : 0});
  l.separate = dice.one_in(2);
  const std::ptrdiff_t blocks = dice.roll(5);
  if (blocks == 0) {
    l.blocks = LayoutSpec::Blocks::boxes;
  } else {
    if (blocks == 1) l.blocks = LayoutSpec::Blocks::unequal;
    cut(l, static_cast<std::ptrdiff_t>(d), ranks, dice);
  }
  if (l.blocks != LayoutSpec::Blocks::equal)
    l.seed = static_cast<std::uint64_t>(1 + dice.roll(1000));
  // As FFTW pads real data.
  if (halved >= 0 && l.parts.back().axis == halved && dice.one_in(2))
    l.parts.back().padding = 2 * (n_halved / 2 + 1) - n_halved;
  return l;
}

/// Ranks have about one line each along the halved axis, and nothing behind it.
LayoutSpec single_lines(std::size_t d, int ranks, int halved, Dice &dice) {
  LayoutSpec l;
  for (const int axis : shuffled_axes(d, dice))
    if (axis != halved) l.parts.push_back({axis, 1, 0});
  if (!l.parts.empty()) cut(l, static_cast<std::ptrdiff_t>(l.parts.size()), ranks, dice);
  l.parts.push_back({halved, l.parts.empty() ? ranks : 1, 0});
  l.separate = dice.one_in(2);
  return l;
}

} // namespace

LayoutProblem random_layout_problem(const LayoutSweep &sweep, std::uint64_t index) {
  Dice dice(mix(sweep.seed, index));
  LayoutProblem p;
  const std::ptrdiff_t kind = dice.roll(4);
  p.base.kind = kind == 0 ? Kind::r2c : kind == 1 ? Kind::c2r : Kind::c2c;
  p.base.direction = kind % 2 == 0 ? Direction::forward : Direction::backward;
  p.base.in_place = dice.one_in(3);
  p.base.single = dice.one_in(2);
  p.base.howmany = dice.one_in(2) ? 1 + dice.roll(4) : 1;
  constexpr std::array<std::size_t, 8> dimensions{1, 2, 2, 3, 3, 3, 3, 4};
  const std::size_t d = dimensions[static_cast<std::size_t>(dice.roll(8))];
  std::ptrdiff_t room = std::max<std::ptrdiff_t>(sweep.max_values / p.base.howmany, 1);
  for (std::size_t i = 0; i < d; ++i) {
    p.base.extents.push_back(dice.extent(room));
    room = std::max<std::ptrdiff_t>(room / p.base.extents.back(), 1);
  }
  shuffle(p.base.extents, dice);
  p.axes = shuffled_axes(d, dice);
  const std::ptrdiff_t least = p.base.kind == Kind::c2c ? 0 : 1;
  if (dice.one_in(3))
    p.axes.resize(
        static_cast<std::size_t>(least + dice.roll(static_cast<std::ptrdiff_t>(d) + 1 - least)));
  const int halved = p.base.kind == Kind::c2c ? -1 : p.axes.back();
  const std::ptrdiff_t n = halved < 0 ? 0 : p.base.extents[static_cast<std::size_t>(halved)];
  p.in = random_layout(d, sweep.ranks, p.base.kind == Kind::r2c ? halved : -1, n, dice);
  p.out = random_layout(d, sweep.ranks, p.base.kind == Kind::c2r ? halved : -1, n, dice);
  if (halved >= 0 && dice.one_in(3)) {
    for (std::size_t a = 0; a < d; ++a)
      if (static_cast<int>(a) != halved)
        p.base.extents[a] = 1 + dice.roll(std::max(sweep.ranks, 1) + 1);
    (p.base.kind == Kind::r2c ? p.in : p.out) = single_lines(d, sweep.ranks, halved, dice);
  }
  if (dice.one_in(2)) p.out.separate = p.in.separate;
  if (sweep.max_threads > 1) p.base.threads = 1 + static_cast<int>(dice.roll(sweep.max_threads));
  p.base.deterministic = dice.one_in(3);
  return p;
}

} // namespace hybridfft::verifier
