/// Calls functions of the drop-in through other interfaces, and compares them with FFTW's own
/// functions.
#include "reach.h"

#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "cube.h"

// FFTW's entry points for Fortran, which no header declares.
extern "C" {
#define LEGACY(F, X, R, C)                                                                         \
  void F(execute_)(const X(plan) *);                                                               \
  void F(execute_dft_)(const X(plan) *, C *, C *);                                                 \
  void F(print_plan_)(const X(plan) *);                                                            \
  void F(flops_)(X(plan) *, double *, double *, double *);                                         \
  void F(estimate_cost_)(double *, const X(plan) *);                                               \
  void F(cost_)(double *, const X(plan) *);                                                        \
  void F(destroy_plan_)(X(plan) *);                                                                \
  void F(destroy_plan__)(X(plan) *);
#define SIZES_F03(XM)                                                                              \
  ptrdiff_t XM(local_size_3d_f03)(ptrdiff_t, ptrdiff_t, ptrdiff_t, MPI_Fint, ptrdiff_t *,          \
                                  ptrdiff_t *);                                                    \
  ptrdiff_t XM(local_size_2d_f03)(ptrdiff_t, ptrdiff_t, MPI_Fint, ptrdiff_t *, ptrdiff_t *);       \
  ptrdiff_t XM(local_size_f03)(int, const ptrdiff_t *, MPI_Fint, ptrdiff_t *, ptrdiff_t *);        \
  ptrdiff_t XM(local_size_many_f03)(int, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, MPI_Fint,        \
                                    ptrdiff_t *, ptrdiff_t *);
#define DOUBLE(name) fftw_##name
#define SINGLE(name) fftwf_##name
#define MPI_DOUBLE_(name) fftw_mpi_##name
#define MPI_SINGLE_(name) fftwf_mpi_##name
#define LEGACY_DOUBLE(name) dfftw_##name
#define LEGACY_SINGLE(name) sfftw_##name
LEGACY(LEGACY_DOUBLE, DOUBLE, double, fftw_complex)
LEGACY(LEGACY_SINGLE, SINGLE, float, fftwf_complex)
SIZES_F03(MPI_DOUBLE_)
SIZES_F03(MPI_SINGLE_)
}

namespace dropin {

namespace {

constexpr std::array<std::ptrdiff_t, 3> n{24, 20, 6};
constexpr std::ptrdiff_t many = 3;

/// Returns the rows of this rank, or the maximum over ranks, for equal blocks of ceil(n / ranks).
std::ptrdiff_t rows(std::ptrdiff_t extent, bool largest) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::ptrdiff_t block = (extent + ranks - 1) / ranks;
  const std::ptrdiff_t left = extent - block * rank;
  return largest ? block : std::clamp<std::ptrdiff_t>(left, 0, block);
}

/// Checks a local size. It must hold this rank's part, and must not exceed the largest part of the
/// array or of the transposed array.
void expect_size(std::ptrdiff_t size, std::ptrdiff_t count, std::ptrdiff_t rest, const char *what) {
  expect(count == rows(n[0], false), what);
  expect(size >= rows(n[0], false) * n[1] * rest, what);
  expect(size <= std::max(rows(n[0], true) * n[1], rows(n[1], true) * n[0]) * rest, what);
}

#define CHECK_SIZES(XM, word)                                                                      \
  {                                                                                                \
    std::ptrdiff_t c = 0;                                                                          \
    std::ptrdiff_t s = 0;                                                                          \
    const MPI_Comm w = MPI_COMM_WORLD;                                                             \
    const MPI_Fint f = MPI_Comm_c2f(w);                                                            \
    std::ptrdiff_t size = XM(local_size_3d)(n[0], n[1], n[2], w, &c, &s);                          \
    expect_size(size, c, n[2], word " local_size_3d");                                             \
    size = XM(local_size_2d)(n[0], n[1], w, &c, &s);                                               \
    expect_size(size, c, 1, word " local_size_2d");                                                \
    size = XM(local_size)(3, n.data(), w, &c, &s);                                                 \
    expect_size(size, c, n[2], word " local_size");                                                \
    size = XM(local_size_many)(3, n.data(), many, 0, w, &c, &s);                                   \
    expect_size(size, c, n[2] * many, word " local_size_many");                                    \
    size = XM(local_size_3d_f03)(n[0], n[1], n[2], f, &c, &s);                                     \
    expect_size(size, c, n[2], word " local_size_3d_f03");                                         \
    size = XM(local_size_2d_f03)(n[0], n[1], f, &c, &s);                                           \
    expect_size(size, c, 1, word " local_size_2d_f03");                                            \
    size = XM(local_size_f03)(3, n.data(), f, &c, &s);                                             \
    expect_size(size, c, n[2], word " local_size_f03");                                            \
    size = XM(local_size_many_f03)(3, n.data(), many, 0, f, &c, &s);                               \
    expect_size(size, c, n[2] * many, word " local_size_many_f03");                                \
  }

/// Returns a function of FFTW's library itself, even if another library precedes it.
template <class F> F *own_function(const char *file, const char *name) {
  void *library = dlopen(file, RTLD_LAZY);
  void *found = library != nullptr ? dlsym(library, name) : nullptr;
  expect(found != nullptr, name);
  return reinterpret_cast<F *>(found);
}

#define CHECK_SIZES_OF_FFTW(XM, file, text)                                                        \
  {                                                                                                \
    std::ptrdiff_t c = 0;                                                                          \
    std::ptrdiff_t s = 0;                                                                          \
    std::ptrdiff_t c1 = 0;                                                                         \
    std::ptrdiff_t s1 = 0;                                                                         \
    const MPI_Comm w = MPI_COMM_WORLD;                                                             \
    auto *const in_3d = own_function<decltype(XM(local_size_3d))>(file, text "local_size_3d");     \
    auto *const in_2d = own_function<decltype(XM(local_size_2d))>(file, text "local_size_2d");     \
    auto *const transposed = own_function<decltype(XM(local_size_3d_transposed))>(                 \
        file, text "local_size_3d_transposed");                                                    \
    const std::ptrdiff_t size_3d = in_3d(n[0], n[1], n[2], w, &c, &s);                             \
    expect_size(size_3d, c, n[2], "FFTW's own " text "local_size_3d");                             \
    expect(XM(local_size_3d)(n[0], n[1], n[2], w, &c, &s) >= size_3d,                              \
           "at least what " text "local_size_3d asks for");                                        \
    const std::ptrdiff_t size_2d = in_2d(n[0], n[1], w, &c, &s);                                   \
    expect_size(size_2d, c, 1, "FFTW's own " text "local_size_2d");                                \
    expect(XM(local_size_2d)(n[0], n[1], w, &c, &s) >= size_2d,                                    \
           "at least what " text "local_size_2d asks for");                                        \
    const std::ptrdiff_t both = transposed(n[0], n[1], n[2], w, &c, &s, &c1, &s1);                 \
    expect(XM(local_size_3d_transposed)(n[0], n[1], n[2], w, &c, &s, &c1, &s1) >= both,            \
           "at least what " text "local_size_3d_transposed asks for");                             \
  }

#ifndef HYBRIDFFT_FFTW3_MPI_H
template <class Real> struct Legacy;
#define LEGACY_OF(R, F, X, XM)                                                                     \
  template <> struct Legacy<R> {                                                                   \
    using Plan = X(plan);                                                                          \
    using Complex = X(complex);                                                                    \
    static constexpr auto size = XM(local_size_3d);                                                \
    static constexpr auto plan = XM(plan_dft_3d);                                                  \
    static constexpr auto allocate = X(alloc_complex);                                             \
    static constexpr auto free = X(free);                                                          \
    static constexpr auto execute = F(execute_);                                                   \
    static constexpr auto print = F(print_plan_);                                                  \
    static constexpr auto flops = F(flops_);                                                       \
    static constexpr auto estimate_cost = F(estimate_cost_);                                       \
    static constexpr auto cost = F(cost_);                                                         \
    static constexpr auto destroy = F(destroy_plan_);                                              \
    static constexpr auto destroy_for_g77 = F(destroy_plan__);                                     \
  };
LEGACY_OF(double, LEGACY_DOUBLE, DOUBLE, MPI_DOUBLE_)
LEGACY_OF(float, LEGACY_SINGLE, SINGLE, MPI_SINGLE_)

/// Transforms ones on 8^3 points by the legacy interface. The result is 8^3 at the origin.
template <class Real> void use_legacy() {
  using L = Legacy<Real>;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t start = 0;
  const std::ptrdiff_t size = L::size(8, 8, 8, MPI_COMM_WORLD, &count, &start);
  auto *x = L::allocate(static_cast<std::size_t>(size));
  typename L::Plan plan = L::plan(8, 8, 8, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    x[i][0] = 1;
    x[i][1] = 0;
  }
  L::execute(&plan);
  bool right = true;
  for (std::ptrdiff_t i = 0; i < count * 64; ++i)
    right = right && x[i][0] == (start + i == 0 ? Real{512} : Real{0}) && x[i][1] == 0;
  expect(right, "a plan that legacy Fortran executes");
  double add = -1;
  double mul = -1;
  double fma = -1;
  double cost = -1;
  double estimate = -1;
  L::flops(&plan, &add, &mul, &fma);
  L::cost(&cost, &plan);
  L::estimate_cost(&estimate, &plan);
  expect(add >= 0 && mul >= 0 && fma >= 0 && cost >= 0 && estimate >= 0,
         "what a plan costs in legacy Fortran");
  L::print(&plan);
  L::destroy(&plan);
  plan = L::plan(8, 8, 8, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  L::destroy_for_g77(&plan);
  L::free(x);
}
#endif

} // namespace

void local_sizes() {
  CHECK_SIZES(MPI_DOUBLE_, "fftw_mpi")
  CHECK_SIZES(MPI_SINGLE_, "fftwf_mpi")
}

void local_sizes_of_fftw() {
  CHECK_SIZES_OF_FFTW(MPI_DOUBLE_, "libfftw3_mpi.so.3", "fftw_mpi_")
  CHECK_SIZES_OF_FFTW(MPI_SINGLE_, "libfftw3f_mpi.so.3", "fftwf_mpi_")
}

// Skipped if the header maps names: Fortran's names then remain FFTW's, so FFTW would compute.
void legacy_fortran() {
#ifndef HYBRIDFFT_FFTW3_MPI_H
  use_legacy<double>();
  use_legacy<float>();
#endif
}

void copies() {
  auto *copy = reinterpret_cast<fftw_plan (*)(fftw_plan)>(dlsym(RTLD_DEFAULT, "fftw_copy_plan"));
  if (copy == nullptr) return;
  expect(copy(nullptr) == nullptr, "no plan has a copy that is none");
  Cube cube(MPI_COMM_WORLD);
  const fftw_plan first = cube.plan();
  const fftw_plan second = copy(first);
  const fftw_plan third = copy(second);
  fftw_destroy_plan(first);
  cube.check(second, "a copy of a plan that has been destroyed");
  fftw_destroy_plan(second);
  cube.check(third, "a copy of a copy");
  fftw_destroy_plan(third);
  fftw_complex x[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
  const fftw_plan serial = fftw_plan_dft_1d(4, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  const fftw_plan same = copy(serial);
  fftw_destroy_plan(serial);
  fftw_execute(same);
  expect(x[0][0] == 4 && x[1][0] == 0, "a copy of a serial plan");
  fftw_destroy_plan(same);
}

} // namespace dropin
