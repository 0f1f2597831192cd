/// Random layouts of arrays: grids of any blocks, boxes of any shapes, any order and padding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "hybridfft/layout.hpp"

namespace hybridfft::test {

/// The same on all ranks that begin with the same seed.
class Dice {
public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  /// 0 .. sides - 1.
  std::ptrdiff_t roll(std::ptrdiff_t sides) {
    return static_cast<std::ptrdiff_t>(engine_() % static_cast<std::uint32_t>(sides));
  }
  bool one_in(std::ptrdiff_t sides) { return roll(sides) == 0; }
  template <class T> void shuffle(std::vector<T> &list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(roll(static_cast<std::ptrdiff_t>(i)))]);
  }

private:
  std::mt19937 engine_;
};

/// Cuts a box in two again and again; some parts may be empty.
inline void cut(Dice &dice, IndexBox box, int parts, std::vector<IndexBox> &list) {
  if (parts == 1) {
    list.push_back(std::move(box));
    return;
  }
  const auto axis =
      static_cast<std::size_t>(dice.roll(static_cast<std::ptrdiff_t>(box.count.size())));
  const std::ptrdiff_t first = dice.roll(box.count[axis] + 1);
  IndexBox rest = box;
  rest.start[axis] += first;
  rest.count[axis] -= first;
  box.count[axis] = first;
  cut(dice, std::move(box), parts / 2, list);
  cut(dice, std::move(rest), parts - parts / 2, list);
}

/// Factors of the number of ranks on random axes.
inline std::vector<int> random_parts(Dice &dice, std::size_t axes, int ranks) {
  std::vector<int> parts(axes, 1);
  for (int f = 2; ranks > 1; ++f)
    for (; ranks % f == 0; ranks /= f)
      parts[static_cast<std::size_t>(dice.roll(static_cast<std::ptrdiff_t>(axes)))] *= f;
  return parts;
}

inline Layout random_layout(Dice &dice, const std::vector<std::ptrdiff_t> &n, int ranks,
                            std::ptrdiff_t howmany, Fields fields) {
  Layout::Options options{{}, {}, howmany, fields};
  if (!dice.one_in(3)) {
    options.order.resize(n.size());
    std::iota(options.order.begin(), options.order.end(), 0);
    dice.shuffle(options.order);
  }
  if (dice.one_in(3))
    for (std::size_t a = 0; a < n.size(); ++a)
      options.padding.push_back(dice.roll(3));
  if (!dice.one_in(3)) return Layout::grid(n, random_parts(dice, n.size(), ranks), options);
  std::vector<IndexBox> boxes;
  cut(dice, {std::vector<std::ptrdiff_t>(n.size(), 0), n}, ranks, boxes);
  dice.shuffle(boxes);
  return Layout::boxes(n, std::move(boxes), options);
}

} // namespace hybridfft::test
