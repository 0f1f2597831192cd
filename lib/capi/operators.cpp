// Functions of operators.h over the operator plans of both precisions.
#include "hybridfft/operators.h"

#include <array>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "base/error.h"
#include "capi/errors.h"
#include "capi/handle.h"
#include "operators/operator_plan.h"

template <class Real> struct OperatorHandle {
  std::unique_ptr<hybridfft::OperatorEngine<Real>> plan;
};
struct hfft_operator_plan_s : OperatorHandle<double> {};
struct hfftf_operator_plan_s : OperatorHandle<float> {};

/// Factors in single or in double precision; the member of the other precision is empty.
struct hfft_factors_s {
  std::unique_ptr<hybridfft::OperatorEngine<double>::AxisFactors> in_double;
  std::unique_ptr<hybridfft::OperatorEngine<float>::AxisFactors> in_single;
};
struct hfft_table_s {
  std::shared_ptr<const hybridfft::OperatorEngine<double>::FactorTable> in_double;
  std::shared_ptr<const hybridfft::OperatorEngine<float>::FactorTable> in_single;
};

namespace {

namespace capi = hybridfft::capi;
using hybridfft::Failure;
using hybridfft::OperatorEngine;

/// Maximum number of copied terms and products. The plan has a lower limit and refuses more.
constexpr std::size_t room = 8;

template <class Real> auto &of_precision(auto &handle) {
  if constexpr (std::is_same_v<Real, double>)
    return handle.in_double;
  else
    return handle.in_single;
}

/// Returns the object in a handle, in the plan's precision; nullptr for a null handle.
template <class Real> auto *inside(auto *handle, const char *name) {
  using Held = std::remove_reference_t<decltype(*of_precision<Real>(*handle))>;
  if (handle == nullptr) return static_cast<Held *>(nullptr);
  Held *held = of_precision<Real>(*handle).get();
  if (held == nullptr)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  std::string("operator plan: ") + name + " of a plan of the other precision");
  return held;
}

template <class Real> OperatorEngine<Real> &require(OperatorHandle<Real> *plan) {
  if (plan == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, "the operator plan is NULL");
  return *plan->plan;
}

/// Returns the number of list entries, at most `room`.
std::size_t count_of(int n, const void *list, const char *name) {
  if (n < 0)
    throw Failure(HFFT_ERROR_ARGUMENT, std::string("operator plan: the number of ") + name +
                                           " is " + std::to_string(n) + ", expected 0 or more");
  if (n > 0 && list == nullptr)
    throw Failure(HFFT_ERROR_NULL_POINTER, std::string("operator plan: ") + name + " is NULL");
  return std::min(static_cast<std::size_t>(n), room);
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
    auto made = std::make_unique<hfft_factors_s>();
    of_precision<Real>(*made) = std::make_unique<typename OperatorEngine<Real>::AxisFactors>(
        require(plan).factors(axis, {static_cast<const std::complex<Real> *>(values),
                                     static_cast<std::size_t>(count)}));
    factors = made.release();
  });
  return factors;
}

template <class Real>
hfft_table make_table(OperatorHandle<Real> *plan, hfft_table_function f, void *user) {
  std::unique_ptr<hfft_table_s> table;
  const int code = capi::guarded([&] {
    // NULL on one rank must be an error on all, so the plan reports it.
    std::function<double(ptrdiff_t, ptrdiff_t, ptrdiff_t)> values;
    if (f != nullptr)
      values = [&](ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t k2) { return f(k0, k1, k2, user); };
    auto made = require(plan).table(values, [&] { table = std::make_unique<hfft_table_s>(); });
    of_precision<Real>(*table) = std::move(made);
  });
  return code == HFFT_SUCCESS ? table.release() : nullptr;
}

template <class Real, class Work>
int planes(OperatorHandle<Real> *plan, const hfft_part *part, int nsources,
           const hfft_source *sources, int ntargets, const int *targets, Work work, void *user) {
  using Engine = OperatorEngine<Real>;
  return capi::guarded([&] {
    Engine &engine = require(plan);
    std::array<typename Engine::Source, room> from{};
    const std::size_t n = count_of(nsources, sources, "sources");
    for (std::size_t s = 0; s < n; ++s)
      from[s] = {sources[s].field, inside<Real>(sources[s].along1, "factors"),
                 inside<Real>(sources[s].along2, "factors")};
    const auto line = [work, user](const typename Engine::Line &l) {
      work(l.i, l.j, l.in, l.scratch, l.out, user);
    };
    const typename Engine::Work on_line(line);
    const typename Engine::Work *wrapped = work != nullptr ? &on_line : nullptr;
    const std::span<const typename Engine::Source> read(from.data(), n);
    const std::span<const int> written(targets, count_of(ntargets, targets, "targets"));
    typename Engine::Part some;
    if (part != nullptr) some = {part->first, part->end, part->lines};
    engine.planes(part != nullptr ? &some : nullptr, read, written, wrapped);
  });
}

template <class Real>
int lines(OperatorHandle<Real> *plan, int nproducts, const hfft_product *products) {
  using Engine = OperatorEngine<Real>;
  return capi::guarded([&] {
    Engine &engine = require(plan);
    std::array<typename Engine::LineProduct, room> to{};
    std::array<std::array<typename Engine::ProductTerm, 2>, room> terms{};
    const std::size_t n = count_of(nproducts, products, "products");
    for (std::size_t p = 0; p < n; ++p) {
      const hfft_product &wanted = products[p];
      if (wanted.terms < 1 || wanted.terms > 2)
        throw Failure(HFFT_ERROR_ARGUMENT, "operator plan: a product has " +
                                               std::to_string(wanted.terms) +
                                               " terms, expected 1 or 2");
      const auto used = static_cast<std::size_t>(wanted.terms);
      for (std::size_t t = 0; t < used; ++t) {
        const hfft_term &term = t == 0 ? wanted.first : wanted.second;
        terms[p][t] = {term.field, inside<Real>(term.table, "a table"),
                       inside<Real>(term.along0, "factors")};
      }
      to[p] = {wanted.field, {terms[p].data(), used}};
    }
    engine.lines({to.data(), n});
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
    return lines<R>(plan, nproducts, products);                                                    \
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
