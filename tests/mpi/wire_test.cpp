/// Tests reduced precision in messages: documented error bounds, half of the bytes, and, if
/// promised, the same bits on any number of ranks.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "message_bytes.h"
#include "support/mpi_test.h"
#include "verifier/guarded.h"
#include "verifier/hash.h"

namespace hybridfft {
namespace {

using Extents = std::vector<std::ptrdiff_t>;

/// Returns the largest relative error of one rounding to the format.
double unit(Wire wire) {
  return wire == Wire::single ? 0x1p-24 : wire == Wire::bfloat16 ? 0x1p-8 : 0x1p-11;
}

/// Returns a number in -1 .. 1. It depends only on the index in the global array.
double number(std::ptrdiff_t index, std::uint64_t part) {
  return std::ldexp(static_cast<double>(verifier::mix(static_cast<std::uint64_t>(index), part)),
                    -63) -
         1;
}

template <class Real> void set(Real &to, std::ptrdiff_t index) {
  to = static_cast<Real>(number(index, 0));
}
template <class Real> void set(std::complex<Real> &to, std::ptrdiff_t index) {
  to = {static_cast<Real>(number(index, 0)), static_cast<Real>(number(index, 1))};
}

/// Calls f(offset, index) for all values except padding; howmany values of a point have one index.
template <class F> void for_values(const LayoutView &view, std::size_t dimensions, const F &f) {
  std::vector<std::ptrdiff_t> index(dimensions);
  for (std::ptrdiff_t at = 0; at < view.size(); ++at)
    if (view.global(at, index)) f(at, index);
}

template <class Real, Kind K> class Transform {
public:
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

  Transform(const Extents &n, const Options &options, bool in_place = false)
      : in_place_(in_place), dimensions_(n.size()), sizes_(local_sizes<Real, K>(n, options)),
        in_(reals(), edge()), out_(reals(), edge()),
        plan_(n, {input(), sizes_.allocate_in}, {output(), sizes_.allocate_out}, options) {
    fill();
  }
  In *input() { return reinterpret_cast<In *>(in_.data()); }
  Out *output() { return reinterpret_cast<Out *>(in_place_ ? in_.data() : out_.data()); }
  Plan<Real, K> &plan() { return plan_; }

  void fill() {
    for_values(sizes_.in, dimensions_, [&](std::ptrdiff_t at, const auto &i) {
      std::ptrdiff_t index = 0;
      for (const std::ptrdiff_t k : i)
        index = index * 1009 + k;
      set(input()[at], index);
    });
  }

  /// Returns the values of the result on this rank, without padding, in memory order.
  std::vector<Out> result() {
    std::vector<Out> values;
    for_values(sizes_.out, dimensions_,
               [&](std::ptrdiff_t at, const auto &) { values.push_back(output()[at]); });
    return values;
  }

private:
  /// Returns the number of reals that local_size demands; each array is next to a guard page.
  std::size_t reals() const {
    const std::size_t in = sizes_.allocate_in * sizeof(In) / sizeof(Real);
    const std::size_t out = sizes_.allocate_out * sizeof(Out) / sizeof(Real);
    return std::max(in, out);
  }
  static verifier::Edge edge() {
    static int made = 0;
    return ++made / 2 % 2 == 0 ? verifier::Edge::front : verifier::Edge::back;
  }

  bool in_place_;
  std::size_t dimensions_;
  LocalSizes sizes_;
  verifier::GuardedBuffer<Real> in_, out_;
  Plan<Real, K> plan_;
};

double sum_of_all(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, test::world());
  return value;
}

/// Returns |a - b| / |b| over all ranks, in the L2 norm.
template <class T> double relative_error(const std::vector<T> &a, const std::vector<T> &b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(std::abs(std::complex<double>(a[i]) - std::complex<double>(b[i])), 2);
    norm += std::pow(std::abs(std::complex<double>(b[i])), 2);
  }
  return std::sqrt(sum_of_all(difference) / sum_of_all(norm));
}

/// Compares the plan of reduced precision with the full one. For E exchanges and the rounding error
/// u = unit(wire), the error must be within (1 + u)^E - 1 plus the error of the arithmetic.
template <class Real, Kind K>
void expect_within_bound(const Extents &n, Options options, bool in_place, Wire wire) {
  Transform<Real, K> full(n, options, in_place);
  options.wire = wire;
  Transform<Real, K> reduced(n, options, in_place);
  full.plan().execute();
  reduced.plan().execute();
  const double error = relative_error(reduced.result(), full.result());
  const int exchanges = options.transposed_in == options.transposed_out ? 2 : 1;
  double points = 2;
  for (const std::ptrdiff_t i : n)
    points *= static_cast<double>(i);
  // Two transforms: Higham's theorem 24.2, as in verifier/tolerance.h.
  const double arithmetic = 2 * 12 * std::log2(points) * std::numeric_limits<Real>::epsilon();
  const double bound = std::pow(1 + unit(wire), exchanges) - 1 + arithmetic;
  EXPECT_LE(error, bound) << reduced.plan().describe();
  // Here messages contain at least half of the numbers, so rounding them causes a visible error.
  if (test::size_of(test::world()) > 1 && n[0] > 8 && n[1] > 8) {
    EXPECT_GE(error, unit(wire) / 8);
  }
}

const std::vector<Extents> shapes{{16, 12, 10}, {9, 17, 6}, {11, 10, 3, 4}, {13, 18},
                                  {1, 5, 6},    {7, 1, 4},  {3, 2, 2}};

/// Tests all placements and transpositions of all shapes, or two of them for each shape in turn.
template <class Real, Kind K> void sweep(Wire wire, bool all) {
  int shape = 0;
  for (const Extents &n : shapes)
    for (const bool in_place : {false, true})
      for (int transposed = 0; transposed < 4; ++transposed) {
        Options options{.comm = test::world()};
        options.effort = Effort::estimate;
        options.transposed_in = (transposed & 1) != 0;
        options.transposed_out = (transposed & 2) != 0;
        options.howmany = 1 + shape % 2;
        options.threads = ++shape % 8 == 0 ? 3 : 1;
        const int combination = transposed + (in_place ? 4 : 0);
        if (!all && combination % 4 != (n[0] + static_cast<int>(K)) % 4) continue;
        if (n.size() == 2 && K != Kind::c2c && transposed != 0) continue;
        SCOPED_TRACE("shape " + std::to_string(shape) + " transposed " +
                     std::to_string(transposed));
        expect_within_bound<Real, K>(n, options, in_place, wire);
      }
}

template <class Real> void sweep_kinds(Wire wire, bool all) {
  sweep<Real, Kind::c2c>(wire, all);
  sweep<Real, Kind::r2c>(wire, all);
  sweep<Real, Kind::c2r>(wire, all);
}

TEST(Wire, SingleOnDoubleIsWithinItsBound) { sweep_kinds<double>(Wire::single, false); }
TEST(Wire, Bfloat16IsWithinItsBound) { sweep_kinds<float>(Wire::bfloat16, false); }
TEST(Wire, HalfIsWithinItsBound) { sweep_kinds<float>(Wire::half, false); }

TEST(WireSweep, EveryShapeIsWithinItsBound) {
  sweep_kinds<double>(Wire::single, true);
  sweep_kinds<float>(Wire::bfloat16, true);
  sweep_kinds<float>(Wire::half, true);
}

/// Scaling brings numbers that are far outside the range of half precision into it.
TEST(Wire, HalfScalesLargeAndSmallNumbers) {
  const Extents n{16, 12, 10};
  for (const float factor : {1e30F, 1e-30F}) {
    Options options{.comm = test::world()};
    options.effort = Effort::estimate;
    Transform<float, Kind::c2c> full(n, options);
    options.wire = Wire::half;
    Transform<float, Kind::c2c> reduced(n, options);
    for (Transform<float, Kind::c2c> *t : {&full, &reduced}) {
      for (std::ptrdiff_t i = 0; i < t->plan().input().size(); ++i)
        t->input()[i] *= factor;
      t->plan().execute();
    }
    std::vector<std::complex<float>> a = reduced.result();
    std::vector<std::complex<float>> b = full.result();
    for (auto *list : {&a, &b})
      for (std::complex<float> &x : *list)
        x /= factor;
    EXPECT_LE(relative_error(a, b), 2.1 * 0x1p-11);
  }
}

template <class Real> long long bytes_of_one_execution(const Extents &n, const Options &options) {
  Transform<Real, Kind::c2c> t(n, options);
  return test::bytes_sent(t.plan());
}

/// Counts the bytes that a rank sends to others in both exchanges.
template <class Real> void expect_half_of_the_bytes(Wire wire, long long largest_header) {
  const Extents n{16, 13, 10};
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  setenv("HFFT_EXCHANGE", "pipelined", 1); // bytes_sent() does not count shared memory
  const long long full = bytes_of_one_execution<Real>(n, options);
  options.wire = wire;
  const long long reduced = bytes_of_one_execution<Real>(n, options);
  unsetenv("HFFT_EXCHANGE");
  const int size = test::size_of(test::world());
  if (size > 1) {
    EXPECT_GT(sum_of_all(static_cast<double>(full)), 0);
  }
  EXPECT_GE(reduced, full / 2);
  EXPECT_LE(reduced, full / 2 + largest_header * 2 * (size - 1));
}

TEST(Wire, HalfOfTheBytesAreSent) {
  expect_half_of_the_bytes<double>(Wire::single, 0);
  expect_half_of_the_bytes<float>(Wire::bfloat16, 0);
  expect_half_of_the_bytes<float>(Wire::half, sizeof(float));
}

/// A transform between layouts: this rank's part of the result, and the bytes that it has sent.
template <class Real> struct BetweenLayouts {
  std::vector<std::complex<Real>> result;
  long long bytes = 0;
  int exchanges = 0;

  BetweenLayouts(const Layout &in, const Layout &out, const Options &options) {
    const auto sizes = local_sizes<Real, Kind::c2c>(in, out, options);
    Buffer<std::complex<Real>> a(sizes.allocate_in);
    Buffer<std::complex<Real>> b(sizes.allocate_out);
    Plan<Real, Kind::c2c> plan(in, out, a, b, options);
    for_values(plan.input(), 3, [&](std::ptrdiff_t at, const auto &i) {
      set(a[static_cast<std::size_t>(at)], (i[0] * 1009 + i[1]) * 1009 + i[2]);
    });
    bytes = test::bytes_sent(plan);
    for_values(plan.output(), 3, [&](std::ptrdiff_t at, const auto &) {
      result.push_back(b[static_cast<std::size_t>(at)]);
    });
    const std::string text = plan.describe();
    for (std::size_t at = text.find("exchange "); at != std::string::npos;
         at = text.find("exchange ", at + 1))
      ++exchanges;
  }
};

template <class Real>
void expect_reduced(const Layout &in, const Layout &out, Wire wire, Options options) {
  const BetweenLayouts<Real> full(in, out, options);
  options.wire = wire;
  const BetweenLayouts<Real> reduced(in, out, options);
  const double arithmetic = 2 * 12 * 11 * std::numeric_limits<Real>::epsilon();
  const double error = relative_error(reduced.result, full.result);
  EXPECT_LE(error, std::pow(1 + unit(wire), reduced.exchanges) - 1 + arithmetic);
  const double bytes = sum_of_all(static_cast<double>(full.bytes));
  if (bytes == 0) return;
  EXPECT_GE(error, unit(wire) / 8) << "nothing has been rounded";
  // Half precision has a scale in each message.
  EXPECT_LE(sum_of_all(static_cast<double>(reduced.bytes)), 0.6 * bytes);
  EXPECT_GE(sum_of_all(static_cast<double>(reduced.bytes)), 0.5 * bytes);
}

TEST(Wire, BetweenLayouts) {
  const int size = test::size_of(test::world());
  const int a = size % 2 == 0 ? 2 : 1;
  const int b = size % 4 == 0 ? 2 : 1;
  const int c = size / a / b;
  const Extents n{16, 12, 18};
  setenv("HFFT_EXCHANGE", "pipelined", 1); // bytes_sent() does not count shared memory
  for (const bool fields : {false, true}) {
    const Layout::Options many{{}, {}, fields ? 2 : 1, Fields::separate};
    const Layout brick = Layout::grid(n, {c, b, a}, many);
    const Layout pencil = Layout::grid(n, {1, c * b, a}, many);
    for (const Layout *out : {&pencil, &brick}) {
      Options options{.comm = test::world(), .effort = Effort::estimate};
      expect_reduced<double>(brick, *out, Wire::single, options);
      expect_reduced<float>(brick, *out, Wire::bfloat16, options);
      expect_reduced<float>(brick, *out, Wire::half, options);
    }
  }
  unsetenv("HFFT_EXCHANGE");
}

/// Reduced precision needs an exchange by messages, even if the environment names another one.
TEST(Wire, ForcedExchangeWithoutMessages_IsReplaced) {
  for (const char *exchange : {"shared", "alltoallv", "fftw"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    Options options{.comm = test::world()};
    options.effort = Effort::estimate;
    expect_within_bound<float, Kind::c2c>({16, 12, 10}, options, false, Wire::bfloat16);
    unsetenv("HFFT_EXCHANGE");
  }
}

TEST(Wire, Description_NamesThePrecision) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  options.wire = Wire::bfloat16;
  Transform<float, Kind::c2c> t({16, 12, 10}, options);
  EXPECT_NE(t.plan().describe().find("bfloat16"), std::string::npos);
}

/// On one rank nothing is sent, so that results have full precision.
TEST(Wire, OneRankLosesNothing) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  options.comm = MPI_COMM_SELF;
  Transform<float, Kind::c2c> full({16, 12, 10}, options);
  options.wire = Wire::half;
  Transform<float, Kind::c2c> reduced({16, 12, 10}, options);
  full.plan().execute();
  reduced.plan().execute();
  EXPECT_EQ(full.result(), reduced.result());
}

/// Returns this rank's part of the complete result, computed on one rank.
template <class Real, Kind K>
std::vector<typename Elements<Real, K>::Out> part_of(Transform<Real, K> &whole,
                                                     const LayoutView &mine) {
  std::map<std::array<std::ptrdiff_t, 3>, typename Elements<Real, K>::Out> by_index;
  whole.plan().output().template for_each<3>(
      [&](std::ptrdiff_t at, const auto &i) { by_index[i] = whole.output()[at]; });
  std::vector<typename Elements<Real, K>::Out> values;
  mine.for_each<3>([&](std::ptrdiff_t, const auto &i) { values.push_back(by_index.at(i)); });
  return values;
}

template <class Real, Kind K> void expect_bits_of_one_rank(const Extents &n, Wire wire) {
  for (const bool transposed : {false, true}) {
    Options options{.comm = test::world()};
    options.effort = Effort::estimate;
    options.deterministic = true;
    options.transposed_out = transposed;
    options.wire = wire;
    options.threads = 1 + test::size_of(test::world()) % 3;
    Transform<Real, K> together(n, options);
    options.comm = MPI_COMM_SELF;
    options.threads = 1;
    Transform<Real, K> alone(n, options);
    options.wire = Wire::full;
    Transform<Real, K> full(n, options);
    together.plan().execute();
    alone.plan().execute();
    full.plan().execute();
    EXPECT_EQ(together.result(), part_of(alone, together.plan().output()));
    EXPECT_NE(alone.result(), full.result());
  }
}

TEST(Wire, DeterministicBitsDoNotDependOnRanks) {
  for (const Extents &n : {Extents{16, 12, 10}, Extents{9, 17, 6}}) {
    expect_bits_of_one_rank<double, Kind::c2c>(n, Wire::single);
    expect_bits_of_one_rank<float, Kind::c2c>(n, Wire::bfloat16);
    expect_bits_of_one_rank<float, Kind::r2c>(n, Wire::bfloat16);
    expect_bits_of_one_rank<float, Kind::c2r>(n, Wire::bfloat16);
  }
}

template <class Real> std::string refusal(Wire wire, bool deterministic) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  options.wire = wire;
  options.deterministic = deterministic;
  try {
    Transform<Real, Kind::c2c>({8, 6, 4}, options);
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_FLAGS);
    return e.what();
  }
  return "accepted";
}

TEST(Wire, UnsuitableFormats_AreRefused) {
  EXPECT_NE(refusal<float>(Wire::single, false).find("HFFT_WIRE_SINGLE"), std::string::npos);
  EXPECT_NE(refusal<double>(Wire::half, false).find("HFFT_WIRE_HALF"), std::string::npos);
  EXPECT_NE(refusal<double>(Wire::bfloat16, false).find("HFFT_WIRE_BFLOAT16"), std::string::npos);
  EXPECT_NE(refusal<float>(Wire::half, true).find("HFFT_DETERMINISTIC"), std::string::npos);
  const auto both = static_cast<Wire>(HFFT_WIRE_BFLOAT16 | HFFT_WIRE_HALF);
  EXPECT_NE(refusal<float>(both, false).find("one of them"), std::string::npos);
}

/// Wisdom measured with reduced precision is not used for full precision.
TEST(Wire, WisdomIsFiledApart) {
  unsetenv("HFFT_THREADS"); // measurements under this variable are stored separately
  hfft_forget_wisdom();
  const Extents n{8, 6, 4};
  Options options{.comm = test::world()};
  options.wire = Wire::single;
  { Transform<double, Kind::c2c> measured(n, options); }
  options.wisdom_only = true;
  EXPECT_NO_THROW((Transform<double, Kind::c2c>(n, options)));
  options.wire = Wire::full;
  EXPECT_THROW((Transform<double, Kind::c2c>(n, options)), Error);
  const std::string text = export_wisdom();
  if (test::rank_of(test::world()) == 0) {
    EXPECT_NE(text.find(" wire=single"), std::string::npos) << text;
  }
  hfft_forget_wisdom();
  import_wisdom(text);
  options.wire = Wire::single;
  EXPECT_NO_THROW((Transform<double, Kind::c2c>(n, options)));
  hfft_forget_wisdom();
  setenv("HFFT_THREADS", "all", 1);
}

} // namespace
} // namespace hybridfft
