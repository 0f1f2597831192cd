// Functions of hybridfft.h. Most of them only pass their arguments to a function of handle.h,
// options.h or errors.h.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "capi/options.h"
#include "exchange/communicator.h"
#include "hybridfft/hybridfft.h"
#include "layout/checked_size.h"
#include "local/twiddles.h"

namespace {

namespace capi = hybridfft::capi;
using hybridfft::plan::Kind;

/// Returns the options of functions that are short forms of plan_slabs.
hfft_options slab_options(unsigned flags, ptrdiff_t howmany = 1, ptrdiff_t iblock = 0,
                          ptrdiff_t oblock = 0) {
  hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = flags;
  options.howmany = howmany;
  options.iblock = iblock;
  options.oblock = oblock;
  return options;
}

template <class Handle, class Real>
Handle *make_slabs(capi::SlabCall call, MPI_Comm comm, const hfft_options *options) {
  call.real_bytes = sizeof(Real);
  return capi::new_handle<Handle>(
      [&](const auto &prepare) { return capi::create(call, comm, options, std::cref(prepare)); });
}

template <class Handle, class Real>
Handle *make_pruned(capi::SlabCall call, const ptrdiff_t *modes, MPI_Comm comm,
                    hfft_options options) {
  call.pruned = true;
  options.modes = modes;
  return make_slabs<Handle, Real>(call, comm, &options);
}

template <class Handle> auto *inside(Handle *handle) {
  return handle != nullptr ? handle->plan.get() : nullptr;
}

template <class Handle> int run(Handle *handle, Kind kind, void *in, void *out) {
  if (handle == nullptr) return capi::report_null_plan();
  return capi::guarded([&] { capi::execute(inside(handle), kind, in, out); });
}

template <class Handle> int run_planned(Handle *handle) {
  if (handle == nullptr) return capi::report_null_plan();
  auto *plan = inside(handle);
  return run(handle, plan->kind(), plan->problem().input, plan->problem().output);
}

template <class Handle> int start(Handle *handle, Kind kind, void *in, void *out) {
  if (handle == nullptr) return capi::report_null_plan();
  return capi::guarded([&] { capi::start(inside(handle), kind, in, out); });
}

template <class Handle> int start_planned(Handle *handle) {
  if (handle == nullptr) return capi::report_null_plan();
  auto *plan = inside(handle);
  return start(handle, plan->kind(), plan->problem().input, plan->problem().output);
}

template <class Handle> int wait(Handle *handle) {
  if (handle == nullptr) return capi::report_null_plan();
  return capi::guarded([&] {
    hybridfft::mpi::require_running();
    inside(handle)->wait();
  });
}

template <class Handle> int test(Handle *handle, int *done) {
  if (handle == nullptr) return capi::report_null_plan();
  return capi::guarded([&] {
    hybridfft::mpi::require_running();
    const bool all = inside(handle)->test();
    if (done != nullptr) *done = all ? 1 : 0;
  });
}

template <class Handle> int under_way(Handle *handle) {
  return handle != nullptr && handle->plan->active() ? 1 : 0;
}

template <class Handle> void destroy(Handle *handle) {
  if (under_way(handle) == 0)
    delete handle;
  else
    capi::guarded([] {
      throw hybridfft::Failure(HFFT_ERROR_ARGUMENT,
                               "the plan is under way and cannot be destroyed: wait for it first");
    });
}

template <class Handle> char *description(Handle *handle) {
  char *text = nullptr;
  capi::guarded([&] {
    const std::string words = handle != nullptr ? handle->plan->describe() : "no plan\n";
    text = static_cast<char *>(std::malloc(words.size() + 1));
    if (text != nullptr) std::memcpy(text, words.c_str(), words.size() + 1);
  });
  return text;
}

template <class Handle> void print(Handle *handle, FILE *file) {
  char *text = description(handle);
  if (text != nullptr) std::fputs(text, file);
  std::free(text);
}

ptrdiff_t sizes(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,
                MPI_Comm comm, std::size_t real_bytes, capi::LocalBlock first,
                capi::LocalBlock second) {
  ptrdiff_t result = -1;
  capi::guarded([&] {
    result = capi::local_size(rnk, n, howmany, block0, block1, comm, real_bytes, first, second);
  });
  return result;
}

void *allocate(std::size_t bytes) {
  int threads = 1;
  if (!hybridfft::mpi::forked()) capi::guarded([&] { threads = capi::effective_threads(); });
  return hybridfft::allocate(bytes, threads);
}

void *allocate_many(std::size_t n, std::size_t each) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(n, each, &bytes) ? nullptr : allocate(bytes);
}

} // namespace

/// Defines the planning functions of r2c or c2r.
#define HFFT_IMPLEMENT_REAL(X, name, KIND, R, In, Out)                                             \
  X(plan)                                                                                          \
  X(plan_many_##name)                                                                              \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, In *in,     \
   Out *out, MPI_Comm comm, unsigned flags) {                                                      \
    const hfft_options options = slab_options(flags, howmany, iblock, oblock);                     \
    return X(plan_slabs)(KIND, rnk, n, in, out, comm, 0, &options);                                \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_##name)                                                                                   \
  (int rnk, const ptrdiff_t *n, In *in, Out *out, MPI_Comm comm, unsigned flags) {                 \
    return X(plan_many_##name)(rnk, n, 1, 0, 0, in, out, comm, flags);                             \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_##name##_2d)                                                                              \
  (ptrdiff_t n0, ptrdiff_t n1, In * in, Out * out, MPI_Comm comm, unsigned flags) {                \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return X(plan_##name)(2, n.data(), in, out, comm, flags);                                      \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_##name##_3d)                                                                              \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, In * in, Out * out, MPI_Comm comm, unsigned flags) {  \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return X(plan_##name)(3, n.data(), in, out, comm, flags);                                      \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_pruned_##name)                                                                            \
  (int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, ptrdiff_t iblock,       \
   ptrdiff_t oblock, In *in, Out *out, MPI_Comm comm, unsigned flags) {                            \
    return make_pruned<X(plan_s), R>({KIND, rnk, n, in, out, 0}, modes, comm,                      \
                                     slab_options(flags, howmany, iblock, oblock));                \
  }

#define HFFT_IMPLEMENT(X, R, C)                                                                    \
  int X(init)(void) {                                                                              \
    return capi::guarded([] { capi::require_communicator(MPI_COMM_WORLD); });                      \
  }                                                                                                \
  void X(cleanup)(void) {                                                                          \
    if (hybridfft::mpi::running()) hybridfft::exchange::forget_communicators();                    \
  }                                                                                                \
  ptrdiff_t X(local_size_many_transposed)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,          \
                                          ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,       \
                                          ptrdiff_t *local_n0, ptrdiff_t *local_0_start,           \
                                          ptrdiff_t *local_n1, ptrdiff_t *local_1_start) {         \
    return sizes(rnk, n, howmany, block0, block1, comm, sizeof(R), {local_n0, local_0_start},      \
                 {local_n1, local_1_start});                                                       \
  }                                                                                                \
  ptrdiff_t X(local_size_many)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0,   \
                               MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start) {     \
    return sizes(rnk, n, howmany, block0, 0, comm, sizeof(R), {local_n0, local_0_start}, {});      \
  }                                                                                                \
  ptrdiff_t X(local_size_transposed)(int rnk, const ptrdiff_t *n, MPI_Comm comm,                   \
                                     ptrdiff_t *local_n0, ptrdiff_t *local_0_start,                \
                                     ptrdiff_t *local_n1, ptrdiff_t *local_1_start) {              \
    return sizes(rnk, n, 1, 0, 0, comm, sizeof(R), {local_n0, local_0_start},                      \
                 {local_n1, local_1_start});                                                       \
  }                                                                                                \
  ptrdiff_t X(local_size)(int rnk, const ptrdiff_t *n, MPI_Comm comm, ptrdiff_t *local_n0,         \
                          ptrdiff_t *local_0_start) {                                              \
    return sizes(rnk, n, 1, 0, 0, comm, sizeof(R), {local_n0, local_0_start}, {});                 \
  }                                                                                                \
  ptrdiff_t X(local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t * local_n0,      \
                             ptrdiff_t * local_0_start) {                                          \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return X(local_size)(2, n.data(), comm, local_n0, local_0_start);                              \
  }                                                                                                \
  ptrdiff_t X(local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,                 \
                                        ptrdiff_t * local_n0, ptrdiff_t * local_0_start,           \
                                        ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {         \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return X(local_size_transposed)(2, n.data(), comm, local_n0, local_0_start, local_n1,          \
                                    local_1_start);                                                \
  }                                                                                                \
  ptrdiff_t X(local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,              \
                             ptrdiff_t * local_n0, ptrdiff_t * local_0_start) {                    \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return X(local_size)(3, n.data(), comm, local_n0, local_0_start);                              \
  }                                                                                                \
  ptrdiff_t X(local_size_3d_transposed)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,   \
                                        ptrdiff_t * local_n0, ptrdiff_t * local_0_start,           \
                                        ptrdiff_t * local_n1, ptrdiff_t * local_1_start) {         \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return X(local_size_transposed)(3, n.data(), comm, local_n0, local_0_start, local_n1,          \
                                    local_1_start);                                                \
  }                                                                                                \
                                                                                                   \
  X(plan)                                                                                          \
  X(plan_slabs)                                                                                    \
  (int kind, int rnk, const ptrdiff_t *n, void *in, void *out, MPI_Comm comm, int sign,            \
   const hfft_options *options) {                                                                  \
    return make_slabs<X(plan_s), R>({kind, rnk, n, in, out, sign}, comm, options);                 \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_many_dft)                                                                                 \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, C *in,      \
   C *out, MPI_Comm comm, int sign, unsigned flags) {                                              \
    const hfft_options options = slab_options(flags, howmany, iblock, oblock);                     \
    return X(plan_slabs)(HFFT_C2C, rnk, n, in, out, comm, sign, &options);                         \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_dft)                                                                                      \
  (int rnk, const ptrdiff_t *n, C *in, C *out, MPI_Comm comm, int sign, unsigned flags) {          \
    return X(plan_many_dft)(rnk, n, 1, 0, 0, in, out, comm, sign, flags);                          \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_dft_2d)                                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, C * in, C * out, MPI_Comm comm, int sign, unsigned flags) {         \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    return X(plan_dft)(2, n.data(), in, out, comm, sign, flags);                                   \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_dft_3d)                                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, C * out, MPI_Comm comm, int sign,             \
   unsigned flags) {                                                                               \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    return X(plan_dft)(3, n.data(), in, out, comm, sign, flags);                                   \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_pruned_dft)                                                                               \
  (int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, ptrdiff_t iblock,       \
   ptrdiff_t oblock, C *in, C *out, MPI_Comm comm, int sign, unsigned flags) {                     \
    return make_pruned<X(plan_s), R>({HFFT_C2C, rnk, n, in, out, sign}, modes, comm,               \
                                     slab_options(flags, howmany, iblock, oblock));                \
  }                                                                                                \
  ptrdiff_t X(local_size_many_1d)(ptrdiff_t n, ptrdiff_t howmany, MPI_Comm comm, int,              \
                                  unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start,   \
                                  ptrdiff_t *local_no, ptrdiff_t *local_o_start) {                 \
    ptrdiff_t result = -1;                                                                         \
    capi::guarded([&] {                                                                            \
      result = capi::local_size_line(n, howmany, comm, flags, sizeof(R),                           \
                                     {local_ni, local_i_start}, {local_no, local_o_start});        \
    });                                                                                            \
    return result;                                                                                 \
  }                                                                                                \
  ptrdiff_t X(local_size_1d)(ptrdiff_t n, MPI_Comm comm, int sign, unsigned flags,                 \
                             ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,   \
                             ptrdiff_t *local_o_start) {                                           \
    return X(local_size_many_1d)(n, 1, comm, sign, flags, local_ni, local_i_start, local_no,       \
                                 local_o_start);                                                   \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_dft_1d)                                                                                   \
  (ptrdiff_t n, C * in, C * out, MPI_Comm comm, int sign, unsigned flags) {                        \
    return X(plan_dft)(1, &n, in, out, comm, sign, flags);                                         \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_many_r2r)                                                                                 \
  (int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R *in,      \
   R *out, MPI_Comm comm, const int *kinds, unsigned flags) {                                      \
    hfft_options options = slab_options(flags, howmany, iblock, oblock);                           \
    options.kinds = kinds;                                                                         \
    return X(plan_slabs)(HFFT_R2R, rnk, n, in, out, comm, 0, &options);                            \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_r2r)                                                                                      \
  (int rnk, const ptrdiff_t *n, R *in, R *out, MPI_Comm comm, const int *kinds, unsigned flags) {  \
    return X(plan_many_r2r)(rnk, n, 1, 0, 0, in, out, comm, kinds, flags);                         \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_r2r_2d)                                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, int kind0, int kind1,               \
   unsigned flags) {                                                                               \
    const std::array<ptrdiff_t, 2> n{n0, n1};                                                      \
    const std::array<int, 2> kinds{kind0, kind1};                                                  \
    return X(plan_r2r)(2, n.data(), in, out, comm, kinds.data(), flags);                           \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_r2r_3d)                                                                                   \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, MPI_Comm comm, int kind0, int kind1, \
   int kind2, unsigned flags) {                                                                    \
    const std::array<ptrdiff_t, 3> n{n0, n1, n2};                                                  \
    const std::array<int, 3> kinds{kind0, kind1, kind2};                                           \
    return X(plan_r2r)(3, n.data(), in, out, comm, kinds.data(), flags);                           \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_many_transpose)                                                                           \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, R * in,      \
   R * out, MPI_Comm comm, unsigned flags) {                                                       \
    return capi::new_handle<X(plan_s)>([&](const auto &prepare) {                                  \
      return capi::create({n0, n1, howmany, block0, block1, sizeof(R), in, out, flags}, comm,      \
                          std::cref(prepare));                                                     \
    });                                                                                            \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_transpose)                                                                                \
  (ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm, unsigned flags) {                   \
    return X(plan_many_transpose)(n0, n1, 1, 0, 0, in, out, comm, flags);                          \
  }                                                                                                \
  X(plan)                                                                                          \
  X(plan_mixed)                                                                                    \
  (int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in, void *out, MPI_Comm comm,   \
   const int *kinds, int sign, unsigned flags) {                                                   \
    hfft_options options = slab_options(flags, howmany);                                           \
    options.kinds = kinds;                                                                         \
    return X(plan_slabs)(kind, rnk, n, in, out, comm, sign, &options);                             \
  }                                                                                                \
  HFFT_IMPLEMENT_REAL(X, dft_r2c, HFFT_R2C, R, R, C)                                               \
  HFFT_IMPLEMENT_REAL(X, dft_c2r, HFFT_C2R, R, C, R)                                               \
  ptrdiff_t X(local_size_pruned)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes,              \
                                 ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,            \
                                 MPI_Comm comm) {                                                  \
    ptrdiff_t result = -1;                                                                         \
    capi::guarded([&] {                                                                            \
      result = capi::local_size_pruned(rnk, n, modes, howmany, block0, block1, comm, sizeof(R));   \
    });                                                                                            \
    return result;                                                                                 \
  }                                                                                                \
  int X(execute)(X(plan) plan) { return run_planned(plan); }                                       \
  int X(execute_dft)(X(plan) plan, C * in, C * out) { return run(plan, Kind::c2c, in, out); }      \
  int X(execute_dft_r2c)(X(plan) plan, R * in, C * out) { return run(plan, Kind::r2c, in, out); }  \
  int X(execute_dft_c2r)(X(plan) plan, C * in, R * out) { return run(plan, Kind::c2r, in, out); }  \
  int X(execute_r2r)(X(plan) plan, R * in, R * out) { return run(plan, Kind::r2r, in, out); }      \
  int X(execute_start_r2r)(X(plan) plan, R * in, R * out) {                                        \
    return start(plan, Kind::r2r, in, out);                                                        \
  }                                                                                                \
  int X(execute_start)(X(plan) plan) { return start_planned(plan); }                               \
  int X(execute_start_dft)(X(plan) plan, C * in, C * out) {                                        \
    return start(plan, Kind::c2c, in, out);                                                        \
  }                                                                                                \
  int X(execute_start_dft_r2c)(X(plan) plan, R * in, C * out) {                                    \
    return start(plan, Kind::r2c, in, out);                                                        \
  }                                                                                                \
  int X(execute_start_dft_c2r)(X(plan) plan, C * in, R * out) {                                    \
    return start(plan, Kind::c2r, in, out);                                                        \
  }                                                                                                \
  int X(execute_test)(X(plan) plan, int *done) { return test(plan, done); }                        \
  int X(execute_wait)(X(plan) plan) { return wait(plan); }                                         \
  int X(plan_under_way)(X(plan) plan) { return under_way(plan); }                                  \
  void X(destroy_plan)(X(plan) plan) { destroy(plan); }                                            \
                                                                                                   \
  int X(plan_with_nthreads)(int nthreads) {                                                        \
    return capi::guarded([=] { capi::set_planner_threads(nthreads); });                            \
  }                                                                                                \
  int X(planner_nthreads)(void) { return capi::planner_threads(); }                                \
                                                                                                   \
  void X(set_timelimit)(double seconds) { capi::set_time_limit(seconds); }                         \
                                                                                                   \
  int X(export_wisdom_to_filename)(const char *filename) { return capi::export_wisdom(filename); } \
  char *X(export_wisdom_to_string)(void) { return capi::wisdom_text(); }                           \
  int X(import_wisdom_from_filename)(const char *filename) {                                       \
    return capi::import_wisdom(filename);                                                          \
  }                                                                                                \
  int X(import_wisdom_from_string)(const char *text) { return capi::import_wisdom_text(text); }    \
  void X(forget_wisdom)(void) { capi::forget_wisdom(); }                                           \
  int X(broadcast_wisdom)(MPI_Comm comm) { return capi::broadcast_wisdom(comm); }                  \
  int X(gather_wisdom)(MPI_Comm comm) { return capi::gather_wisdom(comm); }                        \
                                                                                                   \
  void X(print_plan)(X(plan) plan) { print(plan, stdout); }                                        \
  void X(fprint_plan)(X(plan) plan, FILE * file) { print(plan, file); }                            \
  char *X(sprint_plan)(X(plan) plan) { return description(plan); }                                 \
                                                                                                   \
  int X(plan_working_ranks)(X(plan) plan, int *most, int *fewest) {                                \
    return capi::guarded([=] {                                                                     \
      const auto ranks = capi::require_plan(inside(plan)).working_ranks();                         \
      if (most != nullptr) *most = ranks.most;                                                     \
      if (fewest != nullptr) *fewest = ranks.fewest;                                               \
    });                                                                                            \
  }                                                                                                \
  int X(plan_set_profiling)(X(plan) plan, int on) {                                                \
    return capi::guarded(                                                                          \
        [=] { capi::require_plan(inside(plan)).recorder().set_profiling(on != 0); });              \
  }                                                                                                \
  int X(plan_profile)(X(plan) plan, hfft_stage_profile * stages, int capacity, int *count) {       \
    return capi::guarded([=] { capi::profile(inside(plan), stages, capacity, count); });           \
  }                                                                                                \
  size_t X(plan_work_size)(X(plan) plan) { return plan != nullptr ? plan->plan->work_size() : 0; } \
  size_t X(plan_work_bytes)(X(plan) plan) {                                                        \
    return plan != nullptr ? plan->plan->work_bytes() : 0;                                         \
  }                                                                                                \
                                                                                                   \
  void *X(malloc)(size_t bytes) { return allocate(bytes); }                                        \
  R *X(alloc_real)(size_t n) { return static_cast<R *>(allocate_many(n, sizeof(R))); }             \
  C *X(alloc_complex)(size_t n) { return static_cast<C *>(allocate_many(n, sizeof(C))); }          \
  void X(free)(void *p) { hybridfft::deallocate(p); }                                              \
                                                                                                   \
  const char *X(error_string)(int code) { return capi::error_string(code); }                       \
  int X(last_error)(void) { return capi::last_error(); }                                           \
  const char *X(last_error_message)(void) { return capi::last_error_message(); }

extern "C" {
HFFT_IMPLEMENT(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_IMPLEMENT(HFFT_MANGLE_FLOAT, float, hfftf_complex)
}

// Finds lengths with fast transforms.

namespace {

using hybridfft::CheckedSize;

/// Prime factors of fast lengths.
constexpr std::array<ptrdiff_t, 6> primes{13, 11, 7, 5, 3, 2};

/// Returns the smallest number >= n that is `product` (< n) times powers of the factors; `best` if
/// none is smaller than `best`.
ptrdiff_t smallest_product(ptrdiff_t n, ptrdiff_t product, std::span<const ptrdiff_t> factors,
                           ptrdiff_t best) {
  for (CheckedSize next = product; next.fits() && next.value() < best; next *= factors.front()) {
    if (next.value() >= n) return next.value();
    if (factors.size() > 1) best = smallest_product(n, next.value(), factors.subspan(1), best);
  }
  return best;
}

} // namespace

extern "C" hfft_length_kind hfft_kind_of_length(ptrdiff_t n) {
  using hybridfft::local::LengthKind;
  const LengthKind kind = hybridfft::local::kind_of_length(n);
  return kind == LengthKind::fast      ? HFFT_LENGTH_FAST
         : kind == LengthKind::kernels ? HFFT_LENGTH_KERNELS
                                       : HFFT_LENGTH_CONVOLUTION;
}

extern "C" ptrdiff_t hfft_next_fast_length(ptrdiff_t n) {
  constexpr ptrdiff_t none = PTRDIFF_MAX; // larger than all candidates; not a fast length itself,
                                          // because it has the prime factor 73
  ptrdiff_t found = smallest_product(std::max<ptrdiff_t>(n, 1), 1, primes, none);
  if (found != none) return found;
  hybridfft::capi::guarded([=] {
    throw hybridfft::Failure(HFFT_ERROR_OVERFLOW,
                             "no length of 63 bits from " + std::to_string(n) + " on is fast");
  });
  return 0;
}
