// Every candidate plan, with any exchange, must use no more memory than documented for users.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exchange/exchange.h"
#include "plan/arguments.h"
#include "plan/buffers.h"
#include "plan/candidates.h"
#include "plan/lowering.h"
#include "support/mpi_test.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;

std::vector<Problem> problems() {
  const int ranks = test::size_of(test::world());
  std::vector<Problem> list;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const bool transposed_in : {false, true})
      for (const bool transposed_out : {false, true})
        for (const bool in_place : {false, true})
          for (const std::ptrdiff_t n : {1, 12}) {
            Problem p = slab_problem(kind, kind == Kind::c2r ? 1 : -1, {n, 10, 6}, {}, 1,
                                     {transposed_in, transposed_out, 0, 0}, ranks);
            p.in_place = in_place;
            p.effort = 64; // FFTW_ESTIMATE
            list.push_back(p);
          }
  return list;
}

/// Calls f(steps, path) for each path that the exchange supports, with fused and with split passes.
template <class F>
void for_all_forms(const Problem &p, const exchange::Algorithm &algorithm, const F &f) {
  const auto comm = exchange::acquire(test::world());
  for (const OrderedPath &path : slab_paths(p))
    for (const Passes passes : {Passes::fused, Passes::split}) {
      Choice choice;
      choice.path = std::make_shared<const OrderedPath>(path);
      choice.algorithm = &algorithm;
      choice.passes = passes;
      if (!admits(p, comm->size(), choice)) continue;
      auto exchanges = plan_slab_exchanges(p, choice, comm, true);
      if (!exchanges) continue;
      Steps steps = lower_path(p, choice, comm->rank());
      if (use_slab_exchanges(steps, p, choice, *exchanges)) f(steps, path.path);
    }
}

bool has_window(const Steps &steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step &d) { return d.uses_window(); });
}

TEST(SlabLowering, NeedOneArrayBesideInAndOut) {
  for (const exchange::Algorithm &algorithm : exchange::algorithms())
    for (const Problem &p : problems())
      for_all_forms(p, algorithm, [&](const Steps &steps, const Path &path) {
        const Route route = assign_buffers(steps, sizeof(double), {p.in_place});
        EXPECT_LE(route.work_buffers + (has_window(steps) ? 1U : 0U), 1U)
            << algorithm.name << " kind " << static_cast<int>(p.kind) << " in place " << p.in_place
            << " " << describe(path);
      });
}

/// Only exchanges through windows of shared memory need copies of arrays: others read and write the
/// user's arrays directly.
TEST(SlabLowering, CopyIntoAndOutOfWindowsOnly) {
  for (const exchange::Algorithm &algorithm : exchange::algorithms())
    for (const Problem &p : problems())
      for_all_forms(p, algorithm, [&](const Steps &steps, const Path &path) {
        const auto copies = std::count_if(steps.begin(), steps.end(),
                                          [](const Step &d) { return d.kind == StepKind::copy; });
        const bool back = path.size() > 2;
        EXPECT_EQ(copies, has_window(steps) && back ? 1 : 0) << algorithm.name;
      });
}

/// Redistributes a matrix of tuples of three real numbers; the value of each number is its index.
template <class Real>
void expect_transposed(Choice choice, bool final_order, bool in_place, std::ptrdiff_t n0,
                       std::ptrdiff_t n1) {
  const auto comm = exchange::acquire(test::world());
  const std::ptrdiff_t tuple = 3;
  Problem p = slab_problem(Kind::c2c, -1, {n0, n1}, {}, tuple, {false, true, 0, 0}, comm->size());
  p.axes.clear();
  p.real_bytes = sizeof(Real) / 2;
  p.in_place = in_place;
  p.effort = 64; // FFTW_ESTIMATE
  const std::vector<OrderedPath> paths = slab_paths(p);
  choice.path = std::make_shared<const OrderedPath>(final_order ? paths.back() : paths.front());
  const auto plan = build(p, comm, choice, true);
  if (!plan) return; // the exchange does not apply
  const auto value = [=](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return static_cast<Real>((i * n1 + j) * tuple + k);
  };
  const BlockDistribution rows(n0, comm->size()), columns(n1, comm->size());
  const std::ptrdiff_t my_rows = rows.count(comm->rank()), my_columns = columns.count(comm->rank());
  std::vector<Real> x(static_cast<std::size_t>(allocation(p, comm->rank()))), y(x);
  for (std::ptrdiff_t i = 0; i < my_rows; ++i)
    for (std::ptrdiff_t j = 0; j < n1; ++j)
      for (std::ptrdiff_t k = 0; k < tuple; ++k)
        x[static_cast<std::size_t>((i * n1 + j) * tuple + k)] =
            value(rows.start(comm->rank()) + i, j, k);
  plan->execute(x.data(), in_place ? x.data() : y.data());
  int wrong = 0;
  for (std::ptrdiff_t j = 0; j < my_columns; ++j)
    for (std::ptrdiff_t i = 0; i < n0; ++i)
      for (std::ptrdiff_t k = 0; k < tuple; ++k)
        wrong += (in_place ? x : y)[static_cast<std::size_t>((j * n0 + i) * tuple + k)] !=
                 value(i, columns.start(comm->rank()) + j, k);
  EXPECT_EQ(wrong, 0) << plan->describe();
}

/// A problem without transforms, from slabs to transposed slabs: every exchange can redistribute
/// it, in the order of its messages and in the final order.
TEST(SlabLowering, RedistributesByEveryExchange) {
  for (const exchange::Algorithm &algorithm : exchange::algorithms())
    for (const bool final_order : {false, true})
      for (const bool in_place : {false, true}) {
        if (algorithm.fftw) continue; // FFTW transposes only real numbers of the plan's precision
        Choice choice;
        choice.algorithm = &algorithm;
        choice.tile_bytes = 4096;
        expect_transposed<float>(choice, final_order, in_place, 13, 10);
        expect_transposed<double>(choice, final_order, in_place, 13, 10);
        const std::ptrdiff_t square = 4 * test::size_of(test::world());
        expect_transposed<float>(choice, final_order, in_place, square, square);
      }
}

} // namespace
