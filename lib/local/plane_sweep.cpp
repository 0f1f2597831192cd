#include "local/plane_sweep.h"

#include <algorithm>

#include "base/threads.h"

namespace hybridfft::local {

namespace {

constexpr int max_arrays = 8; ///< maximum number of sources, and of targets, of a sweep

/// Smallest plane shared by threads, in values: its transform takes a few times as long as a
/// barrier.
constexpr std::ptrdiff_t min_shared = 4096;

} // namespace

template <class Real>
PlaneSweep<Real>::PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources,
                             int targets, std::ptrdiff_t planes, int threads)
    : Pass(planes), isa_(isa), n1_(n1), n2_(n2), sources_(std::min(sources, max_arrays)),
      targets_(std::min(targets, max_arrays)), threads_(threads), inverse_(isa, n1, n2, 1),
      forward_(isa, n1, n2, -1),
      lines_each_(whole_lines(static_cast<std::size_t>(n1 * targets_) * sizeof(const Real *))),
      planes_each_(static_cast<std::size_t>(std::max(sources_, targets_)) * inverse_.value_bytes() +
                   inverse_.spectrum_bytes() + lines_each_),
      line_bytes_(whole_lines(static_cast<std::size_t>(n2) * sizeof(Real)) + alignment),
      scratch_each_(static_cast<std::size_t>(targets_) * line_bytes_ +
                    std::max(inverse_.work_bytes(), forward_.work_bytes())),
      pointers_each_(std::max(inverse_.pointers(), forward_.pointers())) {
  const auto all = static_cast<std::size_t>(threads_);
  const auto at_once = static_cast<int>(std::clamp<std::ptrdiff_t>(planes, 1, threads_));
  planes_ = Memory(planes_each_ * static_cast<std::size_t>(at_once), at_once);
  scratch_ = Memory(scratch_each_ * all, threads_);
  pointers_.resize(pointers_each_ * all);
}

/// A thread's share of a plane: part number `part` of `parts`, in the plane memory of its team.
template <class Real> struct PlaneSweep<Real>::Share {
  int memory;
  int part = 0, parts = 1;

  /// Returns the share of one of `threads` threads. The threads form `teams` teams, and each team
  /// has one plane.
  static Share of(int thread, int threads, int teams) {
    int team = 0;
    while (even_cut(threads, team + 1, teams) <= thread)
      ++team;
    const auto begin = static_cast<int>(even_cut(threads, team, teams));
    const auto end = static_cast<int>(even_cut(threads, team + 1, teams));
    return {team, thread - begin, end - begin};
  }

  std::ptrdiff_t first(std::ptrdiff_t n) const { return even_cut(n, part, parts); }
  std::ptrdiff_t last(std::ptrdiff_t n) const { return even_cut(n, part + 1, parts); }
};

/// Processes a thread's own planes and its shares of shared planes.
template <class Real> class PlaneSweep<Real>::Worker {
public:
  Worker(const PlaneSweep &sweep, int thread, Share share)
      : sweep_(sweep), sources_(sweep.call_.sources), targets_(sweep.call_.targets),
        wanted_(std::min(sweep.call_.lines, sweep.n1_)), work_(*sweep.call_.work), share_(share),
        planes_(sweep.planes_.data() + static_cast<std::size_t>(share.memory) * sweep.planes_each_),
        scratch_lines_(sweep.scratch_.data() +
                       static_cast<std::size_t>(thread) * sweep.scratch_each_) {
    std::byte *after = planes_ + sweep.planes_each_ - sweep.lines_each_;
    lines_ = reinterpret_cast<const Real **>(after);
    scratch_ = {
        reals(after - sweep.inverse_.spectrum_bytes()),
        reals(scratch_lines_ + static_cast<std::size_t>(sweep.targets_) * sweep.line_bytes_),
        sweep.pointers_.data() + sweep.pointers_each_ * static_cast<std::size_t>(thread)};
    for (std::size_t t = 0; t < targets_.size(); ++t)
      streamed_[t] = streams(targets_[t]);
  }

  /// Processes a plane of this thread alone.
  void plane(std::ptrdiff_t i) {
    transform(i, [] {});
  }

  /// Processes this thread's share of plane i.
  void shared_plane(std::ptrdiff_t i) {
    await_team(); // other threads of the team may still work on their own planes
    transform(i, [] { await_team(); });
  }

  void finish() const { sweep_.forward_.moves().fence(); }

private:
  static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }
  typename RealPlane<Real>::Range part(std::ptrdiff_t n) const {
    return {share_.first(n), share_.last(n)};
  }

  /// Processes this thread's part of plane i.
  /// \param await function that waits for the other threads of the plane; it is called between
  /// steps, because a step reads parts that other threads have written
  template <class Await> void transform(std::ptrdiff_t i, const Await &await) {
    const RealPlane<Real> &inverse = sweep_.inverse_, &forward = sweep_.forward_;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const PlaneSource<Real> &from = sources_[s];
      inverse.read_rows(*from.rows, i, from.array, reinterpret_cast<const Real *>(from.along_lines),
                        part(inverse.batches()), scratch_);
      await();
      inverse.to_values(reinterpret_cast<const Real *>(from.along_columns), part(inverse.tiles()),
                        values(s), scratch_);
      await();
    }
    const auto [first, last] = part(wanted_);
    for (std::ptrdiff_t j = first; j < last; ++j)
      line(i, j);
    await();
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      forward.to_spectrum(lines_of(t), part(forward.tiles()), scratch_);
      await();
      forward.write_rows(*targets_[t].rows, i, targets_[t].array, streamed_[t],
                         part(forward.batches()), scratch_);
      await();
    }
  }

  /// Calls the work for line j. If the work leaves its results for target t in scratch, they
  /// overwrite line j of source t, which is no longer needed.
  void line(std::ptrdiff_t i, std::ptrdiff_t j) {
    Real *in[max_arrays], *scratch[max_arrays];
    const Real *out[max_arrays];
    const auto value_line = [&](std::size_t array) {
      return values(array) + j * sweep_.inverse_.pitch();
    };
    for (std::size_t s = 0; s < sources_.size(); ++s)
      in[s] = value_line(s);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      out[t] = scratch[t] = reals(scratch_lines_ + t * sweep_.line_bytes_);
    work_(PlaneLine<Real>{i, j, in, scratch, out});
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (out[t] == scratch[t]) {
        std::copy_n(scratch[t], sweep_.n2_, value_line(t));
        out[t] = value_line(t);
      }
      lines_of(t)[sweep_.forward_.positions()[j]] = out[t];
    }
  }

  /// Returns the values of source `array`. Lines that the work has written to scratch for target
  /// `array` replace them.
  Real *values(std::size_t array) const {
    return reals(planes_ + array * sweep_.inverse_.value_bytes());
  }
  /// Returns the addresses of a target's lines, in the order of their positions.
  const Real **lines_of(std::size_t target) const {
    return lines_ + target * static_cast<std::size_t>(sweep_.n1_);
  }

  /// Returns true if a target is written past the caches. Fields that are also sources are in cache
  /// already.
  bool streams(const PlaneTarget &target) const {
    const auto same = [&](const PlaneSource<Real> &s) {
      return s.array == target.array && *s.rows == *target.rows;
    };
    return std::none_of(sources_.begin(), sources_.end(), same) && is_aligned(target.array) &&
           lines_align<Real>(*target.rows);
  }

  const PlaneSweep &sweep_;
  std::span<const PlaneSource<Real>> sources_;
  std::span<const PlaneTarget> targets_;
  std::ptrdiff_t wanted_; ///< number of lines needed by the work in each plane
  const PlaneWork<Real> &work_;
  Share share_;
  std::byte *planes_, *scratch_lines_;
  const Real **lines_ = nullptr;
  typename RealPlane<Real>::Scratch scratch_{};
  bool streamed_[max_arrays] = {};
};

template <class Real>
void PlaneSweep<Real>::execute(std::byte *, std::byte *, RowRange rows, const Poll &poll) const {
  const std::ptrdiff_t last = std::min(rows.last, call_.planes.last);
  const RowRange planes{std::min(std::max(rows.first, call_.planes.first), last), last};
  const std::ptrdiff_t count = planes.last - planes.first;
  if (count == 0) return;
  const bool share = n1_ * n2_ >= min_shared;
  const auto most = share ? threads_ : static_cast<int>(std::min<std::ptrdiff_t>(threads_, count));
  parallel_team(most, [&](int thread, int threads) {
    const auto rest = static_cast<int>(share ? count % threads : 0);
    const std::ptrdiff_t whole = count - rest;
    const std::ptrdiff_t end = planes.first + even_cut(whole, thread + 1, threads);
    Worker own(*this, thread, Share{thread});
    for (std::ptrdiff_t i = planes.first + even_cut(whole, thread, threads); i < end; ++i) {
      own.plane(i);
      if (thread == 0) poll();
    }
    own.finish();
    if (rest == 0) return;
    const Share part = Share::of(thread, threads, rest);
    Worker together(*this, thread, part);
    together.shared_plane(planes.first + whole + part.memory);
    together.finish();
    if (thread == 0) poll();
  });
}

template <class Real> std::string PlaneSweep<Real>::describe() const {
  return "planes of " + std::to_string(n1_) + "x" + std::to_string(n2_) + ", " + simd::name(isa_) +
         " kernels " + inverse_.factors();
}

template class PlaneSweep<float>;
template class PlaneSweep<double>;

} // namespace hybridfft::local
