/// The two half-programs of an operator plan, sweeps over planes and sweeps over lines: what is
/// refused, and how transforms and exchanges take turns.
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
  /// A half of the program: for each part of the rows of its side, awaits what it reads, works,
  /// and sends what it writes. pass(rows) works and returns how many rows may leave.
  template <class Pass>
  void run(std::size_t stage, std::span<const int> reads, std::span<const int> writes,
           const Pass &pass);
  /// Calls sweep(), which exchanges. Where it fails, its messages end with it, and all fields are
  /// lost.
  template <class F> void cancelled_on_failure(const F &sweep);
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

  std::array<std::ptrdiff_t, 3> extents;
  FieldTable fields;
  std::array<double, 3> seconds{};             ///< time of each stage
  std::unique_ptr<profile::Recorder> recorder; ///< what a trace is told; nullptr without one
  std::shared_ptr<exchange::Communicator> comm;
  exchange::Transposition cut;
  std::unique_ptr<exchange::BidirectionalTranspose> transpose;
  std::unique_ptr<local::PlaneSweep<Real>> plane_sweep;
  std::unique_ptr<local::LineSweep<Real>> line_sweep;
};

} // namespace hybridfft
