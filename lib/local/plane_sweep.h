/// One sweep over planes: half spectra to space, the caller's work there, space to half spectra.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/poll.h"
#include "layout/split_rows.h"
#include "local/pass.h"
#include "local/plane_tile.h"

namespace hybridfft::local {

/// Half spectra of planes that are transformed back. The factors, if they are not nullptr, multiply
/// the spectra before: n1 of them along the columns, in the order of PlaneSweep::positions(), and
/// n2/2+1 along the lines.
template <class Real> struct PlaneSource {
  const SplitRows *rows = nullptr;
  const std::byte *array = nullptr;
  const std::complex<Real> *along_columns = nullptr;
  const std::complex<Real> *along_lines = nullptr;
};

/// Half spectra of planes, made of the caller's real values.
struct PlaneTarget {
  const SplitRows *rows = nullptr;
  std::byte *array = nullptr;
};

/// Line j of plane i, with all sources' real values, in[source][k]. Values to be transformed are
/// written to scratch[target]; or out[target] is set to point to the caller's own, which are then
/// read soon after.
template <class Real> struct PlaneLine {
  std::ptrdiff_t i, j;
  Real *const *in;
  Real *const *scratch;
  const Real **out;
};

/// A reference to the caller's work on lines, called as f(line), without an allocation.
template <class Real> class PlaneWork {
public:
  template <class F>
  explicit PlaneWork(F &f)
      : object_(&f),
        call_([](void *o, const PlaneLine<Real> &line) { (*static_cast<F *>(o))(line); }) {}
  void operator()(const PlaneLine<Real> &line) const { call_(object_, line); }

private:
  void *object_;
  void (*call_)(void *, const PlaneLine<Real> &);
};

/// A planned sweep; owns its scratch, so that one execution runs at a time.
template <class Real> class PlaneSweep {
public:
  /// Plans sweeps over planes of n1 x n2 real values, with at most so many sources, targets and
  /// planes. Throws std::bad_alloc, or Failure(HFFT_ERROR_UNSUPPORTED) where the kernels of `isa`
  /// do not apply.
  PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources, int targets,
             std::ptrdiff_t planes, int threads);

  /// Tile position of each point of a column of a source.
  const std::int32_t *positions() const { return inverse_.columns().positions(); }

  /// Planes are divided evenly over threads, one thread each; the remaining planes are shared by
  /// teams. A target may be the same array as a source. `work` is called for each line,
  /// concurrently, after all sources of the plane are read and before any target is written; it
  /// must not throw. Without targets, lines from `lines` on may be left out. Allocates nothing.
  void execute(std::span<const PlaneSource<Real>> sources, std::span<const PlaneTarget> targets,
               RowRange planes, std::ptrdiff_t lines, const PlaneWork<Real> &work,
               const Poll &poll) const;

  std::size_t scratch_bytes() const { return planes_.bytes() + scratch_.bytes(); }
  std::string describe() const;

private:
  class Worker;
  struct Share;

  simd::Isa isa_;
  std::ptrdiff_t n1_, n2_;
  int sources_, targets_, threads_;
  PlaneTile<Real> inverse_, forward_;
  std::size_t line_bytes_ = 0;     ///< size of one line of real values
  std::ptrdiff_t block_lines_ = 0; ///< lines of real values that are worked on together
  std::size_t block_bytes_ = 0;    ///< size of a block of lines
  std::size_t pointers_each_ = 0;
  std::size_t planes_each_ = 0; ///< bytes of all arrays' planes that are in work at once
  std::size_t scratch_each_ = 0;
  Memory planes_;                        ///< a thread's, or a team's
  Memory scratch_;                       ///< each thread's own
  mutable std::vector<Real *> pointers_; ///< each thread's own
};

extern template class PlaneSweep<float>;
extern template class PlaneSweep<double>;

} // namespace hybridfft::local
