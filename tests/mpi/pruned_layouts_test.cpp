/// Compares random pruned transforms between layouts with the definition.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "array_values.h"
#include "hybridfft/hybridfft.hpp"
#include "pruned_truth.h"
#include "random_layout.h"
#include "support/mpi_test.h"
#include "verifier/guarded.h"

namespace hybridfft {
namespace {

using test::cast;
using test::Exact;
using test::Extents;
using test::Field;
using test::for_values;
using test::number;
using test::RandomCases;

int ranks() { return test::size_of(test::world()); }

struct Case {
  Kind kind;
  bool backward;
  Extents n, modes, spectrum; ///< `spectrum` has the stored extents
  std::vector<int> axes;      ///< transformed axes; in real transforms the last one is halved
  std::ptrdiff_t howmany;
  Layout points_layout, spectrum_layout;
  bool in_place;
  verifier::Edge edge; ///< edge of the arrays that is next to a guard page
  Options options{.comm = test::world()};
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

Case random_case(RandomCases &random, Kind kind, bool backward) {
  Case c;
  c.kind = kind;
  c.backward = backward;
  const auto d = static_cast<std::size_t>(random.one_in(5) ? 2 : 3);
  for (std::size_t a = 0; a < d; ++a) {
    c.n.push_back(1 + random.below(random.one_in(4) ? 21 : 10));
    c.axes.push_back(static_cast<int>(a));
  }
  if (random.one_in(3)) random.shuffle(c.axes);
  if (random.one_in(4)) c.axes.erase(c.axes.begin());
  c.modes = c.n;
  for (const int a : c.axes) {
    std::ptrdiff_t &m = c.modes[static_cast<std::size_t>(a)];
    if (!random.one_in(4)) m = 1 + random.below(m);
  }
  c.spectrum = c.modes;
  if (c.real()) {
    std::ptrdiff_t &m = c.spectrum[static_cast<std::size_t>(c.axes.back())];
    m = m / 2 + 1;
  }
  c.howmany = random.one_in(3) ? 2 : 1;
  const Fields fields = random.one_in(2) ? Fields::separate : Fields::interleaved;
  c.points_layout = test::random_layout(random, c.n, ranks(), c.howmany, fields);
  c.spectrum_layout = test::random_layout(random, c.spectrum, ranks(), c.howmany, fields);
  c.in_place = random.one_in(3);
  c.options.direction = backward ? Direction::backward : Direction::forward;
  c.options.effort = random.one_in(8) ? Effort::measure : Effort::estimate;
  c.options.threads = 1 + static_cast<int>(random.below(2));
  c.options.deterministic = random.one_in(5);
  c.options.nonblocking = random.one_in(4);
  c.options.axes = c.axes;
  c.options.modes = c.modes;
  constexpr std::array exchanges{"", "", "shared", "pipelined", "alltoallv", "fftw"};
  c.edge = random.one_in(2) ? verifier::Edge::front : verifier::Edge::back;
  c.exchange = exchanges[static_cast<std::size_t>(
      random.below(static_cast<std::ptrdiff_t>(exchanges.size())))];
  return c;
}

/// A field before and after its exact transform.
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

  /// Transforms by the definition: a sum over the points or over the retained modes.
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

  /// Returns value(i) of a half spectrum of real data. If the half spectrum also contains the
  /// opposite wave -k, the two values are made conjugate.
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
  verifier::name_faults(c.describe());
  const verifier::Guarded a(c.in_place ? std::max(in_bytes, out_bytes) : in_bytes, c.edge);
  const verifier::Guarded b(c.in_place ? 0 : out_bytes, c.edge);
  const auto in = a.as<In>(sizes.allocate_in);
  const auto out = (c.in_place ? a : b).as<Out>(sizes.allocate_out);
  Plan<Real, K> plan(c.in(), c.out(), in, out, c.options);
  unsetenv("HFFT_EXCHANGE");
  std::memset(static_cast<void *>(in.data()), 0, in_bytes);
  for_values(sizes.in, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
    // The values of dropped modes must not be used.
    in[static_cast<std::size_t>(at)] = c.backward && c.dropped(i)
                                           ? In(std::numeric_limits<Real>::quiet_NaN())
                                           : cast<In>(truth[h].in.at(i));
  });
  {
    const verifier::ReadOnly input(a, !c.in_place);
    if (c.options.nonblocking) {
      plan.start();
      plan.wait();
    } else {
      plan.execute();
    }
  }
  // A transform of unit norm has an error below `bound` (tools/verifier/tolerance.h). Sums over P
  // points multiply norms by at most sqrt(P), and the weights 2 of half spectra by at most 2.
  long double error = 0;
  bool zero = true;
  for_values(sizes.out, [&](std::ptrdiff_t at, const Extents &i, std::size_t h) {
    const Out value = out[static_cast<std::size_t>(at)];
    const std::complex<double> found(value);
    error += std::norm(Exact(found.real(), found.imag()) - truth[h].out.at(i));
    zero = zero && (c.backward || !c.dropped(i) || value == Out(0));
  });
  double sum = static_cast<double>(error);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, test::world());
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
  RandomCases random(seed + static_cast<std::uint32_t>(ranks()));
  for (int i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
    expect_definition<Real, Kind::c2c>(random_case(random, Kind::c2c, false));
    expect_definition<Real, Kind::c2c>(random_case(random, Kind::c2c, true));
    expect_definition<Real, Kind::r2c>(random_case(random, Kind::r2c, false));
    expect_definition<Real, Kind::c2r>(random_case(random, Kind::c2r, true));
  }
}

TEST(PrunedLayouts, RandomOnesAreTheDefinition) {
  sweep<double>(1000, 6);
  sweep<float>(2000, 4);
}

Case between_slabs(Kind kind, bool backward, const Extents &n, const Extents &modes,
                   const char *exchange) {
  Case c;
  c.kind = kind;
  c.backward = backward;
  c.n = n;
  c.modes = c.spectrum = modes;
  c.axes = {0, 1, 2};
  if (c.real()) c.spectrum[2] = modes[2] / 2 + 1;
  c.howmany = 1;
  c.points_layout = Layout::slab(c.n, ranks());
  c.spectrum_layout = Layout::slab(c.spectrum, ranks(), {.transposed = true});
  c.in_place = false;
  c.options.direction = backward ? Direction::backward : Direction::forward;
  c.options.effort = Effort::estimate;
  c.options.axes = c.axes;
  c.options.modes = c.modes;
  c.edge = verifier::Edge::back;
  c.exchange = exchange;
  return c;
}

/// On 4 ranks the last one has no rows, or no columns, and its array is smaller than its messages.
TEST(PrunedLayouts, RanksWithoutDataOnOneSideHaveSmallArrays) {
  for (const char *exchange : {"fftw", "alltoallv", "pipelined", "shared"})
    for (const auto &[n, modes] : {std::pair<Extents, Extents>{{6, 8, 4}, {1, 8, 4}},
                                   {{6, 8, 4}, {5, 8, 4}},
                                   {{8, 6, 4}, {8, 6, 4}},
                                   {{6, 8, 8}, {6, 8, 8}}}) {
      expect_definition<double, Kind::c2c>(between_slabs(Kind::c2c, false, n, modes, exchange));
      expect_definition<double, Kind::c2c>(between_slabs(Kind::c2c, true, n, modes, exchange));
      expect_definition<double, Kind::r2c>(between_slabs(Kind::r2c, false, n, modes, exchange));
      expect_definition<double, Kind::c2r>(between_slabs(Kind::c2r, true, n, modes, exchange));
    }
}

TEST(PrunedLayoutsSweep, ManyAreTheDefinition) {
  sweep<double>(3000, 200);
  sweep<float>(4000, 100);
}

} // namespace
} // namespace hybridfft
