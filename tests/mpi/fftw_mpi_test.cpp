/// Compares this library with FFTW-MPI: the same calls with the same arrays must give the same
/// numbers.

#include <fftw3-mpi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/mpi_test.h"
#include "verifier/hash.h"
#include "verifier/tolerance.h"
#include "verifier/trial.h"

namespace hybridfft {
namespace {

using verifier::Problem;

unsigned transposition(const Problem &p) {
  return (p.transposed_in ? HFFT_TRANSPOSED_IN : 0U) |
         (p.transposed_out ? HFFT_TRANSPOSED_OUT : 0U);
}

fftw_plan fftw(const Problem &p, double *in, double *out) {
  auto *cin = reinterpret_cast<fftw_complex *>(in);
  auto *cout = reinterpret_cast<fftw_complex *>(out);
  const int d = static_cast<int>(p.extents.size());
  const unsigned flags = transposition(p) | FFTW_ESTIMATE;
  switch (p.kind) {
  case Kind::r2c:
    return fftw_mpi_plan_many_dft_r2c(d, p.extents.data(), p.howmany, 0, 0, in, cout, test::world(),
                                      flags);
  case Kind::c2r:
    return fftw_mpi_plan_many_dft_c2r(d, p.extents.data(), p.howmany, 0, 0, cin, out, test::world(),
                                      flags);
  default:
    return fftw_mpi_plan_many_dft(d, p.extents.data(), p.howmany, 0, 0, cin, cout, test::world(),
                                  static_cast<int>(p.direction), flags);
  }
}

std::size_t reals_for_both(const Problem &p) {
  const auto n = complex_extents(p);
  std::ptrdiff_t r[4];
  const std::ptrdiff_t theirs = fftw_mpi_local_size_many_transposed(
      static_cast<int>(n.size()), n.data(), p.howmany, 0, 0, test::world(), r, r + 1, r + 2, r + 3);
  return 2 * static_cast<std::size_t>(
                 std::max(theirs, verifier::local_arrays<double>(p, test::world()).elements));
}

/// Fills the input with pseudo-random numbers. For c2r, whose input must be the spectrum of reals,
/// it transforms random reals with FFTW.
void fill(const Problem &p, std::vector<double> &in) {
  const auto seed = static_cast<std::uint64_t>(test::rank_of(test::world())) + 1;
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<double>(verifier::mix(seed, i) >> 40U) * 0x1p-24 - 0.5;
  if (p.kind != Kind::c2r) return;
  Problem forward = p;
  forward.kind = Kind::r2c;
  std::swap(forward.transposed_in, forward.transposed_out);
  const std::vector<double> values = in;
  const fftw_plan plan = fftw(forward, in.data(), in.data());
  ASSERT_TRUE(test::everywhere(plan != nullptr));
  in = values;
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

double relative_deviation(const Problem &p, const std::vector<double> &a,
                          const std::vector<double> &b) {
  const verifier::DataBox box(p, verifier::ArraySide::out,
                              verifier::local_arrays<double>(p, test::world()).out);
  double sums[2] = {0, 0};
  box.for_each([&](std::ptrdiff_t offset, const verifier::Index &, std::ptrdiff_t) {
    const std::size_t parts = box.real() ? 1 : 2;
    for (std::size_t i = parts * static_cast<std::size_t>(offset), end = i + parts; i < end; ++i) {
      sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
      sums[1] += b[i] * b[i];
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, test::world());
  return std::sqrt(sums[0] / sums[1]);
}

class BesideFftw : public ::testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() { fftw_mpi_init(); }
};

TEST_P(BesideFftw, AgreesInEveryElement) {
  using Api = verifier::Library<double>;
  const Problem p = verifier::parse(GetParam());
  const std::size_t reals = reals_for_both(p);
  std::vector<double> in(reals);
  std::vector<double> ours(reals);
  std::vector<double> theirs(reals);
  const fftw_plan reference = fftw(p, in.data(), theirs.data());
  ASSERT_TRUE(test::everywhere(reference != nullptr)) << "FFTW cannot plan this";
  const Api::Handle plan =
      Api::plan(p, in.data(), ours.data(), test::world(), transposition(p) | HFFT_ESTIMATE);
  ASSERT_TRUE(test::everywhere(plan != nullptr)) << Api::last_error();

  fill(p, in);
  EXPECT_EQ(Api::execute(plan), HFFT_SUCCESS) << Api::last_error();
  fftw_execute(reference); // executed last, because FFTW's c2r may destroy its input
  // Each of the two results may have an error of one tolerance.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  EXPECT_LT(relative_deviation(p, ours, theirs), 2 * verifier::transform_tolerance(p, eps));
  fftw_destroy_plan(reference);
  Api::destroy(plan);
}

INSTANTIATE_TEST_SUITE_P(Handful, BesideFftw,
                         ::testing::Values("of12x7x5", "of]8x9x10", "ob[6x10x7", "of[]7x8x6",
                                           "or9x8x6", "ofr]10x6x9", "obr12x6x8", "obr[8x7x10",
                                           "of12x10", "ob]9x14", "ofr8x11", "of3x4x5x6",
                                           "of10x6x4*v3", "ofr]6x9x4*v2", "of3x16x4"),
                         [](const auto &info) { return test::test_name(info.param); });

} // namespace
} // namespace hybridfft
