/// Refused plan calls must return NULL on all ranks with the same code, and a message with the
/// argument's name.

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <functional>
#include <set>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

/// The arguments of a plan call, valid by default.
struct Call {
  Kind kind = Kind::c2c;
  int rank = 3;
  std::vector<std::ptrdiff_t> n{6, 5, 4};
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0;
  std::ptrdiff_t oblock = 0;
  double *in = nullptr;
  double *out = nullptr;
  MPI_Comm comm = test::world();
  int sign = HFFT_FORWARD;
  unsigned flags = HFFT_ESTIMATE;
};

hfft_plan make(const Call &c) {
  const auto complex = [](double *p) { return reinterpret_cast<hfft_complex *>(p); };
  const std::ptrdiff_t *n = c.n.empty() ? nullptr : c.n.data();
  switch (c.kind) {
  case Kind::r2c:
    return hfft_plan_many_dft_r2c(c.rank, n, c.howmany, c.iblock, c.oblock, c.in, complex(c.out),
                                  c.comm, c.flags);
  case Kind::c2r:
    return hfft_plan_many_dft_c2r(c.rank, n, c.howmany, c.iblock, c.oblock, complex(c.in), c.out,
                                  c.comm, c.flags);
  default:
    return hfft_plan_many_dft(c.rank, n, c.howmany, c.iblock, c.oblock, complex(c.in),
                              complex(c.out), c.comm, c.sign, c.flags);
  }
}

class Errors : public ::testing::Test {
protected:
  Call good() {
    Call c;
    c.in = in_.data();
    c.out = out_.data();
    return c;
  }

  /// Expects the call to fail on this rank with this code, and with a message containing these
  /// words.
  void expect_refused(const Call &c, hfft_error code, const std::vector<std::string> &words) {
    const hfft_plan plan = make(c);
    EXPECT_EQ(plan, nullptr);
    EXPECT_EQ(hfft_last_error(), code) << hfft_last_error_message();
    const std::string message = hfft_last_error_message();
    for (const std::string &word : words)
      EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
    EXPECT_TRUE(test::same_everywhere(hfft_last_error()));
    hfft_destroy_plan(plan);
  }

  /// Expects the call to fail if `change` makes its arguments invalid on every rank.
  void expect_all_refused(const std::function<void(Call &)> &change, hfft_error code,
                          const std::vector<std::string> &words) {
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      Call c = good();
      c.kind = kind;
      change(c);
      expect_refused(c, code, words);
    }
  }

  /// Expects the call to fail on all ranks if `change` makes its arguments invalid on the last one
  /// only.
  void expect_one_refused(const std::function<void(Call &)> &change, hfft_error code,
                          const std::vector<std::string> &words) {
    Call c = good();
    if (test::rank_of(test::world()) == test::size_of(test::world()) - 1) change(c);
    expect_refused(c, code, words);
  }

  /// After all errors the library still works.
  void TearDown() override {
    const auto report = verifier::verify(verifier::parse("of6x5x4"), test::world());
    EXPECT_TRUE(report.passed()) << report.failures();
  }

private:
  std::vector<double> in_ = std::vector<double>(1000);
  std::vector<double> out_ = std::vector<double>(1000);
};

TEST_F(Errors, NullPointers) {
  expect_all_refused([](Call &c) { c.in = nullptr; }, HFFT_ERROR_NULL_POINTER, {"input"});
  expect_all_refused([](Call &c) { c.out = nullptr; }, HFFT_ERROR_NULL_POINTER, {"output"});
  expect_all_refused([](Call &c) { c.n.clear(); }, HFFT_ERROR_NULL_POINTER, {"n"});
  expect_all_refused([](Call &c) { c.comm = MPI_COMM_NULL; }, HFFT_ERROR_NULL_POINTER, {"comm"});
}

TEST_F(Errors, ExtentsAndHowmany) {
  expect_all_refused([](Call &c) { c.n[1] = 0; }, HFFT_ERROR_EXTENTS, {"n[1]", "0"});
  expect_all_refused([](Call &c) { c.n[2] = -7; }, HFFT_ERROR_EXTENTS, {"n[2]", "-7"});
  expect_all_refused([](Call &c) { c.howmany = 0; }, HFFT_ERROR_EXTENTS, {"howmany", "0"});
  expect_all_refused([](Call &c) { c.howmany = -3; }, HFFT_ERROR_EXTENTS, {"howmany", "-3"});
  for (const int rank : {0, -2})
    expect_all_refused([rank](Call &c) { c.rank = rank; }, HFFT_ERROR_EXTENTS,
                       {"rank", std::to_string(rank)});
}

TEST_F(Errors, OneDimensionOfRealData) {
  for (const Kind kind : {Kind::r2c, Kind::c2r}) {
    Call c = good();
    c.kind = kind;
    c.rank = 1;
    expect_refused(c, HFFT_ERROR_UNSUPPORTED, {"rank", "1", "r2c"});
  }
}

TEST_F(Errors, Overflow) {
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 40U;
  const std::ptrdiff_t most = PTRDIFF_MAX;
  expect_all_refused([=](Call &c) { c.n = {huge, huge, 1}; }, HFFT_ERROR_OVERFLOW, {"64-bit"});
  expect_all_refused([=](Call &c) { c.n = {1, 1, most}; }, HFFT_ERROR_OVERFLOW, {});
  expect_all_refused([=](Call &c) { c.n = {most, 1, 1}; }, HFFT_ERROR_OVERFLOW, {});
  expect_all_refused([=](Call &c) { c.n = {1, most - 1, 1}; }, HFFT_ERROR_OVERFLOW, {});
  expect_all_refused([=](Call &c) { c.howmany = most / 16; }, HFFT_ERROR_OVERFLOW, {});
  expect_all_refused([=](Call &c) { c.howmany = most; }, HFFT_ERROR_OVERFLOW, {});
  expect_all_refused([=](Call &c) { c.n = {most, most, most}; }, HFFT_ERROR_OVERFLOW, {});
}

TEST_F(Errors, Blocks) {
  expect_all_refused([](Call &c) { c.iblock = -1; }, HFFT_ERROR_BLOCK, {"iblock", "-1"});
  expect_all_refused([](Call &c) { c.oblock = -5; }, HFFT_ERROR_BLOCK, {"oblock", "-5"});
  const std::ptrdiff_t ranks = test::size_of(test::world());
  const std::ptrdiff_t small = 2;
  const std::ptrdiff_t n0 = small * ranks + 1; // one more than `ranks` blocks of two can hold
  expect_all_refused(
      [=](Call &c) {
        c.n = {n0, 1, 2};
        c.iblock = small;
      },
      HFFT_ERROR_BLOCK, {"iblock", std::to_string(n0)});
  expect_all_refused(
      [=](Call &c) {
        c.n = {1, n0, 3};
        c.oblock = small;
        c.flags |= HFFT_TRANSPOSED_OUT;
      },
      HFFT_ERROR_BLOCK, {"oblock", std::to_string(n0)});
}

TEST_F(Errors, FlagsAndSign) {
  expect_all_refused([](Call &c) { c.flags |= 1U << 27U; }, HFFT_ERROR_FLAGS, {"flags"});
  expect_all_refused([](Call &c) { c.flags |= 1U << 31U; }, HFFT_ERROR_FLAGS, {"flags"});
  expect_all_refused([](Call &c) { c.flags |= HFFT_DESTROY_INPUT | HFFT_PRESERVE_INPUT; },
                     HFFT_ERROR_FLAGS, {"DESTROY_INPUT", "PRESERVE_INPUT"});
  for (const int sign : {0, 2, -2}) {
    Call c = good();
    c.sign = sign;
    expect_refused(c, HFFT_ERROR_FLAGS, {"sign", std::to_string(sign)});
  }
}

TEST_F(Errors, TransposedRealDataInTwoDimensions) {
  Call c = good();
  c.rank = 2;
  c.kind = Kind::r2c;
  c.flags |= HFFT_TRANSPOSED_IN;
  expect_refused(c, HFFT_ERROR_UNSUPPORTED, {"2D", "transposed"});
  c.kind = Kind::c2r;
  c.flags = HFFT_ESTIMATE | HFFT_TRANSPOSED_OUT;
  expect_refused(c, HFFT_ERROR_UNSUPPORTED, {"2D", "transposed"});
}

TEST_F(Errors, OneBadRankFailsAll) {
  expect_one_refused([](Call &c) { c.in = nullptr; }, HFFT_ERROR_NULL_POINTER, {"input"});
  expect_one_refused([](Call &c) { c.out = nullptr; }, HFFT_ERROR_NULL_POINTER, {"output"});
  expect_one_refused([](Call &c) { c.n[0] = -1; }, HFFT_ERROR_EXTENTS, {"n[0]", "-1"});
  expect_one_refused([](Call &c) { c.iblock = -4; }, HFFT_ERROR_BLOCK, {"iblock", "-4"});
  expect_one_refused([](Call &c) { c.flags |= 1U << 28U; }, HFFT_ERROR_FLAGS, {"flags"});
  expect_one_refused([](Call &c) { c.sign = 0; }, HFFT_ERROR_FLAGS, {"sign"});
  expect_one_refused([](Call &c) { c.n[2] = PTRDIFF_MAX; }, HFFT_ERROR_OVERFLOW, {"64-bit"});
}

TEST_F(Errors, DifferentArguments_AreRefused) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "one rank cannot disagree";
  constexpr hfft_error code = HFFT_ERROR_MISMATCH;
  expect_one_refused([](Call &c) { c.n[0] = 7; }, code, {"extents"});
  expect_one_refused([](Call &c) { c.n[2] = 5; }, code, {"extents"});
  expect_one_refused([](Call &c) { std::swap(c.n[0], c.n[1]); }, code, {"extents"});
  for (const int rank : {1, 2})
    expect_one_refused([rank](Call &c) { c.rank = rank; }, code, {"rank"});
  expect_one_refused([](Call &c) { c.howmany = 2; }, code, {"howmany", "1 and 2"});
  expect_one_refused([](Call &c) { c.iblock = 6; }, code, {"iblock", " and 6"});
  expect_one_refused([](Call &c) { c.oblock = 6; }, code, {"oblock"});
  expect_one_refused([](Call &c) { c.sign = HFFT_BACKWARD; }, code, {"sign"});
  expect_one_refused([](Call &c) { c.flags |= HFFT_TRANSPOSED_OUT; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.flags |= HFFT_TRANSPOSED_IN; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.flags |= HFFT_DESTROY_INPUT; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.flags |= HFFT_DETERMINISTIC; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.flags |= HFFT_WISDOM_ONLY; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.flags = HFFT_MEASURE; }, code, {"flags"});
  expect_one_refused([](Call &c) { c.out = c.in; }, code, {"in == out"});
  expect_one_refused([](Call &c) { c.kind = Kind::r2c; }, code, {"kind"});
}

TEST_F(Errors, LocalSizes) {
  std::ptrdiff_t range[4];
  const auto ask = [&](int rank, std::vector<std::ptrdiff_t> n, std::ptrdiff_t howmany,
                       std::ptrdiff_t block, MPI_Comm comm, std::ptrdiff_t *count) {
    return hfft_local_size_many(rank, n.empty() ? nullptr : n.data(), howmany, block, comm, count,
                                range + 1);
  };
  const auto expect = [](std::ptrdiff_t answer, hfft_error code) {
    EXPECT_EQ(answer, -1);
    EXPECT_EQ(hfft_last_error(), code) << hfft_last_error_message();
  };
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 40U;
  const MPI_Comm world = test::world();
  expect(ask(1, {4, 4}, 1, 0, world, range), HFFT_ERROR_EXTENTS);
  expect(ask(2, {4, 0}, 1, 0, world, range), HFFT_ERROR_EXTENTS);
  expect(ask(2, {4, 4}, 0, 0, world, range), HFFT_ERROR_EXTENTS);
  expect(ask(2, {4, 4}, 1, -1, world, range), HFFT_ERROR_BLOCK);
  expect(ask(2, {huge, huge}, 1, 0, world, range), HFFT_ERROR_OVERFLOW);
  expect(ask(2, {}, 1, 0, world, range), HFFT_ERROR_NULL_POINTER);
  expect(ask(2, {4, 4}, 1, 0, MPI_COMM_NULL, range), HFFT_ERROR_NULL_POINTER);
  EXPECT_GT(ask(2, {4, 4}, 1, 0, world, range), 0);
}

TEST_F(Errors, Execution) {
  Call c = good();
  auto *in = reinterpret_cast<hfft_complex *>(c.in);
  auto *out = reinterpret_cast<hfft_complex *>(c.out);
  const hfft_plan plan = make(c);
  ASSERT_TRUE(test::everywhere(plan != nullptr)) << hfft_last_error_message();
  EXPECT_EQ(hfft_execute_dft(plan, nullptr, out), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_execute_dft(plan, in, nullptr), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfft_execute_dft(plan, in, in), HFFT_ERROR_ARGUMENT) << "planned out of place";
  EXPECT_EQ(hfft_execute_dft_r2c(plan, c.in, out), HFFT_ERROR_ARGUMENT) << "planned as c2c";
  EXPECT_EQ(hfft_execute_dft_c2r(plan, in, c.out), HFFT_ERROR_ARGUMENT) << "planned as c2c";
  EXPECT_EQ(hfft_execute(plan), HFFT_SUCCESS);
  hfft_destroy_plan(plan);
  hfft_destroy_plan(nullptr);
}

/// An error handler, which MPI_COMM_WORLD has until the object is destroyed. It records the
/// messages of all codes that MPI passes to it.
class Told {
public:
  Told() {
    words.clear();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    MPI_Comm_create_errhandler(remember, &own_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own_);
  }
  ~Told() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    MPI_Errhandler_free(&before_);
    MPI_Errhandler_free(&own_);
  }
  Told(const Told &) = delete;
  Told &operator=(const Told &) = delete;

  static inline std::vector<std::string> words;

private:
  static void remember(MPI_Comm *, int *code, ...) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(*code, text, &length);
    words.emplace_back(text);
  }

  MPI_Errhandler before_{}, own_{};
};

/// Programs written for FFTW check neither plans nor codes, so the execution of a NULL plan must
/// call MPI's error handler, which aborts by default.
TEST_F(Errors, ExecutionsOfNoPlanCallTheErrorHandler) {
  Call c = good();
  c.n[1] = -4;
  EXPECT_EQ(make(c), nullptr);
  hfft_plan_with_nthreads(
      -1); // also fails, but must not replace the reason why the plan is missing
  const Told told;
  double r = 0;
  float s = 0;
  hfft_complex z{};
  hfftf_complex w{};
  int done = 0;
  const std::vector<int> codes{hfft_execute(nullptr),
                               hfft_execute_dft(nullptr, &z, &z),
                               hfft_execute_dft_r2c(nullptr, &r, &z),
                               hfft_execute_dft_c2r(nullptr, &z, &r),
                               hfft_execute_start(nullptr),
                               hfft_execute_start_dft(nullptr, &z, &z),
                               hfft_execute_start_dft_r2c(nullptr, &r, &z),
                               hfft_execute_start_dft_c2r(nullptr, &z, &r),
                               hfft_execute_test(nullptr, &done),
                               hfft_execute_wait(nullptr),
                               hfftf_execute(nullptr),
                               hfftf_execute_dft(nullptr, &w, &w),
                               hfftf_execute_dft_r2c(nullptr, &s, &w),
                               hfftf_execute_dft_c2r(nullptr, &w, &s),
                               hfftf_execute_start(nullptr),
                               hfftf_execute_start_dft(nullptr, &w, &w),
                               hfftf_execute_start_dft_r2c(nullptr, &s, &w),
                               hfftf_execute_start_dft_c2r(nullptr, &w, &s),
                               hfftf_execute_test(nullptr, &done),
                               hfftf_execute_wait(nullptr)};
  EXPECT_EQ(codes, std::vector<int>(codes.size(), HFFT_ERROR_NULL_POINTER));
  ASSERT_EQ(Told::words.size(), codes.size());
  for (const std::string &text : Told::words) {
    EXPECT_NE(text.find("NULL plan"), std::string::npos) << text;
    EXPECT_NE(text.find("n[1] is -4"), std::string::npos) << text;
  }
  EXPECT_EQ(hfft_last_error_message(), Told::words.back());
}

/// The C++ interface throws, and calls no error handler of MPI.
TEST_F(Errors, PlansOfCppThrow) {
  const Told told;
  Plan<double, Kind::c2c> none;
  for (const auto &call :
       std::vector<std::function<void()>>{[&] { none.execute(); }, [&] { none.start(); },
                                          [&] { none.test(); }, [&] { none.wait(); }}) {
    try {
      call();
      ADD_FAILURE() << "no exception";
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_NULL_POINTER);
    }
  }
  EXPECT_TRUE(Told::words.empty());
}

/// An invalid number of threads on one rank is refused on all ranks, and the setting of the process
/// does not change.
TEST_F(Errors, ThreadsOfOneRank) {
  Options options{.comm = test::world()};
  options.effort = Effort::estimate;
  if (test::rank_of(test::world()) == test::size_of(test::world()) - 1) options.threads = -3;
  Buffer<std::complex<double>> data(1000);
  const std::array<std::ptrdiff_t, 3> n{6, 5, 4};
  try {
    const Plan<double, Kind::c2c> plan(n, data, data, options);
    ADD_FAILURE() << "no exception";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ARGUMENT) << e.what();
    EXPECT_NE(std::string(e.what()).find("options.threads is -3"), std::string::npos) << e.what();
  }
  EXPECT_EQ(hfft_planner_nthreads(), 0);
}

TEST_F(Errors, EveryCodeHasItsOwnWords) {
  std::set<std::string> texts;
  for (int code = HFFT_SUCCESS; code <= HFFT_ERROR_LAYOUT; ++code)
    texts.insert(hfft_error_string(code));
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(HFFT_ERROR_LAYOUT) + 1);
  EXPECT_EQ(texts.count(""), 0U);
  EXPECT_NE(hfft_error_string(12345), nullptr);
}

} // namespace
} // namespace hybridfft
