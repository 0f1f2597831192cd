/// One sweep over planes: it transforms half spectra to space, calls the user's work on the values
/// in space, and transforms the results to half spectra. Choose it for operators: the values in
/// space never leave the cache.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "layout/split_rows.h"
#include "local/pass.h"
#include "local/real_plane.h"

namespace hybridfft::local {

/// Half spectra of planes, for the backward transform. Factors that are not nullptr multiply the
/// spectra first: n1/2+1 along the columns, and n2 along the lines.
template <class Real> struct PlaneSource {
  const SplitRows *rows = nullptr;
  const std::byte *array = nullptr;
  const std::complex<Real> *along_columns = nullptr;
  const std::complex<Real> *along_lines = nullptr;
};

/// Half spectra of planes, computed from the real values of the user's work.
struct PlaneTarget {
  const SplitRows *rows = nullptr;
  std::byte *array = nullptr;
};

/// Line j of plane i, with the real values in[source][k] of all sources. The work writes values to
/// scratch[target], or sets out[target] to values of its own, which are read soon after the call.
template <class Real> struct PlaneLine {
  std::ptrdiff_t i, j;
  Real *const *in;
  Real *const *scratch;
  const Real **out;
};

/// Non-owning reference to a callable f(line). Unlike std::function it never allocates memory.
template <class Real> class PlaneWork {
public:
  template <class F>
  explicit PlaneWork(F &f)
      : object_(const_cast<std::remove_const_t<F> *>(&f)),
        call_([](void *o, const PlaneLine<Real> &line) { (*static_cast<F *>(o))(line); }) {}
  void operator()(const PlaneLine<Real> &line) const { call_(object_, line); }

private:
  void *object_;
  void (*call_)(void *, const PlaneLine<Real> &);
};

/// One sweep: the arrays that a PlaneSweep reads and writes. A target may be the same array as a
/// source.
template <class Real> struct PlaneCall {
  std::span<const PlaneSource<Real>> sources;
  std::span<const PlaneTarget> targets;
  RowRange planes{0, 0};    ///< the planes of the sweep; others are neither read nor written
  std::ptrdiff_t lines = 0; ///< in sweeps without targets, lines from this one on may be skipped
  /// Called concurrently, once for each line. All sources of a plane are read before the first
  /// call, and targets are written after the last one. It must not throw.
  const PlaneWork<Real> *work = nullptr;
};

/// Pass that runs sweeps over planes. It owns its scratch, so only one execution runs at a time.
template <class Real> class PlaneSweep final : public Pass {
public:
  /// Plans sweeps over planes of n1 x n2 real values, with at most `sources` sources, `targets`
  /// targets and `planes` planes. Throws std::bad_alloc, or Failure(HFFT_ERROR_UNSUPPORTED) if the
  /// kernels of `isa` do not support the extents.
  PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources, int targets,
             std::ptrdiff_t planes, int threads);

  /// Sets the next sweep. Its lists and its work must stay valid until the sweep has ended.
  void set(const PlaneCall<Real> &call) { call_ = call; }
  /// Executes planes of the sweep, whose arrays set() defines. Each thread gets the same number of
  /// complete planes; teams of threads share the remaining planes.
  void execute(std::byte *, std::byte *, RowRange rows, const Poll &poll) const override;
  bool in_place() const override { return true; }
  std::size_t scratch_bytes() const override { return planes_.bytes() + scratch_.bytes(); }
  std::string describe() const override;

private:
  class Worker;
  struct Share;

  simd::Isa isa_;
  std::ptrdiff_t n1_, n2_;
  int sources_, targets_, threads_;
  RealPlane<Real> inverse_, forward_;
  std::size_t lines_each_ = 0;  ///< bytes of the addresses of all targets' lines in a plane
  std::size_t planes_each_ = 0; ///< bytes of planes and addresses, for one thread or team
  std::size_t line_bytes_ = 0;  ///< bytes of a line of real values
  std::size_t scratch_each_ = 0;
  std::size_t pointers_each_ = 0;
  Memory planes_;                        ///< one part for each thread or team
  Memory scratch_;                       ///< one part for each thread
  mutable std::vector<Real *> pointers_; ///< one part for each thread
  PlaneCall<Real> call_;                 ///< the current sweep
};

} // namespace hybridfft::local
