/// Sweeps of an operator plan over planes and over lines: checks of arguments, and the interleaving
/// of transforms and exchanges.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "exchange/bidirectional_transpose.h"
#include "local/line_sweep.h"
#include "local/plane_sweep.h"
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
                                    MPI_Comm user, int threads);

  Impl(const std::array<std::ptrdiff_t, 3> &n, int fields_wanted,
       std::shared_ptr<exchange::Communicator> own);
  /// Plans sweeps and exchanges. Collective, as make().
  void plan(simd::Isa isa, int threads);
  /// Adds every sweep to a trace, if there is one.
  void trace(profile::Trace *known);

  /// Stages of sweeps.
  enum : std::size_t { at_planes, at_lines, at_exchange };

  const Complex *values(const Factors *factors, int axis) const;
  const local::SpectralTable<Real> *values(const Table *table) const;
  /// Runs one half. For each part of its rows it waits for the fields to read, works, and sends the
  /// written fields. pass(rows) works and returns the number of rows to send.
  template <class Pass>
  void run(std::size_t stage, std::span<const int> reads, std::span<const int> writes,
           const Pass &pass);
  /// Runs `sweep` with its exchanges. After a failure it cancels all messages, and the values of
  /// all fields are lost.
  template <class F> void cancelled_on_failure(const F &sweep);
  void planes(std::span<const Source> sources, std::span<const int> targets, const Part &part,
              const Work *work);
  void lines(std::span<const LineProduct> products);
  void check_lines(std::span<const LineProduct> products) const;
  void lines_together(std::span<const LineProduct> products);

  /// Measures the time of one stage.
  class Phase {
  public:
    Phase(Impl &plan, std::size_t stage)
        : span_(plan.recorder.get(), stage), seconds_(plan.seconds[stage]) {}
    ~Phase() {
      seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    Phase(const Phase &) = delete;
    Phase &operator=(const Phase &) = delete;

  private:
    profile::StageSpan span_;
    double &seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  std::array<std::ptrdiff_t, 3> extents;
  FieldTable fields;
  std::array<double, 3> seconds{};             ///< time of each stage
  std::unique_ptr<profile::Recorder> recorder; ///< recorder for the trace; nullptr without one
  std::shared_ptr<exchange::Communicator> comm;
  exchange::Transposition cut;
  std::unique_ptr<exchange::BidirectionalTranspose> transpose;
  std::unique_ptr<local::PlaneSweep<Real>> plane_sweep;
  std::unique_ptr<local::LineSweep<Real>> line_sweep;
};

} // namespace hybridfft
