/// Sweeps over planes and sweeps over lines of an operator plan: their checks and their passes.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "local/line_sweep.h"
#include "local/plane_sweep.h"
#include "operators/field_program.h"
#include "operators/field_table.h"
#include "operators/operator_plan.h"
#include "profile/recorder.h"

namespace hybridfft {

template <class Real> class OperatorEngine<Real>::Table {
public:
  local::SpectralTable<Real> values;
  std::array<std::ptrdiff_t, 3> extents{}; ///< extents of its plan
  int rank = 0, ranks = 1;                 ///< rank and number of ranks of its plan
};

template <class Real> struct OperatorEngine<Real>::Impl {
  /// Makes the implementation. Collective; throws Failure on all ranks alike.
  static std::unique_ptr<Impl> make(const std::array<std::ptrdiff_t, 3> &n, int fields_wanted,
                                    MPI_Comm user, int threads,
                                    const std::function<void()> &prepare);

  Impl(const std::array<std::ptrdiff_t, 3> &n, int fields_wanted,
       std::shared_ptr<exchange::Communicator> own);
  /// Plans sweeps and exchanges. Collective, as make().
  void plan(simd::Isa isa, int threads);
  /// Adds every sweep to a trace, if there is one.
  void trace(profile::Trace *known);

  const Complex *values(const Factors *factors, int axis) const;
  const local::SpectralTable<Real> *values(const Table *table) const;
  /// Calls sweep(), including its exchanges. On a failure it cancels all messages, and all fields
  /// are lost.
  template <class F> void cancelled_on_failure(const F &sweep);
  void planes(std::span<const Source> sources, std::span<const int> targets, const Part &part,
              const Work *work);
  void lines(std::span<const LineProduct> products);
  void check_lines(std::span<const LineProduct> products) const;
  void lines_together(std::span<const LineProduct> products);

  std::array<std::ptrdiff_t, 3> extents;
  FieldTable fields;
  std::unique_ptr<profile::Recorder> recorder; ///< one stage for each operation
  std::shared_ptr<exchange::Communicator> comm;
  exchange::Transposition cut;
  std::unique_ptr<FieldProgram> program;
  local::PlaneSweep<Real> *plane_sweep = nullptr; ///< passes of the program
  local::LineSweep<Real> *line_sweep = nullptr;
};

} // namespace hybridfft
