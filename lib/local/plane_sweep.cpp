#include "local/plane_sweep.h"

#include <algorithm>

#include "base/threads.h"

namespace hybridfft::local {

namespace {

constexpr int max_arrays = 8; ///< maximum number of sources, and of targets, of a sweep

/// Number of lines in a block, if the transform supports so few. The lines of all sources and
/// targets then stay in the first-level cache between the transforms and the user's work.
constexpr std::ptrdiff_t near_lines = 8;

/// Smallest plane, in values, that threads share: its transform takes a few times as long as a
/// barrier.
constexpr std::ptrdiff_t min_shared = 4096;

} // namespace

template <class Real>
PlaneSweep<Real>::PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources,
                             int targets, std::ptrdiff_t planes, int threads)
    : Pass(planes), isa_(isa), n1_(n1), n2_(n2), sources_(std::min(sources, max_arrays)),
      targets_(std::min(targets, max_arrays)), threads_(threads),
      inverse_(isa, Kind::c2r, n1, n2, 1, true), forward_(isa, Kind::r2c, n1, n2, -1, true),
      // One additional cache line, so that the lines of a block use different cache sets.
      line_bytes_(whole_lines(static_cast<std::size_t>(n2) * sizeof(Real)) + alignment),
      block_lines_(std::clamp(near_lines, inverse_.batch(), inverse_.capacity())),
      block_bytes_(line_bytes_ * static_cast<std::size_t>(block_lines_)),
      pointers_each_(inverse_.pointers() + forward_.pointers() +
                     static_cast<std::size_t>((sources_ + targets_) * block_lines_)),
      planes_each_(static_cast<std::size_t>(sources_) * inverse_.plane_bytes() +
                   static_cast<std::size_t>(targets_) * forward_.plane_bytes()),
      scratch_each_(static_cast<std::size_t>(sources_ + targets_) * block_bytes_ +
                    inverse_.column_bytes() + inverse_.block_bytes() + forward_.column_bytes() +
                    forward_.block_bytes()) {
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
        blocks_(sweep.scratch_.data() + static_cast<std::size_t>(thread) * sweep.scratch_each_),
        pointers_(sweep.pointers_.data() +
                  sweep.pointers_each_ * static_cast<std::size_t>(thread)) {
    inverse_work_ =
        blocks_ + static_cast<std::size_t>(sweep.sources_ + sweep.targets_) * sweep.block_bytes_;
    forward_work_ = inverse_work_ + sweep.inverse_.column_bytes() + sweep.inverse_.block_bytes();
    lines_ = pointers_ + sweep.inverse_.pointers() + sweep.forward_.pointers();
    for (std::size_t t = 0; t < targets_.size(); ++t)
      outputs_[t] = output(targets_[t]);
  }

  /// Processes a plane of this thread alone.
  /// \param next true if plane i + 1 belongs to this thread, too
  void plane(std::ptrdiff_t i, bool next) {
    next_ = next;
    read(i);
    blocks(i);
    write(i);
  }

  /// Processes this thread's share of plane i, which its team shares.
  void shared_plane(std::ptrdiff_t i) {
    next_ = false;
    await_team(); // other threads of the team may still work on their own planes
    read(i);
    await_team();
    blocks(i);
    await_team();
    write(i);
  }

  void finish() const { sweep_.forward_.columns().moves().fence(); }

private:
  typename PlaneTile<Real>::Groups groups(const PlaneTile<Real> &tile) const {
    return {share_.first(tile.groups()), share_.last(tile.groups())};
  }

  void read(std::ptrdiff_t i) {
    const auto part = groups(sweep_.inverse_);
    for (std::size_t s = 0; s < sources_.size(); ++s)
      sweep_.inverse_.read_columns(*sources_[s].rows, i, sources_[s].array,
                                   reinterpret_cast<const Real *>(sources_[s].along_columns), part,
                                   source(s));
  }

  void blocks(std::ptrdiff_t i) {
    const std::ptrdiff_t each = sweep_.block_lines_;
    const std::ptrdiff_t count = (wanted_ + each - 1) / each;
    // Compute complete blocks only, so that the bits of a line do not depend on the number of
    // lines.
    const std::ptrdiff_t end = std::min(share_.last(count) * each, sweep_.n1_);
    for (std::ptrdiff_t first = share_.first(count) * each; first < end; first += each)
      block(i, first, std::min(each, end - first));
  }

  void write(std::ptrdiff_t i) {
    const auto part = groups(sweep_.forward_);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      sweep_.forward_.write_columns(*targets_[t].rows, i, targets_[t].array, false, outputs_[t],
                                    part, target(t));
  }

  void block(std::ptrdiff_t i, std::ptrdiff_t first, std::ptrdiff_t count) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      point_at_block(s, count);
      sweep_.inverse_.write_lines(first, count,
                                  reinterpret_cast<const Real *>(sources_[s].along_lines),
                                  lines_of(s), 0, source(s));
    }
    const std::size_t after = static_cast<std::size_t>(sweep_.sources_);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      point_at_block(after + t, count);
    Real *in[max_arrays], *scratch[max_arrays];
    const Real *out[max_arrays];
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      for (std::size_t s = 0; s < sources_.size(); ++s)
        in[s] = lines_of(s)[l];
      for (std::size_t t = 0; t < targets_.size(); ++t)
        out[t] = scratch[t] = lines_of(after + t)[l];
      if (next_) prefetch_row(i + 1, first + l);
      if (first + l < wanted_) work_(PlaneLine<Real>{i, first + l, in, scratch, out});
      for (std::size_t t = 0; t < targets_.size(); ++t)
        lines_of(after + t)[l] = const_cast<Real *>(out[t]);
    }
    for (std::size_t t = 0; t < targets_.size(); ++t)
      sweep_.forward_.read_lines(first, count, lines_of(after + t), 0, target(t));
  }

  /// Prefetches line number `line` of plane i of all sources.
  void prefetch_row(std::ptrdiff_t i, std::ptrdiff_t line) const {
    for (const PlaneSource<Real> &s : sources_)
      prefetch_line<Real>(*s.rows, i, line, s.array);
  }

  std::size_t plane_offset(int sources, int targets) const {
    return static_cast<std::size_t>(sources) * sweep_.inverse_.plane_bytes() +
           static_cast<std::size_t>(targets) * sweep_.forward_.plane_bytes();
  }
  typename PlaneTile<Real>::PlaneScratch source(std::size_t s) const {
    return {{planes_ + plane_offset(static_cast<int>(s), 0), inverse_work_, pointers_},
            inverse_work_ + sweep_.inverse_.column_bytes()};
  }
  typename PlaneTile<Real>::PlaneScratch target(std::size_t t) const {
    return {{planes_ + plane_offset(sweep_.sources_, static_cast<int>(t)), forward_work_,
             pointers_ + sweep_.inverse_.pointers()},
            forward_work_ + sweep_.forward_.column_bytes()};
  }

  Real **lines_of(std::size_t array) const {
    return lines_ + array * static_cast<std::size_t>(sweep_.block_lines_);
  }
  /// Sets the pointers to the lines of the block of an array.
  void point_at_block(std::size_t array, std::ptrdiff_t count) {
    std::byte *block = blocks_ + array * sweep_.block_bytes_;
    for (std::ptrdiff_t l = 0; l < count; ++l)
      lines_of(array)[l] =
          reinterpret_cast<Real *>(block + static_cast<std::size_t>(l) * sweep_.line_bytes_);
  }

  /// Returns the way of writing a target. Fields that are also sources are in cache already.
  Output output(const PlaneTarget &target) const {
    const auto same = [&](const PlaneSource<Real> &s) {
      return s.array == target.array && *s.rows == *target.rows;
    };
    if (std::any_of(sources_.begin(), sources_.end(), same)) return Output::in_runs;
    return sweep_.forward_.streams_to(*target.rows, target.array) ? Output::streamed
                                                                  : Output::by_point;
  }

  const PlaneSweep &sweep_;
  std::span<const PlaneSource<Real>> sources_;
  std::span<const PlaneTarget> targets_;
  std::ptrdiff_t wanted_; ///< number of lines to compute in each plane
  const PlaneWork<Real> &work_;
  Share share_;
  std::byte *planes_, *blocks_, *inverse_work_ = nullptr, *forward_work_ = nullptr;
  Real **pointers_, **lines_ = nullptr;
  bool next_ = false;
  Output outputs_[max_arrays] = {};
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
      own.plane(i, i + 1 < end);
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
         " kernels " + inverse_.columns().factors() + ", " + inverse_.line_factors();
}

template class PlaneSweep<float>;
template class PlaneSweep<double>;

} // namespace hybridfft::local
