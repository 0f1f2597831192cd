/// Tests transforms along two axes of distributed boxes, computed as planes in cache.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "fft_reference.h"
#include "local/line_fft.h"
#include "plan/arguments.h"
#include "plan/lowering.h"
#include "plan/path.h"
#include "support/skipped_cases.h"

namespace hybridfft::plan {
namespace {

/// Returns a problem between boxes of n0/2 x n1/2 x n2/2 points on 8 ranks.
Problem bricks(const Extents &n, std::size_t real_bytes, int threads) {
  Problem p;
  p.axes = {0, 1, 2};
  p.in = p.out = Layout::grid(n, std::vector<int>{2, 2, 2});
  p.flags = HFFT_ESTIMATE;
  p.threads = threads;
  p.real_bytes = real_bytes;
  check(p, p.in.ranks());
  return p;
}

template <class Real> bool has_kernels(const Extents &n) {
  return std::all_of(n.begin(), n.end(), [](std::ptrdiff_t extent) {
    return local::LineFft<Real>::applies(simd::active(), extent);
  });
}

std::size_t offset(const StoredBox &b, const std::array<std::ptrdiff_t, 3> &at) {
  std::ptrdiff_t sum = b.base;
  for (std::size_t a = 0; a < at.size(); ++a)
    sum += (at[a] - b.box.start[a]) * b.stride[a];
  return static_cast<std::size_t>(sum);
}

/// Calls f(i, j, k, offset) for all points of a storage.
template <class F> void for_each_point(const Storage &s, const F &f) {
  for (const StoredBox &b : s.boxes)
    for (std::ptrdiff_t i = b.box.start[0]; i < b.box.start[0] + b.box.count[0]; ++i)
      for (std::ptrdiff_t j = b.box.start[1]; j < b.box.start[1] + b.box.count[1]; ++j)
        for (std::ptrdiff_t k = b.box.start[2]; k < b.box.start[2] + b.box.count[2]; ++k)
          f(i, j, k, offset(b, {i, j, k}));
}

template <class Real> using Numbers = std::vector<std::complex<Real>>;

/// Returns the points of a storage in row-major order of its box.
template <class T> std::vector<T> natural(const Storage &s, const std::vector<T> &stored) {
  const IndexBox &box = s.box;
  std::vector<T> list(static_cast<std::size_t>(box.points()));
  for_each_point(s, [&](auto i, auto j, auto k, std::size_t at) {
    list[static_cast<std::size_t>(
        ((i - box.start[0]) * box.count[1] + j - box.start[1]) * box.count[2] + k - box.start[2])] =
        stored[at];
  });
  return list;
}

/// Transforms an array in row-major order along one axis, by the definition.
void transform(std::vector<test::Long> &x, const IndexBox &box, std::size_t axis) {
  std::ptrdiff_t stride = 1;
  for (std::size_t a = 3; a-- > axis + 1;)
    stride *= box.count[a];
  const std::ptrdiff_t n = box.count[axis];
  for (std::ptrdiff_t first = 0; first < box.points(); ++first) {
    if (first / stride % n != 0) continue;
    std::vector<test::Long> line;
    for (std::ptrdiff_t c = 0; c < n; ++c)
      line.push_back(x[static_cast<std::size_t>(first + c * stride)]);
    const auto spectrum = test::truth_of(line, -1);
    for (std::ptrdiff_t c = 0; c < n; ++c)
      x[static_cast<std::size_t>(first + c * stride)] = spectrum[static_cast<std::size_t>(c)];
  }
}

template <class Real> Numbers<Real> run(const Step &step, const Numbers<Real> &from, int threads) {
  local::PassOptions options;
  options.threads = threads;
  options.tile_bytes = 1 << 15;
  options.kernel = local::Kernel::simd;
  options.store = simd::Store::streamed;
  const auto pass = make_pass(step, sizeof(Real), false, local::TileOrder::lines, options);
  const std::size_t bytes = from.size() * sizeof(from[0]);
  Memory source(bytes, 1);
  Memory destination(static_cast<std::size_t>(step.to.elements) * sizeof(from[0]), 1);
  std::copy_n(reinterpret_cast<const std::byte *>(from.data()), bytes, source.data());
  pass->execute(source.data(), destination.data());
  const auto *first = reinterpret_cast<const std::complex<Real> *>(destination.data());
  return {first, first + step.to.elements};
}

/// Returns a path of the problem on which two transforms are fused into one, if there is one.
std::optional<Choice> fused_path(const Problem &p, local::Kernel kernel = local::Kernel::simd) {
  for (const Path &path : find_paths(p)) {
    Choice choice = along({path, working_orders(p).front()});
    Steps steps = lower_path(p, choice, 0);
    const std::size_t apart = steps.size();
    choice.plane_kernel = kernel;
    fuse_planes(steps, p, choice);
    if (steps.size() == apart - 1) return choice;
  }
  return std::nullopt;
}

template <class Real> void expect_planes(const Extents &n, int threads) {
  const Problem p = bricks(n, sizeof(Real), threads);
  const auto path = fused_path(p);
  ASSERT_TRUE(path) << "two transforms are one";
  for (const int rank : {0, 5, 7}) {
    Steps steps = lower_path(p, *path, rank);
    fuse_planes(steps, p, *path);
    const Step &planes =
        *std::find_if(steps.begin(), steps.end(), [](const Step &s) { return s.loop_axis >= 0; });
    const auto from = test::input<Real>(planes.from.elements, static_cast<std::uint64_t>(rank));
    const auto result = natural(planes.to, run<Real>(planes, from, threads));
    std::vector<test::Long> truth;
    for (const auto &x : natural(planes.from, from))
      truth.emplace_back(x.real(), x.imag());
    transform(truth, planes.from.box, static_cast<std::size_t>(planes.parts[0].axis));
    transform(truth, planes.from.box, static_cast<std::size_t>(planes.axis));
    EXPECT_LT(test::relative_error(result, truth), sizeof(Real) == 4 ? 4e-7 : 1e-15)
        << "rank " << rank << ", " << threads << " threads";
  }
}

TEST(FusePlanes, AreTheTransformsAlongBothAxes) {
  const Extents n{48, 32, 64};
  if (!has_kernels<double>(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  for (const int threads : {1, 3}) {
    expect_planes<float>(n, threads);
    expect_planes<double>(n, threads);
  }
}

TEST(FusePlanes, PlanesBeyondCacheOrKernels_AreNotFused) {
  const auto fused = [](const Extents &n, local::Kernel kernel, int threads) {
    return fused_path(bricks(n, sizeof(double), threads), kernel).has_value();
  };
  const Extents n{32, 32, 32};
  if (!has_kernels<double>(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  EXPECT_TRUE(fused(n, local::Kernel::simd, 4));
  EXPECT_FALSE(fused(n, local::Kernel::fftw, 4)) << "FFTW's kernels";
  EXPECT_FALSE(fused(n, local::Kernel::simd, 5)) << "4 planes for 5 threads";
  EXPECT_FALSE(fused({512, 512, 512}, local::Kernel::simd, 1)) << "planes of 4 MiB";
}

TEST(FusePlanes, NeverStepByOneElement) {
  const Extents n{32, 32, 32};
  if (!has_kernels<float>(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  const Problem p = bricks(n, sizeof(float), 1);
  int fused = 0, apart = 0;
  for (const Path &path : find_paths(p)) {
    const Choice choice = along({path, working_orders(p).front()});
    Steps steps = lower_path(p, choice, 0);
    fuse_planes(steps, p, choice);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (k > 0 && steps[k].is_fft() && steps[k - 1].is_fft()) ++apart;
      if (steps[k].loop_axis < 0) continue;
      ++fused;
      for (const Storage *s : {&steps[k].from, &steps[k].to})
        for (const StoredBox &b : s->boxes)
          EXPECT_GT(b.stride[static_cast<std::size_t>(steps[k].loop_axis)], 1) << describe(path);
    }
  }
  EXPECT_GT(fused, 0);
  EXPECT_GT(apart, 0) << "planes of the slower two axes, one for each element of the fastest";
}

} // namespace
} // namespace hybridfft::plan
