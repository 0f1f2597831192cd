// Functions of operators.h, for operator plans of both precisions.
#include "hybridfft/operators.h"

#include <array>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "operators/operator_plan.h"

template <class Real> struct OperatorHandle {
  std::unique_ptr<hybridfft::OperatorEngine<Real>> plan;
};
struct hfft_operator_plan_s : OperatorHandle<double> {};
struct hfftf_operator_plan_s : OperatorHandle<float> {};

namespace {

namespace capi = hybridfft::capi;
using hybridfft::Failure;
using hybridfft::OperatorEngine;

template <class Real> OperatorEngine<Real> &require(OperatorHandle<Real> *plan) {
  if (plan == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, "the operator plan is NULL");
  return *plan->plan;
}

/// Returns the n entries at `first`. Throws Failure for n < 0, or for a null pointer if n > 0.
/// \param name name of the entries, for the message
template <class T> std::span<const T> list(int n, const T *first, const char *name) {
  if (n < 0)
    throw Failure(HFFT_ERROR_ARGUMENT, std::string("operator plan: the number of ") + name +
                                           " is " + std::to_string(n) + ", expected 0 or more");
  if (n > 0 && first == nullptr)
    throw Failure(HFFT_ERROR_NULL_POINTER, std::string("operator plan: ") + name + " is NULL");
  return {first, static_cast<std::size_t>(n)};
}

template <class Handle, class Real>
Handle *make_plan(std::array<ptrdiff_t, 3> n, int fields, MPI_Comm comm, int threads) {
  std::unique_ptr<Handle> handle;
  const int code = capi::guarded([&] {
    capi::require_communicator(comm);
    auto plan = OperatorEngine<Real>::make(n, fields, comm, threads,
                                           [&] { handle = std::make_unique<Handle>(); });
    handle->plan = std::move(plan);
  });
  return code == HFFT_SUCCESS ? handle.release() : nullptr;
}

template <class Real>
hfft_factors make_factors(OperatorHandle<Real> *plan, int axis, ptrdiff_t count,
                          const void *values) {
  hfft_factors factors = nullptr;
  capi::guarded([&] {
    if (count < 0 || (count > 0 && values == nullptr))
      throw Failure(count < 0 ? HFFT_ERROR_ARGUMENT : HFFT_ERROR_NULL_POINTER,
                    "operator plan: " + std::to_string(count) + " factors" +
                        (count < 0 ? ", expected 0 or more" : " of an array that is NULL"));
    factors = require(plan)
                  .factors(axis, {static_cast<const std::complex<Real> *>(values),
                                  static_cast<std::size_t>(count)})
                  .release();
  });
  return factors;
}

template <class Real>
hfft_table make_table(OperatorHandle<Real> *plan, hfft_table_function f, void *user) {
  hfft_table table = nullptr;
  capi::guarded([&] { table = require(plan).table(f, user).release(); });
  return table;
}

template <class Real, class Work>
int planes(OperatorHandle<Real> *plan, const hfft_part *part, int nsources,
           const hfft_source *sources, int ntargets, const int *targets, Work work, void *user) {
  return capi::guarded([&] {
    OperatorEngine<Real> &engine = require(plan);
    const auto line = [work, user](const hybridfft::local::PlaneLine<Real> &l) {
      work(l.i, l.j, l.in, l.scratch, l.out, user);
    };
    const hybridfft::local::PlaneWork<Real> on_line(line);
    engine.planes(part, list(nsources, sources, "sources"), list(ntargets, targets, "targets"),
                  work != nullptr ? &on_line : nullptr);
  });
}

template <class Real> char *describe(OperatorHandle<Real> *plan) {
  char *text = nullptr;
  capi::guarded([&] {
    const std::string words = require(plan).describe();
    text = static_cast<char *>(std::malloc(words.size() + 1));
    if (text == nullptr) throw std::bad_alloc();
    std::memcpy(text, words.c_str(), words.size() + 1);
  });
  return text;
}

template <class Real>
int profile(OperatorHandle<Real> *plan, double *planes, double *lines, double *exchange) {
  return capi::guarded([=] {
    const auto times = require(plan).profile();
    if (planes != nullptr) *planes = times.planes;
    if (lines != nullptr) *lines = times.lines;
    if (exchange != nullptr) *exchange = times.exchange;
  });
}

} // namespace

#define HFFT_IMPLEMENT_OPERATORS(X, R, C)                                                          \
  int X(operator_supports)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2) {                             \
    int result = 0;                                                                                \
    capi::guarded([&] { result = OperatorEngine<R>::supports({n0, n1, n2}) ? 1 : 0; });            \
    return result;                                                                                 \
  }                                                                                                \
  X(operator_plan)                                                                                 \
  X(plan_operator)                                                                                 \
  (ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, int fields, MPI_Comm comm, int threads) {             \
    return make_plan<X(operator_plan_s), R>({n0, n1, n2}, fields, comm, threads);                  \
  }                                                                                                \
  void X(destroy_operator)(X(operator_plan) plan) { delete plan; }                                 \
  hfft_factors X(operator_factors)(X(operator_plan) plan, int axis, ptrdiff_t count,               \
                                   const C *values) {                                              \
    return make_factors<R>(plan, axis, count, values);                                             \
  }                                                                                                \
  hfft_table X(operator_table)(X(operator_plan) plan, hfft_table_function f, void *user) {         \
    return make_table<R>(plan, f, user);                                                           \
  }                                                                                                \
  int X(operator_planes)(X(operator_plan) plan, const hfft_part *part, int nsources,               \
                         const hfft_source *sources, int ntargets, const int *targets,             \
                         X(line_work) work, void *user) {                                          \
    return planes<R>(plan, part, nsources, sources, ntargets, targets, work, user);                \
  }                                                                                                \
  int X(operator_lines)(X(operator_plan) plan, int nproducts, const hfft_product *products) {      \
    return capi::guarded([=] { require<R>(plan).lines(list(nproducts, products, "products")); });  \
  }                                                                                                \
  int X(operator_fields_apart)(X(operator_plan) plan) {                                            \
    int result = 0;                                                                                \
    capi::guarded([&] { result = require<R>(plan).fields_travel_apart() ? 1 : 0; });               \
    return result;                                                                                 \
  }                                                                                                \
  int X(operator_profile)(X(operator_plan) plan, double *planes, double *lines,                    \
                          double *exchange) {                                                      \
    return profile<R>(plan, planes, lines, exchange);                                              \
  }                                                                                                \
  char *X(operator_describe)(X(operator_plan) plan) { return describe<R>(plan); }                  \
  size_t X(operator_bytes)(X(operator_plan) plan) {                                                \
    size_t bytes = 0;                                                                              \
    capi::guarded([&] { bytes = require<R>(plan).bytes(); });                                      \
    return bytes;                                                                                  \
  }

extern "C" {
void hfft_destroy_factors(hfft_factors factors) { delete factors; }
void hfft_destroy_table(hfft_table table) { delete table; }

HFFT_IMPLEMENT_OPERATORS(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_IMPLEMENT_OPERATORS(HFFT_MANGLE_FLOAT, float, hfftf_complex)
}
