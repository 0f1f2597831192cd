// Every candidate that a planner may try keeps to the promised memory, whatever its exchange.
#include "plan/slab_lowering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "exchange/exchange.h"
#include "plan/buffers.h"
#include "plan/slab_problem.h"
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

TEST(SlabLowering, NeedOneArrayBesideInAndOut) {
  const auto comm = exchange::acquire(test::world());
  for (const exchange::Algorithm &algorithm : exchange::algorithms())
    for (const Problem &p : problems())
      for (const int form : {0, 1, 2, 3}) {
        Choice choice;
        choice.algorithm = &algorithm;
        choice.planes_last = (form & 1) != 0;
        choice.split_planes = (form & 2) != 0;
        if (!admits(p, comm->size(), choice)) continue;
        Steps steps;
        if (!lower_slabs(p, comm, choice, true, [&](Steps made) { steps = std::move(made); }))
          continue;
        const Route route = assign_buffers(steps, sizeof(double), {p.in_place});
        const bool windows =
            std::any_of(steps.begin(), steps.end(), [](const Step &d) { return d.uses_window(); });
        EXPECT_LE(route.work_buffers + (windows ? 1U : 0U), 1U)
            << algorithm.name << " kind " << static_cast<int>(p.kind) << " transposed "
            << p.slabs->transposed_in << p.slabs->transposed_out << " in place " << p.in_place
            << " form " << form;
      }
}

/// Copies are for windows only: other exchanges read and write the user's arrays.
TEST(SlabLowering, CopyIntoAndOutOfWindowsOnly) {
  const auto comm = exchange::acquire(test::world());
  for (const exchange::Algorithm &algorithm : exchange::algorithms())
    for (const Problem &p : problems()) {
      Choice choice;
      choice.algorithm = &algorithm;
      choice.planes_last = p.kind == Kind::c2r;
      Steps steps;
      lower_slabs(p, comm, choice, true, [&](Steps made) { steps = std::move(made); });
      const auto copies = std::count_if(steps.begin(), steps.end(),
                                        [](const Step &d) { return d.kind == StepKind::copy; });
      const bool windows =
          std::any_of(steps.begin(), steps.end(), [](const Step &d) { return d.uses_window(); });
      const bool back = p.slabs->back();
      EXPECT_EQ(copies, windows && back ? 1 : 0) << algorithm.name;
    }
}

} // namespace
