/// Makes random layouts of arrays: grids with any blocks, boxes of any shape, any order of axes,
/// any padding.
#pragma once

#include <numeric>
#include <vector>

#include "hybridfft/layout.hpp"
#include "verifier/random_cases.h"

namespace hybridfft::test {

using verifier::RandomCases;

/// Splits a box in two repeatedly; some of the resulting boxes may be empty.
inline void cut(RandomCases &random, IndexBox box, int parts, std::vector<IndexBox> &list) {
  if (parts == 1) {
    list.push_back(std::move(box));
    return;
  }
  const auto axis =
      static_cast<std::size_t>(random.below(static_cast<std::ptrdiff_t>(box.count.size())));
  const std::ptrdiff_t first = random.below(box.count[axis] + 1);
  IndexBox rest = box;
  rest.start[axis] += first;
  rest.count[axis] -= first;
  box.count[axis] = first;
  cut(random, std::move(box), parts / 2, list);
  cut(random, std::move(rest), parts - parts / 2, list);
}

/// Distributes the prime factors of the number of ranks over random axes.
inline std::vector<int> random_parts(RandomCases &random, std::size_t axes, int ranks) {
  std::vector<int> parts(axes, 1);
  for (int f = 2; ranks > 1; ++f)
    for (; ranks % f == 0; ranks /= f)
      parts[static_cast<std::size_t>(random.below(static_cast<std::ptrdiff_t>(axes)))] *= f;
  return parts;
}

inline Layout random_layout(RandomCases &random, const std::vector<std::ptrdiff_t> &n, int ranks,
                            std::ptrdiff_t howmany, Fields fields) {
  Layout::Options options{{}, {}, howmany, fields};
  if (!random.one_in(3)) {
    options.order.resize(n.size());
    std::iota(options.order.begin(), options.order.end(), 0);
    random.shuffle(options.order);
  }
  if (random.one_in(3))
    for (std::size_t a = 0; a < n.size(); ++a)
      options.padding.push_back(random.below(3));
  if (!random.one_in(3)) return Layout::grid(n, random_parts(random, n.size(), ranks), options);
  std::vector<IndexBox> boxes;
  cut(random, {std::vector<std::ptrdiff_t>(n.size(), 0), n}, ranks, boxes);
  random.shuffle(boxes);
  return Layout::boxes(n, std::move(boxes), options);
}

} // namespace hybridfft::test
