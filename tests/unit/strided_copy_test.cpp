// Compares copies of boxes between strides with a plain loop, on every path: contiguous pieces,
// transposes, single elements.
#include "local/box_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using hybridfft::local::CopyDimension;
using hybridfft::local::strided_copy;
namespace simd = hybridfft::simd;

using Box = std::array<CopyDimension, 3>;

/// Returns the strides of an array of these counts, without or with padding. `order` names the
/// dimensions from the fastest on; the first one has the stride `innermost`.
std::array<std::ptrdiff_t, 3> strides(const std::array<std::ptrdiff_t, 3> &counts,
                                      std::array<std::size_t, 3> order, std::ptrdiff_t padding,
                                      std::ptrdiff_t innermost) {
  std::array<std::ptrdiff_t, 3> result{};
  std::ptrdiff_t stride = innermost;
  for (const std::size_t d : order) {
    result[d] = stride;
    stride = stride * counts[d] + padding;
  }
  return result;
}

std::size_t reach(const Box &box, std::ptrdiff_t CopyDimension::*stride) {
  std::ptrdiff_t last = 0;
  for (const CopyDimension &d : box)
    last += (d.count - 1) * (d.*stride);
  return static_cast<std::size_t>(last) + 1;
}

template <class T> void check(const Box &box) {
  std::vector<T> source(reach(box, &CopyDimension::source));
  for (std::size_t i = 0; i < source.size(); ++i)
    std::memset(&source[i], static_cast<int>(1 + i % 251), sizeof(T));
  constexpr std::size_t guard = 16;
  std::vector<T> expected(reach(box, &CopyDimension::destination) + 2 * guard);
  std::vector<T> found = expected;
  for (std::ptrdiff_t i = 0; i < box[0].count; ++i)
    for (std::ptrdiff_t j = 0; j < box[1].count; ++j)
      for (std::ptrdiff_t k = 0; k < box[2].count; ++k)
        expected[guard + static_cast<std::size_t>(i * box[0].destination + j * box[1].destination +
                                                  k * box[2].destination)] =
            source[static_cast<std::size_t>(i * box[0].source + j * box[1].source +
                                            k * box[2].source)];
  strided_copy(simd::active(), sizeof(T), reinterpret_cast<const std::byte *>(source.data()),
               reinterpret_cast<std::byte *>(found.data() + guard), box);
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)), 0)
      << box[0].count << "x" << box[1].count << "x" << box[2].count << " of " << sizeof(T)
      << " bytes";
}

struct Wide {
  double re, im;
};

TEST(StridedCopy, MovesEveryElementForAllOrdersOfTheAxes) {
  const std::vector<std::array<std::ptrdiff_t, 3>> shapes{
      {1, 1, 1}, {5, 1, 7}, {3, 4, 5}, {17, 9, 1}, {1, 33, 16}, {2, 64, 19}, {8, 8, 8}};
  std::array<std::size_t, 3> in{0, 1, 2};
  do {
    std::array<std::size_t, 3> out{0, 1, 2};
    do {
      for (const auto &counts : shapes)
        for (const std::ptrdiff_t padding : {0, 3})
          for (const std::ptrdiff_t innermost : {1, 2}) {
            const auto s = strides(counts, in, padding, innermost);
            const auto d = strides(counts, out, padding, 1);
            const Box box{
                {{counts[0], s[0], d[0]}, {counts[1], s[1], d[1]}, {counts[2], s[2], d[2]}}};
            check<float>(box);
            check<double>(box);
            check<Wide>(box);
          }
    } while (std::next_permutation(out.begin(), out.end()));
  } while (std::next_permutation(in.begin(), in.end()));
}

TEST(StridedCopy, TouchesNothingForAnEmptyBox) {
  double found = 7;
  const double source = 1;
  strided_copy(simd::active(), sizeof(double), reinterpret_cast<const std::byte *>(&source),
               reinterpret_cast<std::byte *>(&found), {{{4, 1, 1}, {0, 4, 4}, {2, 8, 8}}});
  EXPECT_EQ(found, 7);
}

} // namespace
