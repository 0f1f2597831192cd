/// lifecycle SCENARIO...: tests calls of FFTW-MPI around the transforms: initialisation, cleanup,
/// threads, communicators, several plans at once. Transforms of ones give the truth (cube.h). FFTW
/// itself passes all scenarios but the list `ours_only` of CMakeLists.txt. The exit status is 1
/// after a failed expectation.

#include <fftw3-mpi.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "cube.h"
#include "reach.h"

namespace {

using dropin::Cube;
using dropin::expect;

void check_cube(MPI_Comm comm, const char *what) {
  Cube cube(comm);
  const fftw_plan p = cube.plan();
  cube.check(p, what);
  fftw_destroy_plan(p);
}

void never_initialised() { check_cube(MPI_COMM_WORLD, "a plan without fftw_mpi_init"); }

void initialised_again() {
  fftw_mpi_init();
  fftw_mpi_init();
  check_cube(MPI_COMM_WORLD, "a plan after two initialisations");
  fftw_mpi_cleanup();
  fftw_mpi_init();
  check_cube(MPI_COMM_WORLD, "a plan after cleanup and initialisation");
  fftw_cleanup();
  fftw_mpi_cleanup();
  fftw_mpi_init();
  check_cube(MPI_COMM_WORLD, "a plan after fftw_cleanup");
}

/// Checks that a cleanup resets the planner's settings. A remaining time limit would prevent
/// measurements, so no wisdom would arise.
template <class Cleanup> void expect_defaults_after(const Cleanup &cleanup, const char *what) {
  fftw_init_threads();
  fftw_plan_with_nthreads(2);
  fftw_set_timelimit(0);
  cleanup();
  fftw_mpi_init();
  std::vector<double> x(512);
  auto *c = reinterpret_cast<fftw_complex *>(x.data());
  for (const unsigned flags : {FFTW_MEASURE, FFTW_MEASURE | FFTW_WISDOM_ONLY}) {
    const fftw_plan p = fftw_mpi_plan_dft_1d(64, c, c, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    expect(p != nullptr, what);
    fftw_destroy_plan(p);
  }
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan();
  char *text = fftw_sprint_plan(p);
  expect(std::strstr(text, " 2 threads") == nullptr, what);
  std::free(text);
  fftw_destroy_plan(p);
}

void cleaned_up() {
  expect_defaults_after(fftw_mpi_cleanup, "fftw_mpi_cleanup resets the planner");
  expect_defaults_after(
      [] {
        fftw_cleanup();
        fftw_mpi_cleanup();
      },
      "fftw_cleanup resets the planner");
  expect_defaults_after(
      [] {
        fftw_cleanup_threads();
        fftw_mpi_cleanup();
      },
      "fftw_cleanup_threads resets the planner");
}

void threads_before_mpi() {
  expect(fftw_init_threads() != 0, "threads start");
  fftw_mpi_init();
  fftw_plan_with_nthreads(3);
  expect(fftw_planner_nthreads() == 3, "three threads are planned with");
  check_cube(MPI_COMM_WORLD, "a plan of three threads");
  expect(fftw_planner_nthreads() == 3, "three threads are still planned with");
  fftw_plan_with_nthreads(1);
  check_cube(MPI_COMM_WORLD, "a plan of one thread");
}

void threads_after_mpi() {
  fftw_mpi_init();
  check_cube(MPI_COMM_WORLD, "a plan before there are threads");
  expect(fftw_init_threads() != 0, "threads start late");
  fftw_plan_with_nthreads(2);
  check_cube(MPI_COMM_WORLD, "a plan of two threads");
  fftw_cleanup_threads();
  fftw_mpi_cleanup();
  fftw_mpi_init();
  check_cube(MPI_COMM_WORLD, "a plan after fftw_cleanup_threads");
}

void parts_of_the_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0 ? 1 : 0, -rank, &part);
  check_cube(part, "a plan on a part of the world");
  MPI_Comm_free(&part);
  check_cube(MPI_COMM_SELF, "a plan on MPI_COMM_SELF");
}

void communicator_freed_first() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  Cube cube(copy);
  const fftw_plan p = cube.plan();
  MPI_Comm_free(&copy);
  cube.check(p, "a plan whose communicator has been freed");
  fftw_destroy_plan(p);
}

void several_in_flight() {
  Cube a(MPI_COMM_WORLD);
  Cube b(MPI_COMM_WORLD, 16);
  Cube c(MPI_COMM_SELF, 4);
  const std::array<fftw_plan, 3> p{a.plan(), b.plan(FFTW_MEASURE), c.plan()};
  for (int round = 0; round < 3; ++round) {
    a.fill();
    fftw_execute(p[0]);
    b.check(p[1], "a second plan between two uses of the first");
    c.check(p[2], "a plan on one rank between those of all");
    a.check_result("the result of the first plan, after the others");
  }
  fftw_destroy_plan(p[1]);
  a.check(p[0], "the first plan after the second is gone");
  fftw_destroy_plan(p[0]);
  c.check(p[2], "the last plan");
  fftw_destroy_plan(p[2]);
}

void estimates_touch_nothing() {
  Cube cube(MPI_COMM_WORLD);
  cube.fill();
  const fftw_plan p = cube.plan(FFTW_ESTIMATE);
  expect(cube.untouched(), "planning with FFTW_ESTIMATE leaves the arrays alone");
  fftw_execute(p);
  cube.check_result("the result of arrays that were filled before planning");
  fftw_destroy_plan(p);
}

/// Checks that planning by estimates allocates less memory than the arrays have. MPI causes some of
/// the page faults.
void estimates_take_no_memory() {
  Cube cube(MPI_COMM_WORLD, 64);
  fftw_destroy_plan(cube.plan());
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const fftw_plan p = cube.plan();
  getrusage(RUSAGE_SELF, &after);
  const long pages = cube.elements() * 16 / sysconf(_SC_PAGESIZE);
  expect(after.ru_minflt - before.ru_minflt < pages / 4, "an estimate takes no memory");
  cube.check(p, "a plan whose memory comes with its first execution");
  cube.check(p, "the same again");
  fftw_destroy_plan(p);
}

void arrays_come_later() {
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan();
  Cube other(MPI_COMM_WORLD);
  other.fill();
  fftw_mpi_execute_dft(p, other.in(), other.out());
  other.check_result("new arrays");
  fftw_destroy_plan(p);
  fftw_destroy_plan(nullptr);
}

#ifdef HAVE_LONG_DOUBLE
void long_double() {
  std::ptrdiff_t count = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t size = fftwl_mpi_local_size_3d(4, 4, 4, MPI_COMM_WORLD, &count, &start);
  fftwl_complex *l = fftwl_alloc_complex(static_cast<std::size_t>(size));
  const fftwl_plan longer =
      fftwl_mpi_plan_dft_3d(4, 4, 4, l, l, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  for (std::ptrdiff_t i = 0; i < count * 16; ++i) {
    l[i][0] = 1;
    l[i][1] = 0;
  }
  fftwl_execute(longer);
  expect(count == 0 || l[0][0] == (start == 0 ? 64 : 0), "long double");
  fftwl_destroy_plan(longer);
  fftwl_free(l);
}
#endif

/// Serial plans and plans in long double must remain FFTW's.
void plans_of_fftw() {
  std::vector<double> x(64, 1.0);
  auto *c = reinterpret_cast<fftw_complex *>(x.data());
  const fftw_plan serial = fftw_plan_dft_1d(32, c, c, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < 32; ++i) {
    c[i][0] = 1;
    c[i][1] = 0;
  }
  fftw_execute_dft(serial, c, c);
  expect(c[0][0] == 32 && c[1][0] == 0, "a serial plan");
  double add = -1;
  double mul = -1;
  double fma = -1;
  fftw_flops(serial, &add, &mul, &fma);
  expect(add >= 0 && fftw_estimate_cost(serial) >= 0, "what a serial plan costs");
  char *text = fftw_sprint_plan(serial);
  expect(text != nullptr && text[0] == '(', "a serial plan in words");
  std::free(text);
  fftw_destroy_plan(serial);
#ifdef HAVE_LONG_DOUBLE
  long_double();
#endif
}

void plans_in_words() {
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan();
  double add = -1;
  double mul = -1;
  double fma = -1;
  fftw_flops(p, &add, &mul, &fma);
  expect(add >= 0 && mul >= 0 && fma >= 0, "the operations of a plan");
  expect(std::isfinite(fftw_cost(p)) && fftw_estimate_cost(p) >= 0, "what a plan costs");
  char *text = fftw_sprint_plan(p);
  expect(text != nullptr && std::strlen(text) > 10, "a plan in words");
  std::FILE *file = std::tmpfile();
  fftw_fprint_plan(p, file);
  expect(file != nullptr && static_cast<std::size_t>(std::ftell(file)) == std::strlen(text),
         "the same words in a file");
  std::fclose(file);
  std::free(text);
  fftw_print_plan(p);
  fftw_destroy_plan(p);
}

void one_dimension_with(unsigned scrambled) {
  const unsigned flags = FFTW_ESTIMATE | scrambled;
  std::ptrdiff_t in[2] = {0, 0};
  std::ptrdiff_t out[2] = {0, 0};
  const std::ptrdiff_t size =
      fftw_mpi_local_size_1d(64, MPI_COMM_WORLD, FFTW_FORWARD, flags, in, in + 1, out, out + 1);
  fftw_complex *x = fftw_alloc_complex(static_cast<std::size_t>(size));
  const fftw_plan p = fftw_mpi_plan_dft_1d(64, x, x, MPI_COMM_WORLD, FFTW_FORWARD, flags);
  for (int round = 0; round < 2; ++round) {
    for (std::ptrdiff_t i = 0; i < in[0]; ++i) {
      x[i][0] = 1;
      x[i][1] = 0;
    }
    fftw_execute(p);
    expect(out[0] == 0 || x[0][0] == (out[1] == 0 ? 64 : 0), "one dimension");
  }
  fftw_destroy_plan(p);
  fftw_free(x);
}

/// The transform of ones is n at frequency 0, the first element of the output, also in FFTW's
/// scrambled order. On one rank FFTW has no plan with scrambled output.
void one_dimension() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  one_dimension_with(0);
  if (ranks > 1) one_dimension_with(FFTW_MPI_SCRAMBLED_OUT);
}

/// An r2r plan of n x 1 points, left to FFTW. Its values are not checked.
void flat_real_to_real() {
  std::ptrdiff_t count = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t size = fftw_mpi_local_size_2d(8, 1, MPI_COMM_WORLD, &count, &start);
  double *x = fftw_alloc_real(static_cast<std::size_t>(size));
  const fftw_plan p =
      fftw_mpi_plan_r2r_2d(8, 1, x, x, MPI_COMM_WORLD, FFTW_REDFT10, FFTW_REDFT10, FFTW_ESTIMATE);
  std::fill_n(x, size, 1.);
  if (p != nullptr) fftw_execute(p);
  fftw_destroy_plan(p);
  fftw_free(x);
}

/// Ones become 4 n^2 at the origin and zeros elsewhere, with the rounding error of about 64
/// additions.
void real_to_real() {
  std::ptrdiff_t count = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t size = fftw_mpi_local_size_2d(8, 8, MPI_COMM_WORLD, &count, &start);
  double *x = fftw_alloc_real(static_cast<std::size_t>(size));
  const fftw_plan p =
      fftw_mpi_plan_r2r_2d(8, 8, x, x, MPI_COMM_WORLD, FFTW_REDFT10, FFTW_REDFT10, FFTW_ESTIMATE);
  for (std::ptrdiff_t i = 0; i < count * 8; ++i)
    x[i] = 1;
  fftw_mpi_execute_r2r(p, x, x);
  bool right = true;
  for (std::ptrdiff_t i = 0; i < count * 8; ++i)
    right = right && std::abs(x[i] - (start + i == 0 ? 256 : 0)) < 1e-12;
  expect(right, "a transform from real to real numbers");
  fftw_destroy_plan(p);
  fftw_free(x);
}

/// Checks that plans of c2r keep their input. FFTW-MPI keeps it, unlike FFTW's serial plans.
void inputs_are_kept() {
  for (const std::ptrdiff_t n : {4, 6, 10, 20}) {
    for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE}) {
      const std::array<std::ptrdiff_t, 3> extents{n + 4, n, n + 10};
      const std::array<std::ptrdiff_t, 3> half{n + 4, n, (n + 10) / 2 + 1};
      std::ptrdiff_t count = 0;
      std::ptrdiff_t start = 0;
      const std::ptrdiff_t size =
          fftw_mpi_local_size_many(3, half.data(), 2, 0, MPI_COMM_WORLD, &count, &start);
      std::vector<double> in(static_cast<std::size_t>(2 * size));
      std::vector<double> out(in.size());
      const fftw_plan p = fftw_mpi_plan_many_dft_c2r(3, extents.data(), 2, 0, 0,
                                                     reinterpret_cast<fftw_complex *>(in.data()),
                                                     out.data(), MPI_COMM_WORLD, effort);
      std::iota(in.begin(), in.end(), 1.0);
      const std::vector<double> kept = in;
      fftw_execute(p);
      const auto end = in.begin() + 4 * count * half[1] * half[2];
      expect(std::equal(in.begin(), end, kept.begin()), "c2r keeps its input");
      fftw_destroy_plan(p);
    }
  }
}

/// Checks that planning a known problem again with the same effort does not change the arrays.
void expect_known(Cube &cube, unsigned effort, const char *what) {
  cube.fill();
  const fftw_plan p = cube.plan(effort);
  expect(cube.untouched(), what);
  cube.check(p, what);
  fftw_destroy_plan(p);
}

void measured_once() {
  Cube cube(MPI_COMM_WORLD, 16);
  const fftw_plan p = cube.plan(FFTW_MEASURE);
  cube.check(p, "a measured plan");
  fftw_destroy_plan(p);
  expect_known(cube, FFTW_MEASURE, "what has been measured is not measured again");
}

void time_is_limited() {
  fftw_set_timelimit(0.01);
  Cube cube(MPI_COMM_WORLD, 16);
  const fftw_plan p = cube.plan(FFTW_PATIENT);
  cube.check(p, "a plan in a hurry");
  fftw_destroy_plan(p);
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
}

/// A time limit in seconds, too short for any measurement.
constexpr double hurry = 1e-4;

/// Planning a problem again must not measure, even if the time limit prevented its measurement.
/// FFTW behaves so, too.
void measured_in_a_hurry_once() {
  Cube cube(MPI_COMM_WORLD, 32);
  fftw_set_timelimit(hurry);
  fftw_destroy_plan(cube.plan(FFTW_PATIENT));
  expect_known(cube, FFTW_PATIENT, "a plan in the same hurry does not measure");
  expect_known(cube, FFTW_MEASURE, "nor does one of less effort");
  fftw_set_timelimit(hurry / 2);
  expect_known(cube, FFTW_PATIENT, "nor does one in more of a hurry");
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
  cube.fill();
  fftw_destroy_plan(cube.plan(FFTW_PATIENT));
  expect(cube.elements() == 0 || !cube.untouched(), "a plan that takes its time measures");
  expect_known(cube, FFTW_PATIENT, "and is known then");
}

/// Planning a transposition again under the same time limit must not measure. A measurement would
/// clear the arrays.
void transposed_in_a_hurry_once() {
  std::vector<double> x(40 * 24);
  const auto plan = [&] {
    std::fill(x.begin(), x.end(), 1.0);
    fftw_destroy_plan(
        fftw_mpi_plan_transpose(40, 24, x.data(), x.data(), MPI_COMM_WORLD, FFTW_MEASURE));
  };
  fftw_set_timelimit(hurry);
  plan();
  plan();
  expect(std::count(x.begin(), x.end(), 1.0) == 40 * 24, "a transposition in the same hurry");
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
}

/// Makes plans that only FFTW supports and plans of both libraries under a time limit. All ranks
/// must decide alike. FFTW's own planner compares the limit with each rank's clock.
void time_is_limited_for_fftw() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) {
    // The limit of rank 0 must apply to all ranks.
    fftw_set_timelimit(rank == 0 ? 0.001 * i : 1000);
    const std::ptrdiff_t n = 1000 + 24 * i;
    std::vector<double> x(static_cast<std::size_t>(2 * n * 30));
    auto *c = reinterpret_cast<fftw_complex *>(x.data());
    const unsigned effort = i % 2 == 0 ? FFTW_MEASURE : FFTW_PATIENT;
    const std::array<fftw_plan, 3> plans{
        fftw_mpi_plan_dft_1d(n, c, c, MPI_COMM_WORLD, FFTW_FORWARD, effort),
        fftw_mpi_plan_r2r_2d(n, 20, x.data(), x.data(), MPI_COMM_WORLD, FFTW_REDFT10, FFTW_RODFT10,
                             effort),
        fftw_mpi_plan_transpose(n, 20, x.data(), x.data(), MPI_COMM_WORLD, effort)};
    for (const fftw_plan p : plans) {
      expect(p != nullptr, "a plan of FFTW's in a hurry");
      fftw_execute(p);
      fftw_destroy_plan(p);
    }
  }
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
  one_dimension();
}

void thousands() {
  Cube cube(MPI_COMM_WORLD, 4);
  std::vector<fftw_plan> plans;
  for (int i = 0; i < 3000; ++i)
    plans.push_back(cube.plan());
  for (const std::size_t i : {0U, 1U, 1500U, 2999U})
    cube.check(plans[i], "one of thousands of plans");
  for (const fftw_plan p : plans)
    fftw_destroy_plan(p);
}

/// Expects a plan of the drop-in at a size where FFTW is slower.
void expect_ours(MPI_Comm comm, std::ptrdiff_t n, unsigned flags, const char *what) {
  Cube cube(comm, n);
  const fftw_plan p = cube.plan(flags);
  char *text = fftw_sprint_plan(p);
  expect(text != nullptr && text[0] != '(', what);
  std::free(text);
  cube.check(p, what);
  fftw_destroy_plan(p);
}

/// Rank 0 alone makes the first plan, so ranks detect wrong variables at different plans.
void wrong_environment() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) expect_ours(MPI_COMM_SELF, 64, FFTW_ESTIMATE, "a plan of one rank");
  expect_ours(MPI_COMM_WORLD, 64, FFTW_ESTIMATE, "an estimated plan");
  expect_ours(MPI_COMM_WORLD, 128, FFTW_MEASURE, "a measured plan");
}

/// Transforms of one point in 2 to 4 dimensions. FFTW would end the program.
void one_point() {
  for (const unsigned flags : {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_MEASURE | FFTW_WISDOM_ONLY})
    for (const int d : {2, 3, 4}) {
      const std::array<std::ptrdiff_t, 4> n{1, 1, 1, 1};
      std::ptrdiff_t count = 0;
      std::ptrdiff_t start = 0;
      const std::ptrdiff_t size = fftw_mpi_local_size(d, n.data(), MPI_COMM_WORLD, &count, &start);
      std::vector<double> x(static_cast<std::size_t>(2 * size) + 2);
      auto *c = reinterpret_cast<fftw_complex *>(x.data());
      const std::array<fftw_plan, 3> plans{
          fftw_mpi_plan_dft(d, n.data(), c, c, MPI_COMM_WORLD, FFTW_BACKWARD, flags),
          fftw_mpi_plan_dft_r2c(d, n.data(), x.data(), c, MPI_COMM_WORLD, flags),
          fftw_mpi_plan_dft_c2r(d, n.data(), c, x.data(), MPI_COMM_WORLD, flags)};
      for (const fftw_plan p : plans) {
        expect(p != nullptr, "a plan of one point");
        x[0] = 3;
        x[1] = 0;
        fftw_execute(p);
        expect(x[0] == 3 || count == 0, "the transform of one point");
        fftw_destroy_plan(p);
      }
    }
}

/// Transposes a matrix of pairs. The flags store local parts in transposed order at the input or
/// output.
void expect_transposed(std::ptrdiff_t n0, std::ptrdiff_t n1, unsigned flags, bool in_place) {
  constexpr std::ptrdiff_t many = 2;
  const std::array<std::ptrdiff_t, 2> n{n0, n1};
  std::ptrdiff_t rows = 0, row = 0, columns = 0, column = 0;
  const auto size = static_cast<std::size_t>(fftw_mpi_local_size_many_transposed(
      2, n.data(), many, 0, 0, MPI_COMM_WORLD, &rows, &row, &columns, &column));
  std::vector<double> in(size), out(in_place ? 0 : size);
  double *result = in_place ? in.data() : out.data();
  const fftw_plan p =
      fftw_mpi_plan_many_transpose(n0, n1, many, 0, 0, in.data(), result, MPI_COMM_WORLD, flags);
  expect(p != nullptr, "a plan of a transposition");
  const auto place = [](bool swapped, std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t ni,
                        std::ptrdiff_t nj) {
    return static_cast<std::size_t>((swapped ? j * ni + i : i * nj + j) * many);
  };
  const bool in_swapped = (flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out_swapped = (flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    for (std::ptrdiff_t j = 0; j < n1; ++j)
      for (std::ptrdiff_t k = 0; k < many; ++k)
        in[place(in_swapped, i, j, rows, n1) + static_cast<std::size_t>(k)] =
            static_cast<double>(((row + i) * n1 + j) * many + k);
  fftw_execute(p);
  for (std::ptrdiff_t j = 0; j < columns; ++j)
    for (std::ptrdiff_t i = 0; i < n0; ++i)
      for (std::ptrdiff_t k = 0; k < many; ++k)
        expect(result[place(out_swapped, j, i, columns, n0) + static_cast<std::size_t>(k)] ==
                   static_cast<double>((i * n1 + column + j) * many + k),
               "the transposed matrix");
  fftw_destroy_plan(p);
}

void local_transpositions() {
  constexpr unsigned in = FFTW_MPI_TRANSPOSED_IN, out = FFTW_MPI_TRANSPOSED_OUT;
  for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE})
    for (const unsigned swapped : {0U, in, out, in | out})
      for (const bool in_place : {false, true})
        for (const std::ptrdiff_t n1 : {8, 7})
          expect_transposed(12, n1, effort | swapped, in_place);
}

struct Scenario {
  const char *name;
  void (*run)();
};

constexpr std::array<Scenario, 31> scenarios{
    {{"never_initialised", never_initialised},
     {"initialised_again", initialised_again},
     {"cleaned_up", cleaned_up},
     {"threads_before_mpi", threads_before_mpi},
     {"threads_after_mpi", threads_after_mpi},
     {"parts_of_the_world", parts_of_the_world},
     {"communicator_freed_first", communicator_freed_first},
     {"several_in_flight", several_in_flight},
     {"estimates_touch_nothing", estimates_touch_nothing},
     {"estimates_take_no_memory", estimates_take_no_memory},
     {"arrays_come_later", arrays_come_later},
     {"plans_of_fftw", plans_of_fftw},
     {"plans_in_words", plans_in_words},
     {"one_dimension", one_dimension},
     {"real_to_real", real_to_real},
     {"flat_real_to_real", flat_real_to_real},
     {"inputs_are_kept", inputs_are_kept},
     {"local_sizes", dropin::local_sizes},
     {"local_sizes_of_fftw", dropin::local_sizes_of_fftw},
     {"legacy_fortran", dropin::legacy_fortran},
     {"copies", dropin::copies},
     {"measured_once", measured_once},
     {"time_is_limited", time_is_limited},
     {"measured_in_a_hurry_once", measured_in_a_hurry_once},
     {"transposed_in_a_hurry_once", transposed_in_a_hurry_once},
     {"time_is_limited_for_fftw", time_is_limited_for_fftw},
     {"thousands", thousands},
     {"one_point", one_point},
     {"local_transpositions", local_transpositions},
     {"wrong_environment", wrong_environment},
     {"finalised_first", nullptr}}};

/// Destroys a plan after MPI_Finalize.
void finalised_first(bool wanted) {
  if (!wanted) {
    MPI_Finalize();
    return;
  }
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan p = cube.plan();
  cube.check(p, "a plan that outlives MPI");
  MPI_Finalize();
  fftw_destroy_plan(p);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  bool last = false;
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (const Scenario &s : scenarios) {
      if (std::strcmp(s.name, argv[i]) != 0) continue;
      known = true;
      last = last || s.run == nullptr;
      if (s.run != nullptr) s.run();
    }
    expect(known, argv[i]);
  }
  int all = dropin::failures + (argc > 1 ? 0 : 1);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  finalised_first(last);
  return all == 0 && dropin::failures == 0 ? 0 : 1;
}
