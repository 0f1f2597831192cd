#include "local/plane_sweep.h"

#include <algorithm>

#include "base/threads.h"

namespace hybridfft::local {

namespace {

constexpr int most_arrays = 8; ///< sources, and targets, of a sweep

} // namespace

template <class Real>
PlaneSweep<Real>::PlaneSweep(simd::Isa isa, std::ptrdiff_t n1, std::ptrdiff_t n2, int sources,
                             int targets, int threads)
    : isa_(isa), n1_(n1), n2_(n2), sources_(std::min(sources, most_arrays)),
      targets_(std::min(targets, most_arrays)), threads_(threads),
      inverse_(isa, Kind::c2r, n1, n2, 1, true), forward_(isa, Kind::r2c, n1, n2, -1, true),
      // A cache line more keeps the lines of a block out of the same sets.
      line_bytes_(whole_lines(static_cast<std::size_t>(n2) * sizeof(Real)) + alignment),
      block_bytes_(line_bytes_ * static_cast<std::size_t>(inverse_.capacity())),
      pointers_each_(inverse_.pointers() + forward_.pointers() +
                     static_cast<std::size_t>((sources_ + targets_) * inverse_.capacity())) {
  const auto planes = static_cast<std::size_t>(sources_) * inverse_.plane_bytes() +
                      static_cast<std::size_t>(targets_) * forward_.plane_bytes();
  scratch_each_ = planes + static_cast<std::size_t>(sources_ + targets_) * block_bytes_ +
                  inverse_.column_bytes() + inverse_.block_bytes() + forward_.column_bytes() +
                  forward_.block_bytes();
  scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
  pointers_.resize(pointers_each_ * static_cast<std::size_t>(threads_));
}

/// One thread's planes.
template <class Real> class PlaneSweep<Real>::Worker {
public:
  Worker(const PlaneSweep &sweep, std::span<const PlaneSource<Real>> sources,
         std::span<const PlaneTarget> targets, int thread)
      : sweep_(sweep), sources_(sources), targets_(targets),
        memory_(sweep.scratch_.data() + static_cast<std::size_t>(thread) * sweep.scratch_each_),
        pointers_(sweep.pointers_.data() +
                  sweep.pointers_each_ * static_cast<std::size_t>(thread)) {
    inverse_work_ = memory_ + plane_offset(sweep.sources_, sweep.targets_) +
                    static_cast<std::size_t>(sweep.sources_ + sweep.targets_) * sweep.block_bytes_;
    forward_work_ = inverse_work_ + sweep.inverse_.column_bytes() + sweep.inverse_.block_bytes();
    lines_ = pointers_ + sweep.inverse_.pointers() + sweep.forward_.pointers();
    for (std::size_t t = 0; t < targets_.size(); ++t)
      streamed_[t] = streams(targets_[t]);
  }

  /// \param next plane i + 1 is this thread's too
  void plane(std::ptrdiff_t i, bool next, const PlaneWork<Real> &work) {
    next_ = next;
    for (std::size_t s = 0; s < sources_.size(); ++s)
      sweep_.inverse_.read_columns(*sources_[s].rows, i, sources_[s].array,
                                   reinterpret_cast<const Real *>(sources_[s].along_columns),
                                   source(s));
    const std::ptrdiff_t each = sweep_.inverse_.capacity();
    for (std::ptrdiff_t first = 0; first < sweep_.n1_; first += each)
      block(i, first, std::min(each, sweep_.n1_ - first), work);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      sweep_.forward_.write_columns(*targets_[t].rows, i, targets_[t].array, false, streamed_[t],
                                    target(t));
  }

  void finish() const { sweep_.forward_.columns().moves().fence(); }

private:
  void block(std::ptrdiff_t i, std::ptrdiff_t first, std::ptrdiff_t count,
             const PlaneWork<Real> &work) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      point_at_block(s, count);
      sweep_.inverse_.write_lines(first, count,
                                  reinterpret_cast<const Real *>(sources_[s].along_lines),
                                  lines_of(s), source(s));
    }
    const std::size_t after = static_cast<std::size_t>(sweep_.sources_);
    for (std::size_t t = 0; t < targets_.size(); ++t)
      point_at_block(after + t, count);
    Real *in[most_arrays], *scratch[most_arrays];
    const Real *out[most_arrays];
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      for (std::size_t s = 0; s < sources_.size(); ++s)
        in[s] = lines_of(s)[l];
      for (std::size_t t = 0; t < targets_.size(); ++t)
        out[t] = scratch[t] = lines_of(after + t)[l];
      if (next_) prefetch_row(i + 1, first + l);
      work(PlaneLine<Real>{i, first + l, in, scratch, out});
      for (std::size_t t = 0; t < targets_.size(); ++t)
        lines_of(after + t)[l] = const_cast<Real *>(out[t]);
    }
    for (std::size_t t = 0; t < targets_.size(); ++t)
      sweep_.forward_.read_lines(first, count, lines_of(after + t), 0, target(t));
  }

  /// Asks for line `line` of the sources' plane i.
  void prefetch_row(std::ptrdiff_t i, std::ptrdiff_t line) const {
    constexpr int second_level = 2;
    constexpr auto step = static_cast<std::ptrdiff_t>(alignment / sizeof(Real));
    for (const PlaneSource<Real> &s : sources_) {
      const Real *row = address_of_line<Real>(*s.rows, i, line, const_cast<std::byte *>(s.array));
      for (std::ptrdiff_t r = 0; r < 2 * sweep_.inverse_.points(); r += step)
        __builtin_prefetch(row + r, 0, second_level);
    }
  }

  std::size_t plane_offset(int sources, int targets) const {
    return static_cast<std::size_t>(sources) * sweep_.inverse_.plane_bytes() +
           static_cast<std::size_t>(targets) * sweep_.forward_.plane_bytes();
  }
  typename PlaneTile<Real>::Scratch source(std::size_t s) const {
    return {memory_ + plane_offset(static_cast<int>(s), 0), inverse_work_,
            inverse_work_ + sweep_.inverse_.column_bytes(), pointers_};
  }
  typename PlaneTile<Real>::Scratch target(std::size_t t) const {
    return {memory_ + plane_offset(sweep_.sources_, static_cast<int>(t)), forward_work_,
            forward_work_ + sweep_.forward_.column_bytes(), pointers_ + sweep_.inverse_.pointers()};
  }

  Real **lines_of(std::size_t array) const {
    return lines_ + array * static_cast<std::size_t>(sweep_.inverse_.capacity());
  }
  /// The lines of an array's own block.
  void point_at_block(std::size_t array, std::ptrdiff_t count) {
    std::byte *block =
        memory_ + plane_offset(sweep_.sources_, sweep_.targets_) + array * sweep_.block_bytes_;
    for (std::ptrdiff_t l = 0; l < count; ++l)
      lines_of(array)[l] =
          reinterpret_cast<Real *>(block + static_cast<std::size_t>(l) * sweep_.line_bytes_);
  }

  /// What is a source too is in cache already.
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
  std::byte *memory_, *inverse_work_ = nullptr, *forward_work_ = nullptr;
  Real **pointers_, **lines_ = nullptr;
  bool next_ = false;
  bool streamed_[most_arrays] = {};
};

template <class Real>
void PlaneSweep<Real>::execute(std::span<const PlaneSource<Real>> sources,
                               std::span<const PlaneTarget> targets, RowRange planes,
                               const PlaneWork<Real> &work, const Poll &poll) const {
  parallel_ranges(planes.last - planes.first, threads_,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                    Worker worker(*this, sources, targets, thread);
                    for (std::ptrdiff_t i = first; i < last; ++i) {
                      worker.plane(planes.first + i, i + 1 < last, work);
                      if (thread == 0) poll();
                    }
                    worker.finish();
                  });
}

template <class Real> std::string PlaneSweep<Real>::describe() const {
  return "planes of " + std::to_string(n1_) + "x" + std::to_string(n2_) + ", " + simd::name(isa_) +
         " kernels " + inverse_.columns().factors() + ", " + inverse_.lines().factors();
}

template class PlaneSweep<float>;
template class PlaneSweep<double>;

} // namespace hybridfft::local
