/// Compares one-dimensional transforms of distributed lines, made with the C interface, with FFTW's
/// plan of the complete line.

#include <fftw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "support/mpi_test.h"
#include "support/r2r_definition.h"
#include "verifier/hash.h"

namespace hybridfft {
namespace {

/// The C functions of one precision.
template <class Real> struct Api;
template <> struct Api<double> {
  using Plan = std::unique_ptr<hfft_plan_s, decltype(&hfft_destroy_plan)>;
  using Complex = hfft_complex;
  static constexpr auto destroy = hfft_destroy_plan;
  static constexpr auto size = hfft_local_size_many_1d;
  static constexpr auto plan = hfft_plan_many_dft;
  static constexpr auto plan_r2r = hfft_plan_many_r2r;
  static constexpr auto execute = hfft_execute;
  static constexpr auto execute_r2r = hfft_execute_r2r;
  static constexpr auto start = hfft_execute_start;
  static constexpr auto wait = hfft_execute_wait;
};
template <> struct Api<float> {
  using Plan = std::unique_ptr<hfftf_plan_s, decltype(&hfftf_destroy_plan)>;
  using Complex = hfftf_complex;
  static constexpr auto destroy = hfftf_destroy_plan;
  static constexpr auto size = hfftf_local_size_many_1d;
  static constexpr auto plan = hfftf_plan_many_dft;
  static constexpr auto plan_r2r = hfftf_plan_many_r2r;
  static constexpr auto execute = hfftf_execute;
  static constexpr auto execute_r2r = hfftf_execute_r2r;
  static constexpr auto start = hfftf_execute_start;
  static constexpr auto wait = hfftf_execute_wait;
};

struct Case {
  std::ptrdiff_t n = 1, howmany = 1;
  int sign = HFFT_FORWARD;
  unsigned flags = 0;
  bool in_place = false;

  std::string name() const {
    return "n " + std::to_string(n) + ", howmany " + std::to_string(howmany) + ", sign " +
           std::to_string(sign) + ", flags " + std::to_string(flags) +
           (in_place ? ", in place" : "");
  }
};

using Values = std::vector<std::complex<double>>;

/// Returns the values of the complete line, by point and then by field.
Values line_of(const Case &c) {
  Values x(static_cast<std::size_t>(c.n * c.howmany));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = {static_cast<double>(verifier::mix(5, 2 * i)) * 0x1p-63 - 1,
            static_cast<double>(verifier::mix(5, 2 * i + 1)) * 0x1p-63 - 1};
  return x;
}

/// Returns the spectrum of the line, computed by FFTW on this rank alone.
Values spectrum_of(const Case &c, Values x) {
  auto *data = reinterpret_cast<fftw_complex *>(x.data());
  const int n = static_cast<int>(c.n);
  const int howmany = static_cast<int>(c.howmany);
  const fftw_plan plan = fftw_plan_many_dft(1, &n, howmany, data, nullptr, howmany, 1, data,
                                            nullptr, howmany, 1, c.sign, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return x;
}

/// Returns the number of rows of the matrix that represents a line of n points. As documented, it
/// is the largest factor of n up to sqrt(n).
std::ptrdiff_t rows_of(std::ptrdiff_t n) {
  auto rows = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(n)));
  while (n % rows != 0)
    --rows;
  return rows;
}

/// Returns the frequency at an index of a scrambled spectrum.
std::ptrdiff_t unscrambled(std::ptrdiff_t place, std::ptrdiff_t n) {
  const std::ptrdiff_t rows = rows_of(n);
  const std::ptrdiff_t columns = n / rows;
  return place / columns + rows * (place % columns);
}

template <class Real> class Line {
  using A = Api<Real>;
  using Complex = std::complex<Real>;

public:
  explicit Line(const Case &c) : c_(c) {
    size_ = A::size(c.n, c.howmany, test::world(), c.sign, c.flags, &ni_, &i0_, &no_, &o0_);
    const std::size_t room = static_cast<std::size_t>(std::max<std::ptrdiff_t>(size_, 0));
    in_.resize(room);
    if (!c.in_place) out_.resize(room);
  }

  /// Returns the largest deviation from FFTW's spectrum, divided by the root mean square of that
  /// spectrum; infinity without a plan. Also expects start() and wait() to give the same bits.
  double error() {
    typename A::Plan plan(A::plan(1, &c_.n, c_.howmany, 0, 0, raw(in_), raw(result()),
                                  test::world(), c_.sign, c_.flags),
                          A::destroy);
    if (!plan) return std::numeric_limits<double>::infinity();
    fill();
    EXPECT_EQ(A::execute(plan.get()), HFFT_SUCCESS);
    const double error = deviation();
    const std::vector<Complex> first = result();
    fill();
    EXPECT_EQ(A::start(plan.get()), HFFT_SUCCESS);
    EXPECT_EQ(A::wait(plan.get()), HFFT_SUCCESS);
    EXPECT_EQ(std::memcmp(first.data(), result().data(), bytes()), 0) << c_.name();
    return error;
  }

  /// Expects the local sizes of all ranks to cover the line, in the order of ranks.
  void expect_parts() const {
    EXPECT_GE(size_, std::max({std::ptrdiff_t{1}, ni_ * c_.howmany, no_ * c_.howmany}));
    for (const auto &[count, start] : {std::pair{ni_, i0_}, std::pair{no_, o0_}}) {
      std::ptrdiff_t before = 0;
      std::ptrdiff_t all = 0;
      MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, test::world());
      MPI_Allreduce(&count, &all, 1, MPI_INT64_T, MPI_SUM, test::world());
      int rank = 0;
      MPI_Comm_rank(test::world(), &rank);
      EXPECT_EQ(start, rank == 0 ? 0 : before) << c_.name();
      EXPECT_EQ(all, c_.n) << c_.name();
    }
  }

  std::vector<Complex> part_of_result() const {
    const auto &r = c_.in_place ? in_ : out_;
    return {r.begin(), r.begin() + no_ * c_.howmany};
  }

private:
  static typename A::Complex *raw(std::vector<Complex> &v) {
    return reinterpret_cast<typename A::Complex *>(v.data());
  }
  std::vector<Complex> &result() { return c_.in_place ? in_ : out_; }
  std::size_t bytes() const { return static_cast<std::size_t>(no_ * c_.howmany) * sizeof(Complex); }

  void fill() {
    const Values x = line_of(c_);
    for (std::ptrdiff_t i = 0; i < ni_ * c_.howmany; ++i) {
      std::ptrdiff_t point = i0_ + i / c_.howmany;
      if ((c_.flags & HFFT_SCRAMBLED_IN) != 0) point = unscrambled(point, c_.n);
      const auto v = x[static_cast<std::size_t>(point * c_.howmany + i % c_.howmany)];
      in_[static_cast<std::size_t>(i)] = {static_cast<Real>(v.real()), static_cast<Real>(v.imag())};
    }
  }

  double deviation() {
    const Values x = spectrum_of(c_, line_of(c_));
    double most = 0;
    double square = 0;
    for (const auto &v : x)
      square += std::norm(v);
    for (std::ptrdiff_t i = 0; i < no_ * c_.howmany; ++i) {
      std::ptrdiff_t k = o0_ + i / c_.howmany;
      if ((c_.flags & HFFT_SCRAMBLED_OUT) != 0) k = unscrambled(k, c_.n);
      const auto v = x[static_cast<std::size_t>(k * c_.howmany + i % c_.howmany)];
      most =
          std::max(most, std::abs(std::complex<double>(result()[static_cast<std::size_t>(i)]) - v));
    }
    return most / std::sqrt(square / static_cast<double>(x.size()));
  }

  Case c_;
  std::ptrdiff_t size_ = 0, ni_ = 0, i0_ = 0, no_ = 0, o0_ = 0;
  std::vector<Complex> in_, out_;
};

/// Returns the allowed error of a transform with rounded factors: a few units in the last place for
/// each step.
template <class Real> double allowed(std::ptrdiff_t n) {
  return 4 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
         (1 + std::log2(static_cast<double>(n)));
}

template <class Real> void expect_as_fftw(const Case &c) {
  Line<Real> line(c);
  line.expect_parts();
  EXPECT_LE(line.error(), allowed<Real>(c.n)) << c.name();
}

TEST(Lines, AllLengths_AsFftw) {
  for (std::ptrdiff_t n = 1; n <= 40; ++n)
    expect_as_fftw<double>({n, 1, n % 2 == 0 ? HFFT_FORWARD : HFFT_BACKWARD, HFFT_ESTIMATE});
}

TEST(Lines, ScrambledSpectra_ThereAndBack_AsFftw) {
  for (const std::ptrdiff_t n : {1, 6, 7, 24, 60, 97, 128, 1000, 2310})
    for (const bool in_place : {false, true}) {
      expect_as_fftw<double>({n, 1, HFFT_FORWARD, HFFT_ESTIMATE | HFFT_SCRAMBLED_OUT, in_place});
      expect_as_fftw<double>({n, 1, HFFT_BACKWARD, HFFT_ESTIMATE | HFFT_SCRAMBLED_IN, in_place});
      expect_as_fftw<float>({n, 1, HFFT_BACKWARD, HFFT_ESTIMATE | HFFT_SCRAMBLED_OUT, in_place});
    }
}

TEST(Lines, SeveralFields_AsFftw) {
  for (const std::ptrdiff_t n : {5, 36, 210, 1024})
    for (const bool in_place : {false, true}) {
      expect_as_fftw<double>({n, 3, HFFT_FORWARD, HFFT_ESTIMATE, in_place});
      expect_as_fftw<float>({n, 2, HFFT_FORWARD, HFFT_ESTIMATE | HFFT_SCRAMBLED_OUT, in_place});
    }
}

TEST(Lines, MeasuredAndInTheBackground_AsFftw) {
  for (const std::ptrdiff_t n : {96, 2048, 3 * 5 * 7 * 16}) {
    expect_as_fftw<double>({n, 1, HFFT_FORWARD, HFFT_MEASURE});
    expect_as_fftw<double>({n, 1, HFFT_FORWARD, HFFT_ESTIMATE | HFFT_NONBLOCKING});
    expect_as_fftw<float>({n, 1, HFFT_BACKWARD, HFFT_MEASURE, true});
  }
}

TEST(Lines, LongLines_AsFftw) {
  expect_as_fftw<double>({std::ptrdiff_t{1} << 18, 1, HFFT_FORWARD, HFFT_ESTIMATE});
  expect_as_fftw<float>({std::ptrdiff_t{1} << 18, 1, HFFT_BACKWARD, HFFT_ESTIMATE});
}

TEST(Lines, Deterministic_BitsOfOneRank) {
  for (const std::ptrdiff_t n : {12, 360, 8192}) {
    const Case c{n, 1, HFFT_FORWARD, HFFT_ESTIMATE | HFFT_DETERMINISTIC};
    Line<double> line(c);
    EXPECT_LE(line.error(), allowed<double>(n));
    // Each rank transforms the complete line, on a communicator of its own.
    std::vector<std::complex<double>> whole(static_cast<std::size_t>(n));
    const Values x = line_of(c);
    std::copy(x.begin(), x.end(), whole.begin());
    auto *data = reinterpret_cast<hfft_complex *>(whole.data());
    const hfft_plan plan = hfft_plan_dft_1d(n, data, data, MPI_COMM_SELF, c.sign, c.flags);
    ASSERT_NE(plan, nullptr) << hfft_last_error_message();
    EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
    hfft_destroy_plan(plan);
    std::ptrdiff_t no = 0;
    std::ptrdiff_t o0 = 0;
    hfft_local_size_1d(n, test::world(), c.sign, c.flags, nullptr, nullptr, &no, &o0);
    const auto part = line.part_of_result();
    ASSERT_EQ(static_cast<std::ptrdiff_t>(part.size()), no);
    EXPECT_EQ(no == 0 ? 0
                      : std::memcmp(part.data(), whole.data() + o0,
                                    part.size() * sizeof(std::complex<double>)),
              0)
        << n;
  }
}

TEST(Lines, WrongArguments_AreNamed) {
  std::complex<double> x[4];
  auto *data = reinterpret_cast<hfft_complex *>(x);
  const auto message_of = [&](std::ptrdiff_t n, unsigned flags) {
    EXPECT_EQ(hfft_plan_dft_1d(n, data, data, test::world(), HFFT_FORWARD, flags), nullptr);
    return std::string(hfft_last_error_message());
  };
  EXPECT_NE(message_of(0, 0).find("n[0] is 0"), std::string::npos);
  EXPECT_NE(message_of(4, HFFT_SCRAMBLED_IN | HFFT_SCRAMBLED_OUT).find("HFFT_SCRAMBLED_OUT"),
            std::string::npos);
  EXPECT_NE(message_of(4, HFFT_TRANSPOSED_OUT).find("HFFT_TRANSPOSED_OUT"), std::string::npos);
  const std::ptrdiff_t n[2] = {2, 2};
  EXPECT_EQ(hfft_plan_dft(2, n, data, data, test::world(), HFFT_FORWARD, HFFT_SCRAMBLED_OUT),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_FLAGS);
  const std::ptrdiff_t four = 4;
  EXPECT_EQ(hfft_plan_many_dft(1, &four, 1, 3, 3, data, data, test::world(), HFFT_FORWARD, 0),
            nullptr);
  EXPECT_NE(std::string(hfft_last_error_message()).find("iblock is 3"), std::string::npos);
}

/// A transform between reals (r2r) of `howmany` interleaved lines of n points, all of one kind.
/// iblock and oblock are numbers of points in blocks of the input and the output; 0: the default.
struct RealLines {
  std::ptrdiff_t n = 1, howmany = 1;
  int kind = 0;
  std::ptrdiff_t iblock = 0, oblock = 0;
  bool in_place = false;
  unsigned flags = HFFT_ESTIMATE;

  std::string name() const {
    return test::r2r_name(kind) + " of " + std::to_string(n) + ", howmany " +
           std::to_string(howmany) + ", blocks " + std::to_string(iblock) + " and " +
           std::to_string(oblock) + (in_place ? ", in place" : "") + ", flags " +
           std::to_string(flags) + ", " + std::to_string(test::size_of(test::world())) + " ranks";
  }
  std::size_t reals() const { return static_cast<std::size_t>(n * howmany); }
};

/// A rank's range of the values of all lines, in reals.
struct Span {
  std::size_t first = 0, count = 0;
};

Span span_of(const RealLines &c, bool output) {
  std::ptrdiff_t points[2] = {0, 0};
  std::ptrdiff_t start[2] = {0, 0};
  hfft_local_size_many_1d(c.n, c.howmany, test::world(), 0, 0, points, start, points + 1,
                          start + 1);
  if (const std::ptrdiff_t block = output ? c.oblock : c.iblock; block != 0) {
    start[output] = std::min(test::rank_of(test::world()) * block, c.n);
    points[output] = std::min(block, c.n - start[output]);
  }
  return {static_cast<std::size_t>(start[output] * c.howmany),
          static_cast<std::size_t>(points[output] * c.howmany)};
}

/// All values of the lines, exact in single precision, by point and then by line.
std::vector<double> values_of(const RealLines &c) {
  std::vector<double> x(c.reals());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(verifier::mix(7, i) >> 41U) * 0x1p-22 - 1;
  return x;
}

std::vector<long double> definition_of(const RealLines &c, const std::vector<double> &x) {
  const auto n = static_cast<std::size_t>(c.n);
  const auto howmany = static_cast<std::size_t>(c.howmany);
  const test::R2rLine definition(c.kind, n);
  std::vector<long double> y(x.size());
  std::vector<long double> line(n);
  for (std::size_t v = 0; v < howmany; ++v) {
    for (std::size_t i = 0; i < n; ++i)
      line[i] = x[i * howmany + v];
    line = definition(line);
    for (std::size_t i = 0; i < n; ++i)
      y[i * howmany + v] = line[i];
  }
  return y;
}

std::vector<double> by_fftw(const RealLines &c, std::vector<double> x) {
  const int n = static_cast<int>(c.n);
  const int howmany = static_cast<int>(c.howmany);
  const auto kind = static_cast<fftw_r2r_kind>(c.kind);
  const fftw_plan plan = fftw_plan_many_r2r(1, &n, howmany, x.data(), nullptr, howmany, 1, x.data(),
                                            nullptr, howmany, 1, &kind, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return x;
}

/// Returns this rank's part of the result. Further executions, on new arrays and in the background,
/// must have the same bits and keep the input.
template <class Real> std::vector<Real> transform(const RealLines &c) {
  using A = Api<Real>;
  const Span in = span_of(c, false);
  const Span out = span_of(c, true);
  const std::vector<double> x = values_of(c);
  const std::size_t room = std::max({std::size_t{1}, in.count, out.count});
  std::vector<Real> a(room), b(c.in_place ? 0 : room);
  std::vector<Real> more_a(room), more_b(c.in_place ? 0 : room);
  std::vector<Real> &result = c.in_place ? a : b;
  std::vector<Real> &more_result = c.in_place ? more_a : more_b;
  const typename A::Plan plan(A::plan_r2r(1, &c.n, c.howmany, c.iblock, c.oblock, a.data(),
                                          result.data(), test::world(), &c.kind, c.flags),
                              A::destroy);
  EXPECT_TRUE(plan) << c.name() << ": " << hfft_last_error_message();
  if (!plan) return {};
  const auto mine = x.begin() + static_cast<std::ptrdiff_t>(in.first);
  const auto fill = [&](std::vector<Real> &v) {
    std::transform(mine, mine + static_cast<std::ptrdiff_t>(in.count), v.begin(),
                   [](double value) { return static_cast<Real>(value); });
  };
  const auto taken = [&](const std::vector<Real> &v) {
    return std::vector<Real>(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(out.count));
  };
  fill(a);
  const std::vector<Real> before = a;
  EXPECT_EQ(A::execute(plan.get()), HFFT_SUCCESS);
  const std::vector<Real> first = taken(result);
  fill(more_a);
  EXPECT_EQ(A::execute_r2r(plan.get(), more_a.data(), more_result.data()), HFFT_SUCCESS);
  EXPECT_EQ(taken(more_result), first) << c.name();
  fill(a);
  EXPECT_EQ(A::start(plan.get()), HFFT_SUCCESS);
  EXPECT_EQ(A::wait(plan.get()), HFFT_SUCCESS);
  EXPECT_EQ(taken(result), first) << c.name();
  if (!c.in_place) {
    EXPECT_EQ(a, before) << c.name();
  }
  return first;
}

/// Squares of the relative errors of this library and of FFTW, in the L2 norm over all ranks.
struct Errors {
  double ours = 0, fftw = 0;
};

/// Expects a relative error in the L2 norm of at most 8 units of rounding. Returns the errors.
template <class Real> Errors expect_as_defined(const RealLines &c) {
  const std::vector<Real> found = transform<Real>(c);
  const Span out = span_of(c, true);
  const std::vector<double> x = values_of(c);
  const std::vector<long double> truth = definition_of(c, x);
  const std::vector<double> fftws = by_fftw(c, x);
  double sums[3] = {0, 0, 0};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const long double y = truth[out.first + i];
    sums[0] += std::pow(static_cast<double>(found[i] - y), 2);
    sums[1] += std::pow(static_cast<double>(fftws[out.first + i] - y), 2);
    sums[2] += std::pow(static_cast<double>(y), 2);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, test::world());
  const double rounding = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
  EXPECT_LE(std::sqrt(sums[0] / sums[2]), 8 * rounding) << c.name();
  return {sums[0] / sums[2], sums[1] / sums[2]};
}

/// REDFT00 has 2 points or more.
std::ptrdiff_t shortest(int kind) { return kind == test::redft00 ? 2 : 1; }

/// The root mean square of the errors over all lengths is at most 1.5 times FFTW's.
TEST(RealLines, AllKindsAndLengths_AsDefined) {
  const std::ptrdiff_t ranks = test::size_of(test::world());
  for (int kind = test::r2hc; kind <= test::rodft11; ++kind) {
    Errors all;
    for (std::ptrdiff_t n = shortest(kind); n <= 40; ++n) {
      RealLines c{n, n % 3 == 0 ? 1 : n % 11, kind};
      if (c.howmany == 0) c.howmany = 2 * ranks;
      if (n % 4 >= 2) c.iblock = (n + ranks - 1) / ranks;
      if (n % 5 >= 3) c.oblock = n % 5 == 3 ? n : (n + ranks - 1) / ranks + 1;
      c.in_place = (n / 2 + kind) % 2 == 0;
      const Errors e = expect_as_defined<double>(c);
      all.ours += e.ours;
      all.fftw += e.fftw;
    }
    EXPECT_LE(std::sqrt(all.ours), 1.5 * std::sqrt(all.fftw)) << test::r2r_name(kind);
  }
}

TEST(RealLines, EffortsFlagsAndPrecisions_AsDefined) {
  for (const unsigned flags :
       {HFFT_MEASURE, HFFT_PATIENT, HFFT_EXHAUSTIVE, HFFT_ESTIMATE,
        HFFT_ESTIMATE | HFFT_NONBLOCKING, HFFT_MEASURE | HFFT_DETERMINISTIC}) {
    expect_as_defined<double>({36, 1, test::redft10, 0, 0, false, flags});
    expect_as_defined<float>({35, 5, test::rodft00, 0, 0, true, flags});
  }
}

TEST(RealLines, Deterministic_BitsOfOneRank) {
  for (const std::ptrdiff_t howmany : {1, 3, 16})
    for (const int kind : {test::redft10, test::redft11, test::rodft00, test::r2hc}) {
      const RealLines c{48, howmany, kind, 0, 0, false, HFFT_ESTIMATE | HFFT_DETERMINISTIC};
      const std::vector<double> found = transform<double>(c);
      std::vector<double> whole = values_of(c);
      const hfft_plan plan = hfft_plan_many_r2r(1, &c.n, howmany, 0, 0, whole.data(), whole.data(),
                                                MPI_COMM_SELF, &kind, c.flags);
      ASSERT_NE(plan, nullptr) << hfft_last_error_message();
      EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
      hfft_destroy_plan(plan);
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found[i], whole[span_of(c, true).first + i]) << c.name();
    }
}

/// The real and the imaginary parts of a complex line are two lines of reals.
TEST(RealLines, ComplexLineScaled_IsTwoRealLines) {
  const RealLines c{24, 2, test::redft01};
  const Span in = span_of(c, false);
  const Span out = span_of(c, true);
  const std::vector<double> x = values_of(c);
  std::vector<double> a(std::max({std::size_t{2}, in.count, out.count}));
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = HFFT_ESTIMATE;
  options.kinds = &c.kind;
  options.scale = 0.25;
  const hfft_plan plan =
      hfft_plan_slabs(HFFT_C2C, 1, &c.n, a.data(), a.data(), test::world(), HFFT_FORWARD, &options);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(in.first), in.count, a.begin());
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  hfft_destroy_plan(plan);
  const std::vector<long double> truth = definition_of(c, x);
  // Tolerance: rounding of sums of 24 terms.
  for (std::size_t i = 0; i < out.count; ++i)
    EXPECT_NEAR(a[i], static_cast<double>(truth[out.first + i] / 4), 1e-13);
}

TEST(RealLines, Wisdom_KnowsTheKind) {
  double a[64];
  const std::ptrdiff_t n = 20;
  const auto plan = [&](int kind, unsigned flags) {
    return hfft_plan_many_r2r(1, &n, 2, 0, 0, a, a, test::world(), &kind, flags);
  };
  hfft_destroy_plan(plan(HFFT_RODFT01, HFFT_MEASURE));
  const hfft_plan known = plan(HFFT_RODFT01, HFFT_MEASURE | HFFT_WISDOM_ONLY);
  EXPECT_NE(known, nullptr) << hfft_last_error_message();
  hfft_destroy_plan(known);
  EXPECT_EQ(plan(HFFT_REDFT01, HFFT_MEASURE | HFFT_WISDOM_ONLY), nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_NO_WISDOM);
}

TEST(RealLines, WrongArguments_AreNamed) {
  double a[16];
  const std::ptrdiff_t n = 8;
  const auto expect = [&](const std::ptrdiff_t *extent, const int *kind, std::ptrdiff_t iblock,
                          unsigned flags, int code, const std::string &words) {
    EXPECT_EQ(hfft_plan_many_r2r(1, extent, 1, iblock, 0, a, a, test::world(), kind,
                                 HFFT_ESTIMATE | flags),
              nullptr);
    EXPECT_EQ(hfft_last_error(), code);
    EXPECT_NE(std::string(hfft_last_error_message()).find(words), std::string::npos)
        << hfft_last_error_message();
  };
  const int cosine = HFFT_REDFT00;
  const int unknown = 11;
  const std::ptrdiff_t one = 1;
  expect(&n, nullptr, 0, 0, HFFT_ERROR_NULL_POINTER, "kinds is NULL");
  expect(nullptr, &cosine, 0, 0, HFFT_ERROR_NULL_POINTER, "extents n is NULL");
  expect(&n, &unknown, 0, 0, HFFT_ERROR_ARGUMENT, "kinds[0] is 11");
  expect(&one, &cosine, 0, 0, HFFT_ERROR_EXTENTS, "n[0] is 1");
  expect(&n, &cosine, -1, 0, HFFT_ERROR_BLOCK, "iblock is -1");
  expect(&n, &cosine, 0, HFFT_SCRAMBLED_OUT, HFFT_ERROR_FLAGS, "HFFT_DFT");
  expect(&n, &cosine, 0, HFFT_TRANSPOSED_OUT, HFFT_ERROR_FLAGS, "HFFT_TRANSPOSED_OUT");
}

} // namespace
} // namespace hybridfft
