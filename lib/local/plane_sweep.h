/// One sweep over planes: half spectra to space, the caller's work in space, space to half spectra.
/// Choose it for operators: the values in space never leave the cache.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/poll.h"
#include "layout/split_rows.h"
#include "local/pass.h"
#include "local/plane_tile.h"

namespace hybridfft::local {

/// Half spectra of planes for the backward transform. Non-null factors multiply the spectra first:
/// n1 along the columns in the order of PlaneSweep::positions(), and n2/2+1 along the lines.
template <class Real> struct PlaneSource {
  const SplitRows *rows = nullptr;
  const std::byte *array = nullptr;
  const std::complex<Real> *along_columns = nullptr;
  const std::complex<Real> *along_lines = nullptr;
};

/// Half spectra of planes computed from the caller's real values.
struct PlaneTarget {
  const SplitRows *rows = nullptr;
  std::byte *array = nullptr;
};

/// Line j of plane i, with the real values in[source][k] of all sources. The caller writes values
/// to scratch[target], or sets out[target] to values of its own; these are read soon after the
/// call.
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

/// One sweep: what a PlaneSweep reads and writes. A target may be the same array as a source.
template <class Real> struct PlaneCall {
  std::span<const PlaneSource<Real>> sources;
  std::span<const PlaneTarget> targets;
  RowRange planes{0, 0};    ///< other planes are neither read nor written
  std::ptrdiff_t lines = 0; ///< without targets, lines from this one on may be skipped
  /// Runs concurrently once for each line. All sources of a plane are read before it, and targets
  /// are written after it. It must not throw.
  const PlaneWork<Real> *work = nullptr;
};

/// The pass of sweeps over planes. It owns its scratch, so only one execution runs at a time.
template <class Real> class PlaneSweep final : public Pass {
public:
  /// Plans sweeps over planes of n1 x n2 real values, with at most `sources` sources, `targets`
  /// targets and `planes` planes. Throws std::bad_alloc, or Failure(HFFT_ERROR_UNSUPPORTED) if the
  /// kernels of `isa` do not support the extents.
  PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources, int targets,
             std::ptrdiff_t planes, int threads);

  /// Returns the tile position of each point of a source's column.
  const std::int32_t *positions() const { return inverse_.columns().positions(); }

  /// Sets the next sweep. Its lists and its work must stay until the sweep has ended.
  void set(const PlaneCall<Real> &call) { call_ = call; }
  /// Executes planes of the sweep; it has arrays of its own. Planes are divided evenly, one thread
  /// each; teams share the remaining planes.
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
  PlaneTile<Real> inverse_, forward_;
  std::size_t line_bytes_ = 0;     ///< size of one line of real values
  std::ptrdiff_t block_lines_ = 0; ///< lines of real values in a block
  std::size_t block_bytes_ = 0;    ///< size of a block of lines
  std::size_t pointers_each_ = 0;
  std::size_t planes_each_ = 0; ///< bytes of the active planes of all arrays
  std::size_t scratch_each_ = 0;
  Memory planes_;                        ///< one part per thread or team
  Memory scratch_;                       ///< one part per thread
  mutable std::vector<Real *> pointers_; ///< one part per thread
  PlaneCall<Real> call_;                 ///< the current sweep
};

extern template class PlaneSweep<float>;
extern template class PlaneSweep<double>;

} // namespace hybridfft::local
