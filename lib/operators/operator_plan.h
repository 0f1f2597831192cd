/// Operator plans: implementation of hybridfft/operators.h for one precision. Sources, products and
/// parts of sweeps are the structs of this header.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hybridfft/mpi_kind.h"
#include "hybridfft/operators.h"
#include "local/line_sweep.h"
#include "local/plane_sweep.h"
#include "operators/field_program.h"
#include "profile/recorder.h"

/// Complex factors of the stored bins along an axis: n0 for axis 0, n1/2+1 for axis 1, n2 for axis
/// 2. They have the precision of the plan that made them.
struct hfft_factors_s {
  int axis = 0;
  std::ptrdiff_t extent = 0; ///< of the axis
  std::variant<std::vector<std::complex<double>>, std::vector<std::complex<float>>> values;
};

/// Real factors for all bins of a rank.
struct hfft_table_s {
  std::variant<hybridfft::local::SpectralTable<double>, hybridfft::local::SpectralTable<float>>
      values;
  std::array<std::ptrdiff_t, 3> extents{}; ///< extents of the plan that made the table
  int rank = 0, ranks = 1;                 ///< rank and number of ranks in this plan
};

namespace hybridfft {

/// Operator plan; hybridfft/operators.h documents its functions. Errors are thrown as Failure.
/// Results do not depend on the number of ranks and threads, not even in the last bit.
template <class Real> class OperatorEngine {
public:
  using Complex = std::complex<Real>;

  /// Returns true if this rank's processor has kernels for the extents. A plan uses kernels common
  /// to all ranks.
  static bool supports(const std::array<std::ptrdiff_t, 3> &extents);

  /// Makes a plan. A rank may have planes or none. Collective. Throws Failure on all ranks alike,
  /// HFFT_ERROR_UNSUPPORTED if no kernel common to all ranks fits the extents.
  /// \param threads per rank, at least 1
  /// \param prepare function that may throw on any rank; all ranks then throw
  static std::unique_ptr<OperatorEngine> make(const std::array<std::ptrdiff_t, 3> &n, int fields,
                                              MPI_Comm user, int threads,
                                              const std::function<void()> &prepare);

  /// Makes factors. Throws Failure(HFFT_ERROR_ARGUMENT) for a wrong axis or number.
  std::unique_ptr<hfft_factors_s> factors(int axis, std::span<const Complex> values) const;

  /// Makes a table of f(k0, k1, k2, user) for bins 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2:
  /// it must be even in k0 and, for k2 = 0 and k2 = n2/2, in k1. Threads call f concurrently.
  /// Collective. Throws Failure on all ranks alike.
  std::unique_ptr<hfft_table_s> table(hfft_table_function f, void *user) const;

  /// Runs a sweep over planes. It calls `work` once for each line, concurrently and in any order.
  /// All sources of a plane are read before the first of its lines, and targets are written after
  /// the last: a field may be a source and a target. `work` must not throw or be null. There are at
  /// most 3 sources and 3 targets.
  /// \param wanted nullptr: all planes. Otherwise the sweep covers a part, which may differ between
  ///   ranks, and must have no targets. On one rank targets are allowed if the part has complete
  ///   planes: the other planes of a target then stay unchanged for later sweeps over planes, and a
  ///   sweep over lines reads the results of all parts. Throws Failure(HFFT_ERROR_ARGUMENT) for
  ///   negative numbers, and for targets in other cases.
  void planes(const hfft_part *wanted, std::span<const hfft_source> sources,
              std::span<const int> targets, const local::PlaneWork<Real> *work);

  /// Runs a sweep over lines for all products together. The terms use the fields as they were
  /// before the sweep. There are at most 3 products, and 3 different fields in the terms. Invalid
  /// calls fail before any product is computed.
  void lines(std::span<const hfft_product> products);

  /// Returns true if each field has messages of its own. Work on one field is then faster in a
  /// sweep of its own, while other fields are in flight. Otherwise sweeps over several fields are
  /// faster. The result is the same on all ranks.
  bool fields_travel_apart() const;

  /// Seconds spent by this rank in its sweeps: in transforms and the user's work, and in exchanges.
  /// Messages also progress during transforms.
  struct Profile {
    double planes = 0, lines = 0, exchange = 0;
  };
  Profile profile() const;

  /// Returns a description of the plan.
  std::string describe() const;
  /// Returns the bytes of this rank's fields and of the scratch of all threads. Each table adds
  /// (n0/2+1) (n1/2+1) n2 numbers over all ranks.
  std::size_t bytes() const;

private:
  OperatorEngine(const std::array<std::ptrdiff_t, 3> &n,
                 std::shared_ptr<exchange::Communicator> own);
  /// Plans sweeps and exchanges. Collective, like make().
  void plan(simd::Isa isa, int fields, int threads);
  /// Adds every sweep to a trace, if there is one.
  void trace(profile::Trace *known);

  /// Return the values of factors and of a table for this plan; nullptr for none. Throw Failure for
  /// others.
  const Complex *values(const hfft_factors_s *factors, int axis) const;
  const local::SpectralTable<Real> *values(const hfft_table_s *table) const;
  /// Returns the number of factors along an axis.
  std::ptrdiff_t bins(int axis) const {
    const std::ptrdiff_t n = extents_[static_cast<std::size_t>(axis)];
    return axis == 2 ? n / 2 + 1 : n;
  }
  /// Calls sweep(), which includes its exchanges. If it fails, cancels all messages; all fields are
  /// then lost.
  template <class F> void cancelled_on_failure(const F &sweep);
  void check_part(const hfft_part &part, std::span<const int> targets) const;
  void check_lines(std::span<const hfft_product> products) const;
  void lines_together(std::span<const hfft_product> products);

  std::array<std::ptrdiff_t, 3> extents_;
  std::unique_ptr<profile::Recorder> recorder_; ///< one stage for each operation
  std::shared_ptr<exchange::Communicator> comm_;
  exchange::Transposition cut_;
  std::unique_ptr<FieldProgram> program_;
  local::PlaneSweep<Real> *plane_sweep_ = nullptr; ///< passes of the program
  local::LineSweep<Real> *line_sweep_ = nullptr;
};

} // namespace hybridfft
