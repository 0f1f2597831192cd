/// Pruned transforms between layouts: random ones against the definition, what they send and
/// transform, the same bits everywhere, and what is refused.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include "hybridfft/pencils.hpp"
#include "message_bytes.h"
#include "pruned_truth.h"
#include "random_layout.h"
#include "support/mpi_test.h"
#include "support/verify/hash.h"

namespace hybridfft {
namespace {

using test::Dice;
using test::Exact;
using test::Extents;
using test::Field;

int ranks() { return test::size_of(MPI_COMM_WORLD); }
int rank() { return test::rank_of(MPI_COMM_WORLD); }

/// A number in -1 .. 1 that depends on the index in the whole array only.
long double number(const Extents &index, std::ptrdiff_t which) {
  std::uint64_t hash = static_cast<std::uint64_t>(which);
  for (const std::ptrdiff_t i : index)
    hash = verifier::mix(hash, static_cast<std::uint64_t>(i));
  return static_cast<float>(std::ldexp(static_cast<double>(verifier::mix(hash)), -63) - 1);
}

struct Case {
  Kind kind;
  bool backward;
  Extents n, modes, spectrum; ///< the last one as it is stored
  std::vector<int> axes;      ///< the halved one last
  std::ptrdiff_t howmany;
  Layout points_layout, spectrum_layout;
  bool in_place;
  Options options;
  const char *exchange;

  bool real() const { return kind != Kind::c2c; }
  bool halved(std::size_t axis) const { return real() && static_cast<int>(axis) == axes.back(); }
  const Layout &in() const { return backward ? spectrum_layout : points_layout; }
  const Layout &out() const { return backward ? points_layout : spectrum_layout; }
  bool dropped(const Extents &index) const {
    for (std::size_t a = 0; a < index.size(); ++a)
      if (!test::mode(index[a], modes[a], n[a]).kept) return true;
    return false;
  }
  std::string describe() const {
    std::string text = in().describe() + " > " + out().describe() + ", modes";
    for (const std::ptrdiff_t m : modes)
      text += " " + std::to_string(m);
    text += ", axes";
    for (const int a : axes)
      text += " " + std::to_string(a);
    return text + (in_place ? ", in place, " : ", ") + exchange;
  }
};

Case random_case(Dice &dice, Kind kind, bool backward) {
  Case c;
  c.kind = kind;
  c.backward = backward;
  const auto d = static_cast<std::size_t>(dice.one_in(5) ? 2 : 3);
  for (std::size_t a = 0; a < d; ++a) {
    c.n.push_back(1 + dice.roll(dice.one_in(4) ? 21 : 10));
    c.axes.push_back(static_cast<int>(a));
  }
  if (dice.one_in(3)) dice.shuffle(c.axes);
  if (dice.one_in(4)) c.axes.erase(c.axes.begin());
  c.modes = c.n;
  for (const int a : c.axes) {
    std::ptrdiff_t &m = c.modes[static_cast<std::size_t>(a)];
    if (!dice.one_in(4)) m = 1 + dice.roll(m);
  }
  c.spectrum = c.modes;
  if (c.real()) {
    std::ptrdiff_t &m = c.spectrum[static_cast<std::size_t>(c.axes.back())];
    m = m / 2 + 1;
  }
  c.howmany = dice.one_in(3) ? 2 : 1;
  const Fields fields = dice.one_in(2) ? Fields::separate : Fields::interleaved;
  c.points_layout = test::random_layout(dice, c.n, ranks(), c.howmany, fields);
  c.spectrum_layout = test::random_layout(dice, c.spectrum, ranks(), c.howmany, fields);
  c.in_place = dice.one_in(3);
  c.options.direction = backward ? Direction::backward : Direction::forward;
  c.options.effort = dice.one_in(8) ? Effort::measure : Effort::estimate;
  c.options.threads = 1 + static_cast<int>(dice.roll(2));
  c.options.deterministic = dice.one_in(5);
  c.options.nonblocking = dice.one_in(4);
  c.options.axes = c.axes;
  c.options.modes = c.modes;
  constexpr std::array exchanges{"", "", "shared", "pipelined", "alltoallv"};
  c.exchange = exchanges[static_cast<std::size_t>(dice.roll(exchanges.size()))];
  return c;
}

/// A field before its transform, and what it becomes.
struct Truth {
  Truth(const Case &c, std::ptrdiff_t field) {
    const auto value = [field](const Extents &i) {
      return Exact(number(i, 2 * field), number(i, 2 * field + 1));
    };
    const auto input = [&](const Extents &i) -> Exact {
      if (!c.real()) return value(i);
      return c.backward ? hermitian(c, i, value) : Exact(value(i).real());
    };
    in = test::make_field(c.backward ? c.spectrum : c.n, input);
    out = in;
    for (const int axis : c.axes)
      out = transform(c, out, static_cast<std::size_t>(axis));
    if (c.real() && c.backward)
      for (Exact &v : out.values)
        v = v.real();
  }

  /// By definition: a sum over the points or over the modes that are kept.
  static Field transform(const Case &c, const Field &from, std::size_t a) {
    const std::ptrdiff_t n = c.n[a];
    const std::ptrdiff_t m = c.modes[a];
    const auto forward = [=](std::ptrdiff_t i, std::ptrdiff_t x) {
      const test::Mode k = test::mode(i, m, n);
      return k.kept ? test::wave(k.frequency, x, n, -1) : Exact(0);
    };
    if (!c.backward) return test::along(from, a, c.spectrum[a], forward);
    const bool half = c.halved(a);
    return test::along(from, a, n, [&](std::ptrdiff_t x, std::ptrdiff_t i) {
      const long double weight = half && i != 0 && 2 * i != n ? 2 : 1;
      return weight * std::conj(forward(i, x));
    });
  }

  /// Where k and -k both are in a half spectrum, what real data have there.
  template <class F> static Exact hermitian(const Case &c, const Extents &i, const F &value) {
    const auto h = static_cast<std::size_t>(c.axes.back());
    if (i[h] != 0 && 2 * i[h] != c.modes[h]) return value(i);
    Extents other = i;
    for (const int axis : c.axes) {
      const auto a = static_cast<std::size_t>(axis);
      other[a] = (c.modes[a] - i[a]) % c.modes[a];
    }
    return (value(i) + std::conj(value(other))) / 2.0L;
  }

  Field in, out;
};

/// Every value of a rank that is not padding: its place, index and field.
template <class F> void for_values(const LayoutView &view, const F &f) {
  const Layout &l = view.layout();
  Extents index(static_cast<std::size_t>(l.dimensions()));
  for (std::ptrdiff_t at = 0; at < view.size(); ++at)
    if (view.global(at, index))
      f(at, index,
        static_cast<std::size_t>(l.fields() == Fields::separate ? at / l.field_stride(view.rank())
                                                                : at % l.howmany()));
}

template <class T> T cast(const Exact &v) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(v.real());
  else
    return {static_cast<typename T::value_type>(v.real()),
            static_cast<typename T::value_type>(v.imag())};
}

/// Arrays exactly as large as they have to be, with a fence behind each.
class Fenced {
public:
  explicit Fenced(std::size_t bytes) : bytes_(bytes + 64, fence) {}
  template <class T> std::span<T> as(std::size_t n) {
    return {reinterpret_cast<T *>(bytes_.data()), n};
  }
  bool intact() const {
    return std::all_of(bytes_.end() - 64, bytes_.end(), [](std::byte b) { return b == fence; });
  }

private:
  static constexpr std::byte fence{0x5a};
  std::vector<std::byte> bytes_;
};

template <class Real, Kind K> void expect_definition(const Case &c) {
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;
  std::vector<Truth> truth;
  for (std::ptrdiff_t h = 0; h < c.howmany; ++h)
    truth.emplace_back(c, h);
  if (*c.exchange != '\0') setenv("HFFT_EXCHANGE", c.exchange, 1);
  const LocalSizes sizes = local_sizes<Real, K>(c.in(), c.out(), c.options);
  const std::size_t in_bytes = sizes.allocate_in * sizeof(In);
  const std::size_t out_bytes = sizes.allocate_out * sizeof(Out);
  Fenced a(c.in_place ? std::max(in_bytes, out_bytes) : in_bytes);
  Fenced b(c.in_place ? 0 : out_bytes);
  const auto in = a.as<In>(sizes.allocate_in);
  const auto out = (c.in_place ? a : b).as<Out>(sizes.allocate_out);
  Plan<Real, K> plan(c.in(), c.out(), in, out, c.options);
  unsetenv("HFFT_EXCHANGE");
  std::memset(static_cast<void *>(in.data()), 0, in_bytes);
  for_values(sizes.in, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
    // What is not kept is never used.
    in[static_cast<std::size_t>(at)] = c.backward && c.dropped(i)
                                           ? In(std::numeric_limits<Real>::quiet_NaN())
                                           : cast<In>(truth[h].in.at(i));
  });
  if (c.options.nonblocking) {
    plan.start();
    plan.wait();
  } else {
    plan.execute();
  }
  // One transform of unit norm has an error below `bound` (tools/support/verify/tolerance.h); sums
  // over P points multiply norms by at most sqrt(P), the weights 2 of half spectra by at most 2.
  long double error = 0;
  bool zero = true;
  for_values(sizes.out, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
    const Out value = out[static_cast<std::size_t>(at)];
    const std::complex<double> found(value);
    error += std::norm(Exact(found.real(), found.imag()) - truth[h].out.at(i));
    zero = zero && (c.backward || !c.dropped(i) || value == Out(0));
  });
  double sum = static_cast<double>(error);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double points = 1;
  for (const std::ptrdiff_t n : c.n)
    points *= static_cast<double>(n);
  double norm = 0;
  for (const Truth &t : truth)
    norm = std::hypot(norm, static_cast<double>(t.in.norm()));
  const double bound = 12 * std::numeric_limits<Real>::epsilon() * std::log2(2 * points);
  EXPECT_LE(std::sqrt(sum), 2 * bound * std::sqrt(points) * norm) << c.describe() << "\n"
                                                                  << plan.describe();
  EXPECT_TRUE(zero) << c.describe() << ": a mode that is not kept is not zero";
  EXPECT_TRUE(a.intact() && b.intact()) << c.describe();
}

template <class Real> void sweep(std::uint32_t seed, int rounds) {
  Dice dice(seed + static_cast<std::uint32_t>(ranks()));
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
    expect_definition<Real, Kind::c2c>(random_case(dice, Kind::c2c, false));
    expect_definition<Real, Kind::c2c>(random_case(dice, Kind::c2c, true));
    expect_definition<Real, Kind::r2c>(random_case(dice, Kind::r2c, false));
    expect_definition<Real, Kind::c2r>(random_case(dice, Kind::c2r, true));
  }
}

TEST(PrunedLayouts, RandomOnesAreTheDefinition) {
  sweep<double>(1000, 6);
  sweep<float>(2000, 4);
}

TEST(PrunedLayoutsSweep, ManyAreTheDefinition) {
  sweep<double>(3000, 200);
  sweep<float>(4000, 100);
}

/// A plan with arrays of its own.
template <class Real, Kind K> struct Transform {
  Transform(const Layout &from, const Layout &to, const Options &options)
      : sizes(local_sizes<Real, K>(from, to, options)), in(sizes.allocate_in),
        out(sizes.allocate_out), plan(from, to, in, out, options) {}

  LocalSizes sizes;
  Buffer<typename Elements<Real, K>::In> in;
  Buffer<typename Elements<Real, K>::Out> out;
  Plan<Real, K> plan;
};

/// P1 x P2, as far from a line as can be.
std::array<int, 2> process_grid() {
  int p = 1;
  for (int f = 1; f * f <= ranks(); ++f)
    if (ranks() % f == 0) p = f;
  return {p, ranks() / p};
}

Options pruned(const Extents &modes) {
  Options options;
  options.effort = Effort::estimate;
  options.nonblocking = true; // all messages are sent by MPI_Isend
  options.modes = modes;
  return options;
}

double flops(std::ptrdiff_t lines, std::ptrdiff_t points) {
  return 5 * static_cast<double>(lines * points) * std::log2(static_cast<double>(points));
}

/// Of a rank's row and column in the grid: the blocks of what is on the way. In a grid of one row
/// (a prime number of ranks) axes 0 and 2 are whole at once, and the only exchange is between modes
/// of axis 0.
struct Blocks {
  Blocks(const Extents &extents, const Extents &kept)
      : n(extents), modes(kept), half(modes[2] / 2 + 1), n0(block(n[0], 0)), n1(block(n[1], 1)),
        m1(block(modes[1], 0)), h(block(half, 1)) {}

  static bool one_row() { return process_grid()[0] == 1; }
  std::ptrdiff_t sent_forth() const {
    if (one_row()) return modes[0] * n1 * (half - h);
    return n0 * n1 * (half - h) + n0 * (modes[1] - m1) * h;
  }
  std::ptrdiff_t sent_back() const {
    if (one_row()) return modes[0] * (n[1] - n1) * h;
    return (n[0] - n0) * m1 * h + n0 * (n[1] - n1) * h;
  }
  /// Lines along each axis.
  std::array<std::ptrdiff_t, 3> lines() const {
    if (one_row()) return {n1 * half, modes[0] * h, n[0] * n1};
    return {m1 * h, n0 * h, n0 * n1};
  }

  static std::ptrdiff_t block(std::ptrdiff_t n, std::size_t dimension) {
    const auto grid = process_grid();
    return BlockDistribution(n, grid[dimension])
        .count(dimension == 0 ? rank() / grid[1] : rank() % grid[1]);
  }
  Extents n, modes;
  std::ptrdiff_t half;   ///< of the spectrum along the last axis
  std::ptrdiff_t n0, n1; ///< of the points
  std::ptrdiff_t m1, h;  ///< of the spectrum
};

template <class T> long long bytes_sent(T &transform) {
  const long long before = test::sent_bytes();
  transform.plan.execute();
  return test::sent_bytes() - before;
}

/// What a rank sends to others within its row of the grid, then within its column.
TEST(PrunedLayouts, OnlyKeptLinesAreSent) {
  const Extents n{24, 18, 12};
  for (const Extents &modes : {Extents{16, 12, 8}, {15, 11, 7}, {24, 18, 12}, {24, 6, 12}}) {
    const Pencils l = pruned_pencils(n, modes, process_grid(), true);
    const Blocks b(n, modes);
    Transform<double, Kind::r2c> forth(l.points, l.spectrum, pruned(modes));
    EXPECT_EQ(bytes_sent(forth), 16 * b.sent_forth()) << forth.plan.describe();
    Transform<double, Kind::c2r> back(l.spectrum, l.points, pruned(modes));
    EXPECT_EQ(bytes_sent(back), 16 * b.sent_back()) << back.plan.describe();
  }
}

TEST(PrunedLayouts, OnlyKeptLinesAreTransformed) {
  if (ranks() == 1) GTEST_SKIP() << "one rank may take the axes in any order";
  const Extents n{24, 18, 12};
  const Extents modes{16, 12, 8};
  const Pencils l = pruned_pencils(n, modes, process_grid(), true);
  const Blocks b(n, modes);
  const std::array<std::ptrdiff_t, 3> lines = b.lines();
  const double expected = flops(lines[2], n[2]) / 2 + flops(lines[1], n[1]) + flops(lines[0], n[0]);
  const auto check = [&](auto &t) {
    double sum = 0;
    for (const hfft_stage_profile &s : t.plan.profile())
      sum += s.flops;
    EXPECT_DOUBLE_EQ(sum, expected) << t.plan.describe();
    const std::string text = t.plan.describe();
    EXPECT_NE(text.find("24x18x12, 16x12x8 modes"), std::string::npos) << text;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string part =
          std::to_string(lines[a]) + " lines of " + std::to_string(n[a]) + ", ";
      EXPECT_TRUE(lines[a] == 0 || text.find(part) != std::string::npos) << part << "\n" << text;
    }
  };
  Transform<double, Kind::r2c> forth(l.points, l.spectrum, pruned(modes));
  check(forth);
  Transform<double, Kind::c2r> back(l.spectrum, l.points, pruned(modes));
  check(back);
}

/// What one rank alone gets, by index.
template <class Real, Kind K> void expect_bits_of_one_rank(const Extents &n, const Extents &modes) {
  Options options = pruned(modes);
  options.deterministic = true;
  options.direction = K == Kind::c2r ? Direction::backward : Direction::forward;
  const auto run = [&](MPI_Comm comm, const std::array<int, 2> &grid, int threads) {
    options.comm = comm;
    options.threads = threads;
    const Pencils l = pruned_pencils(n, modes, grid, K != Kind::c2c);
    auto t = K == Kind::c2r ? std::make_unique<Transform<Real, K>>(l.spectrum, l.points, options)
                            : std::make_unique<Transform<Real, K>>(l.points, l.spectrum, options);
    for_values(t->plan.input(), [&](std::ptrdiff_t at, const Extents &i, std::size_t) {
      t->in[at] = static_cast<Real>(number(i, 9));
    });
    t->plan.execute();
    return t;
  };
  const auto alone = run(MPI_COMM_SELF, {1, 1}, 1);
  const auto together = run(MPI_COMM_WORLD, process_grid(), 2);
  std::map<Extents, typename Elements<Real, K>::Out> truth;
  for_values(alone->plan.output(),
             [&](std::ptrdiff_t at, const Extents &i, std::size_t) { truth[i] = alone->out[at]; });
  std::ptrdiff_t different = 0;
  for_values(together->plan.output(), [&](std::ptrdiff_t at, const Extents &i, std::size_t) {
    if (!(truth.at(i) == together->out[at])) ++different;
  });
  EXPECT_EQ(different, 0) << together->plan.describe();
}

TEST(PrunedLayouts, DeterministicBitsDoNotDependOnRanks) {
  const Extents modes{8, 9, 7};
  for (const Extents &n : {Extents{12, 15, 18}, Extents{9, 37, 10}}) {
    expect_bits_of_one_rank<double, Kind::r2c>(n, modes);
    expect_bits_of_one_rank<float, Kind::c2r>(n, modes);
    expect_bits_of_one_rank<float, Kind::c2c>(n, modes);
  }
}

TEST(PrunedLayouts, WisdomIsOfTheSameModes) {
  hfft_forget_wisdom();
  const Extents n{12, 10, 8};
  const auto plan = [&](const Extents &modes, bool nonblocking, bool wisdom_only) {
    const Pencils l = pruned_pencils(n, modes, process_grid(), false);
    Options options;
    options.modes = modes;
    options.nonblocking = nonblocking;
    options.wisdom_only = wisdom_only;
    Transform<double, Kind::c2c> t(l.points, l.spectrum, options);
    return t.plan.describe();
  };
  const std::string first = plan({7, 6, 5}, false, false);
  EXPECT_EQ(plan({7, 6, 5}, false, true), first);
  EXPECT_THROW(plan({7, 6, 5}, true, true), Error);
  // Arrays of as many points, but of other modes: with 7 of 8 an odd number.
  plan({7, 6, 5}, true, false);
  plan({7, 6, 5}, true, true);
  if (rank() == 0) {
    EXPECT_NE(export_wisdom().find(" modes=7x6x5 nonblocking=yes"), std::string::npos)
        << export_wisdom();
  }
  const std::string text = export_wisdom();
  hfft_forget_wisdom();
  import_wisdom(text);
  hfft_forget_wisdom();
}

TEST(PrunedLayouts, AllModesAreThePlainPlan) {
  const Extents n{6, 5, 4};
  const Pencils l = pencils(n, process_grid(), false);
  Transform<double, Kind::c2c> t(l.points, l.spectrum, pruned(n));
  EXPECT_EQ(t.plan.describe().find("modes"), std::string::npos) << t.plan.describe();
}

void expect_refused(const Extents &spectrum, Options options, hfft_error code,
                    const std::string &words) {
  const Extents n(spectrum.size(), 8);
  std::vector<int> parts(n.size(), 1);
  parts[0] = ranks();
  options.effort = Effort::estimate;
  hfft_error found = HFFT_SUCCESS;
  try {
    Transform<double, Kind::c2c>(Layout::grid(n, parts), Layout::grid(spectrum, parts), options);
  } catch (const Error &e) {
    found = e.code();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
  EXPECT_EQ(found, code) << "expected: " << words;
}

TEST(PrunedLayouts, BadModesAreRefused) {
  Options options;
  options.modes = {4, 4};
  expect_refused({4, 4, 4}, options, HFFT_ERROR_ARGUMENT, "2 numbers, expected 3");
  options.modes = {4, 9, 4};
  expect_refused({4, 9, 4}, options, HFFT_ERROR_EXTENTS, "modes[1] is 9, expected 1 to 8");
  options.modes = {4, 0, 4};
  expect_refused({4, 1, 4}, options, HFFT_ERROR_EXTENTS, "modes[1] is 0, expected 1 to 8");
  options.modes = {4, 4, 4};
  expect_refused({4, 5, 4}, options, HFFT_ERROR_LAYOUT, "the output is 4x5x4, expected 4x4x4");
  options.axes = {0, 2};
  expect_refused({4, 4, 4}, options, HFFT_ERROR_ARGUMENT,
                 "modes[1] is 4 of an axis that is not transformed, expected 8");
  options.axes = {};
  options.wire = Wire::single;
  expect_refused({4, 4, 4}, options, HFFT_ERROR_FLAGS, "HFFT_WIRE_");
  options.wire = Wire::full;
  options.modes = {4, 4, 4, 4};
  expect_refused({4, 4, 4, 4}, options, HFFT_ERROR_UNSUPPORTED, "along 4 axes, expected at most 3");
  // Without modes the spectrum has to be whole.
  options.modes = {};
  expect_refused({8, 4, 8}, options, HFFT_ERROR_LAYOUT, "expected 8x8x8");
  if (ranks() == 1) return;
  // Modes that differ only in what a half spectrum does not show.
  const Extents n{8, 8};
  const Extents modes{8, rank() == 0 ? 5 : 4};
  const Layout points = Layout::grid(n, {ranks(), 1});
  const Layout half = Layout::grid(Extents{8, 3}, {ranks(), 1});
  try {
    Transform<double, Kind::r2c> t(points, half, pruned(modes));
    ADD_FAILURE() << "accepted";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_MISMATCH);
    EXPECT_NE(std::string(e.what()).find("modes"), std::string::npos) << e.what();
  }
}

TEST(PrunedLayouts, ThroughTheCApi) {
  const Extents n{8, 6};
  const Extents modes{5, 3};
  const std::array<int, 2> rows{ranks(), 1};
  const std::array<int, 2> columns{1, ranks()};
  hfft_layout in = hfft_layout_grid(2, n.data(), rows.data());
  hfft_layout out = hfft_layout_grid(2, modes.data(), columns.data());
  const std::ptrdiff_t size = hfft_layout_size(in, out, HFFT_C2C, MPI_COMM_WORLD);
  ASSERT_GE(size, 1);
  Buffer<std::complex<double>> a(static_cast<std::size_t>(size));
  auto *data = reinterpret_cast<hfft_complex *>(a.data());
  EXPECT_EQ(hfft_plan_pruned_layout_dft(in, out, 0, nullptr, nullptr, data, data, MPI_COMM_WORLD,
                                        HFFT_FORWARD, HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NULL_POINTER);
  hfft_plan plan = hfft_plan_pruned_layout_dft(in, out, 0, nullptr, modes.data(), data, data,
                                               MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  for (std::ptrdiff_t i = 0; i < hfft_layout_local_size(in, rank()); ++i)
    a[i] = 1;
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  Extents start(2);
  ASSERT_EQ(hfft_layout_local(out, rank(), start.data(), nullptr, nullptr), HFFT_SUCCESS);
  // A constant is its mean: sums of 48 ones.
  for (std::ptrdiff_t i = 0; i < hfft_layout_local_size(out, rank()); ++i)
    EXPECT_NEAR(std::abs(a[i]), i == 0 && start[1] == 0 ? 48 : 0, 1e-13) << i;
  hfft_destroy_plan(plan);
  hfft_layout_destroy(in);
  hfft_layout_destroy(out);
}

} // namespace
} // namespace hybridfft
