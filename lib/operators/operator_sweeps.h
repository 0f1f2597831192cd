/// The sweeps of an operator plan: what is refused, and how transforms and exchanges take turns.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <span>

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
  std::array<std::ptrdiff_t, 3> extents{}; ///< extents that it was made for,
  int rank = 0, ranks = 1;                 ///< and where
};

template <class Real> struct OperatorEngine<Real>::Impl {
  /// Collective; throws Failure on all ranks alike.
  static std::unique_ptr<Impl> make(const std::array<std::ptrdiff_t, 3> &n, int fields_wanted,
                                    MPI_Comm user, int threads);

  Impl(const std::array<std::ptrdiff_t, 3> &n, int fields_wanted,
       std::shared_ptr<exchange::Communicator> own);
  /// Collective, as make().
  void plan(simd::Isa isa, int threads);
  /// Lets a trace, if there is one, know of every sweep.
  void trace(profile::Trace *known);

  /// Stages of sweeps.
  enum : std::size_t { at_planes, at_lines, at_exchange };

  const Complex *values(const Factors *factors, int axis) const;
  const local::SpectralTable<Real> *values(const Table *table) const;
  /// The half of the program between two exchanges that works on planes, and the one on lines.
  void planes(std::span<const Source> sources, std::span<const int> targets, const Part &part,
              const Work &work);
  void lines(std::span<const Product> products);
  void check_lines(std::span<const Product> products) const;
  void lines_together(std::span<const Product> products);

  /// Time that goes to one of the stages.
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

  /// The loop of both halves: portion by portion waits for the fields that are read, lets
  /// `execute(first, end)` work on rows, which returns the end of the rows that are written then,
  /// and sends these. The time of the work goes to `stage`.
  template <class F>
  void run_half(std::size_t stage, std::span<const int> read, std::span<const int> written,
                const F &execute) {
    std::ptrdiff_t done = 0;
    for (const std::ptrdiff_t end : transpose->ends()) {
      {
        const Phase phase(*this, at_exchange);
        for (const int field : read)
          transpose->await(field, end);
      }
      std::ptrdiff_t ready = end;
      {
        const Phase phase(*this, stage);
        ready = execute(done, end);
      }
      const Phase phase(*this, at_exchange);
      for (const int field : written)
        transpose->written(field, ready);
      done = end;
    }
  }

  std::array<std::ptrdiff_t, 3> extents;
  std::array<double, 3> seconds{};             ///< time of each stage
  std::unique_ptr<profile::Recorder> recorder; ///< what a trace is told; nullptr without one
  FieldTable fields;
  std::shared_ptr<exchange::Communicator> comm;
  exchange::Transposition cut;
  std::unique_ptr<exchange::BidirectionalTranspose> transpose;
  std::unique_ptr<local::PlaneSweep<Real>> plane_sweep;
  std::unique_ptr<local::LineSweep<Real>> line_sweep;
};

} // namespace hybridfft
