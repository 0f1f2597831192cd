/// The sweeps of an operator plan: what is refused, and how transforms and exchanges take turns.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "exchange/bidirectional_transpose.h"
#include "local/line_sweep.h"
#include "local/plane_sweep.h"
#include "operators/operator_plan.h"
#include "profile/recorder.h"

namespace hybridfft {

[[noreturn]] inline void refuse_operator(hfft_error code, const std::string &reason) {
  throw Failure(code, "operator plan: " + reason);
}

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

  /// Whose turn is to read a field; of one that is written in parts, it is either's.
  enum class Turn : char { none, planes, lines, either };

  void check_field(int field) const {
    if (field < 0 || field >= fields)
      refuse_operator(HFFT_ERROR_ARGUMENT, "field " + std::to_string(field) + ", expected 0 to " +
                                               std::to_string(fields - 1));
  }
  /// Refuses what the sweep has written twice, or reads on the wrong side.
  void check_once(std::span<const int> written) const;
  void check_turn(int field, Turn turn) const;
  const Complex *values(const Factors *factors, int axis) const;
  const local::SpectralTable<Real> *values(const Table *table) const;
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
  int fields;
  std::array<double, 3> seconds{};             ///< time of each stage
  std::unique_ptr<profile::Recorder> recorder; ///< what a trace is told; nullptr without one
  std::vector<Turn> turns;
  std::shared_ptr<exchange::Communicator> comm;
  exchange::Transposition cut;
  std::unique_ptr<exchange::BidirectionalTranspose> transpose;
  std::unique_ptr<local::PlaneSweep<Real>> plane_sweep;
  std::unique_ptr<local::LineSweep<Real>> line_sweep;
};

} // namespace hybridfft
