/// Tests plans between layouts with chunked messages that are in flight during passes. For every
/// path, memory order and algorithm, plane waves must have their exact spectra.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "base/memory.h"
#include "hybridfft/hybridfft.h"
#include "plan/arguments.h"
#include "plan/lowering.h"
#include "support/mpi_test.h"

namespace hybridfft::plan {
namespace {

using Index = std::array<std::ptrdiff_t, 3>;

/// Two waves. Real arrays also contain their conjugates.
struct Wave {
  Index k;
  double amplitude;
};
constexpr std::array<Wave, 2> waves{{{{3, 5, 2}, 1.0}, {{0, 7, 11}, 0.5}}};

std::complex<double> point(const std::vector<std::ptrdiff_t> &n, const Index &i) {
  std::complex<double> sum = 0;
  for (const Wave &w : waves) {
    double turns = 0;
    for (std::size_t a = 0; a < 3; ++a)
      turns += static_cast<double>(w.k[a] * i[a] % n[a]) / static_cast<double>(n[a]);
    sum += std::polar(w.amplitude, 2 * std::numbers::pi * turns);
  }
  return sum;
}

/// Returns the spectrum at k of the forward transform of `points` points. For real arrays, half of
/// a wave is at k and half at -k.
double number(const Index &k, double points, bool real) {
  for (const Wave &w : waves)
    if (w.k == k) return w.amplitude * points * (real ? 0.5 : 1);
  return 0;
}

const exchange::Algorithm *algorithm(const std::string &name) {
  for (const exchange::Algorithm &a : exchange::algorithms())
    if (name == a.name) return &a;
  return nullptr;
}

template <class Real> class Arrays {
public:
  Arrays(const Problem &p, int rank)
      : p_(p), in_(p.in, rank), out_(p.out, rank),
        bytes_(static_cast<std::size_t>(allocation(p, rank)) * 2 * sizeof(Real)), from_(bytes_, 1),
        to_(bytes_, 1) {}

  void run(Plan &plan) {
    auto *reals = reinterpret_cast<Real *>(from_.data());
    const std::vector<std::ptrdiff_t> n = p_.extents();
    in_.for_each<3>([&](std::ptrdiff_t at, const Index &i) {
      const std::complex<double> value = point(n, i);
      const std::ptrdiff_t first = real() ? at : 2 * at;
      reals[first] = static_cast<Real>(value.real());
      if (!real()) reals[first + 1] = static_cast<Real>(value.imag());
    });
    plan.execute(from_.data(), p_.in_place ? from_.data() : to_.data());
  }

  void expect_right(const std::string &description) const {
    const auto *numbers =
        reinterpret_cast<const std::complex<Real> *>(p_.in_place ? from_.data() : to_.data());
    double points = 1;
    for (const std::ptrdiff_t n : p_.extents())
      points *= static_cast<double>(n);
    // Each of the log2(N) stages of butterflies adds an error of about one epsilon of the array's
    // norm. No number has a larger error than the norm of all errors.
    double norm = 0;
    for (const Wave &w : waves)
      norm += w.amplitude * w.amplitude;
    const double tolerance =
        2 * std::numeric_limits<Real>::epsilon() * std::log2(points) * points * std::sqrt(norm);
    double worst = 0;
    out_.for_each<3>([&](std::ptrdiff_t at, const Index &k) {
      worst =
          std::max(worst, std::abs(std::complex<double>(numbers[at]) - number(k, points, real())));
    });
    EXPECT_LE(worst, tolerance) << description;
  }

private:
  bool real() const { return p_.kind == Kind::r2c; }

  const Problem &p_;
  LayoutView in_, out_;
  std::size_t bytes_;
  Memory from_, to_;
};

/// Tests all paths, orders and algorithms. Returns the number of exchanges that were sent in
/// chunks.
template <class Real> int expect_right(Problem p) {
  const auto comm = exchange::acquire(test::world());
  p.flags = HFFT_ESTIMATE;
  p.real_bytes = sizeof(Real);
  check(p, comm->size());
  Arrays<Real> arrays(p, comm->rank());
  int chunked = 0;
  for (const Path &path : find_paths(p))
    for (const AxisOrder &order : working_orders(p))
      for (const char *name : {"", "pipelined", "shared"}) {
        Choice choice;
        choice.path = std::make_shared<const OrderedPath>(OrderedPath{path, order});
        choice.messages = MessageForm::chunks;
        choice.algorithm = algorithm(name);
        choice.store = simd::Store::cached;
        choice.tile_bytes = 4096;
        const auto plan = build(p, comm, choice, false);
        chunked += plan->chunked();
        for (int repeat = 0; repeat < 2; ++repeat) {
          arrays.run(*plan);
          arrays.expect_right(plan->describe());
        }
      }
  return chunked;
}

Problem problem(Kind kind, const std::vector<std::ptrdiff_t> &n, const std::vector<int> &in,
                const std::vector<int> &out, bool in_place) {
  Problem p;
  p.kind = kind;
  p.axes = {0, 1, 2};
  p.in = Layout::grid(n, in);
  std::vector<std::ptrdiff_t> half = n;
  if (kind == Kind::r2c) half[2] = half[2] / 2 + 1;
  p.out = Layout::grid(half, out);
  p.in_place = in_place;
  p.threads = 2;
  return p;
}

TEST(LayoutChunks, Pencils) {
  const int ranks = test::size_of(test::world());
  ASSERT_EQ(ranks % 2, 0);
  const int half = ranks / 2;
  EXPECT_GT(
      expect_right<double>(problem(Kind::c2c, {96, 60, 46}, {half, 2, 1}, {1, half, 2}, false)), 0);
  EXPECT_GT(expect_right<float>(problem(Kind::c2c, {99, 80, 64}, {2, half, 1}, {1, 2, half}, true)),
            0);
  EXPECT_GT(
      expect_right<double>(problem(Kind::r2c, {61, 97, 90}, {half, 2, 1}, {1, half, 2}, false)), 0);
}

TEST(LayoutChunks, Bricks) {
  const int half = test::size_of(test::world()) / 2;
  EXPECT_GT(
      expect_right<double>(problem(Kind::c2c, {64, 61, 58}, {half, 2, 1}, {half, 2, 1}, false)), 0);
}

} // namespace
} // namespace hybridfft::plan
