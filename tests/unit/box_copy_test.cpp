/// Tests copies of boxes between arrays of any memory order, element by element.

#include "local/box_copy.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <numeric>
#include <random>

namespace hybridfft::local {
namespace {

/// Returns the strides of an array with these extents, without gaps, in a random order of its axes.
std::vector<std::ptrdiff_t> random_strides(const std::vector<std::ptrdiff_t> &n,
                                           std::mt19937 &random) {
  std::vector<std::size_t> order(n.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::ptrdiff_t> stride(n.size());
  std::ptrdiff_t step = 1;
  for (const std::size_t a : order) {
    stride[a] = step;
    step *= n[a];
  }
  return stride;
}

template <class T> void expect_copied(std::uint32_t seed, int threads) {
  std::mt19937 random(seed);
  const auto up_to = [&](std::ptrdiff_t most) {
    return std::uniform_int_distribution<std::ptrdiff_t>(0, most)(random);
  };
  std::vector<std::ptrdiff_t> n(static_cast<std::size_t>(1 + up_to(4)));
  const bool large = n.size() <= 2;
  for (auto &i : n)
    i = 1 + up_to(large ? 150 : 9);
  const auto from = random_strides(n, random);
  const auto to = random_strides(n, random);
  const auto all = static_cast<std::size_t>(
      std::accumulate(n.begin(), n.end(), std::ptrdiff_t{1}, std::multiplies<>()));
  // Two boxes at random places of both arrays.
  std::vector<BoxCopy> boxes(2);
  std::vector<T> source(all);
  std::vector<T> found(all);
  std::vector<T> expected(all);
  for (std::size_t i = 0; i < all; ++i)
    source[i] = static_cast<T>(static_cast<float>(i + 1));
  const std::ptrdiff_t cut = up_to(n[0]);
  for (std::size_t b = 0; b < 2; ++b) {
    const std::ptrdiff_t first = b == 0 ? 0 : cut;
    boxes[b].source = first * from[0];
    boxes[b].destination = first * to[0];
    for (std::size_t a = 0; a < n.size(); ++a)
      boxes[b].dimensions.push_back({a > 0 ? n[a] : b == 0 ? cut : n[0] - cut, from[a], to[a]});
  }
  std::vector<std::ptrdiff_t> at(n.size(), 0);
  for (std::size_t i = 0; i < all; ++i) {
    std::ptrdiff_t s = 0;
    std::ptrdiff_t d = 0;
    for (std::size_t a = 0; a < n.size(); ++a) {
      s += at[a] * from[a];
      d += at[a] * to[a];
    }
    expected[static_cast<std::size_t>(d)] = source[static_cast<std::size_t>(s)];
    for (std::size_t a = n.size(); a-- > 0;) {
      if (++at[a] < n[a]) break;
      at[a] = 0;
    }
  }
  PassOptions options;
  options.threads = threads;
  options.tile_bytes = 1 + up_to(40000);
  const auto pass = make_box_copy_pass(boxes, sizeof(T), options);
  pass->Pass::execute(reinterpret_cast<std::byte *>(source.data()),
                      reinterpret_cast<std::byte *>(found.data()));
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), all * sizeof(T)), 0) << "seed " << seed;
}

TEST(BoxCopy, AnyOrderOfAnyNumberOfAxes) {
  for (std::uint32_t seed = 0; seed < 300; ++seed)
    for (const int threads : {1, 3}) {
      expect_copied<float>(seed, threads);
      expect_copied<double>(seed, threads);
      expect_copied<std::complex<double>>(seed, threads);
    }
}

} // namespace
} // namespace hybridfft::local
