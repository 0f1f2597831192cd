// Two-dimensional FFTs of planes with SIMD kernels. Used if a plane fits the cache of a core: the
// lines are transformed into a tile in cache, then the columns of the tile into the destination.
#include "local/simd_passes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "local/four_step.h"
#include "local/plane_tile.h"

namespace hybridfft::local {

namespace {

template <class Real> class SimdPlanePass final : public Pass {
public:
  SimdPlanePass(const PlaneTransform &t, const SplitRows &source, const SplitRows &destination,
                bool in_place, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), in_place_(in_place),
        columns_first_(t.kind == Kind::c2r), threads_(options.threads), isa_(options.isa),
        tile_(options.isa, t.kind, t.extents[0], t.extents[1], t.sign, !options.deterministic,
              columns_first_ ? source.vec : destination.vec, static_cast<Real>(options.scale)),
        streamed_(options.store == simd::Store::streamed && !columns_first_ &&
                  (in_place
                       ? leaves_second_level(tile_.plane_bytes()) && lines_align<Real>(destination)
                       : PlaneTile<Real>::streams_to(destination, nullptr))),
        name_(std::to_string(t.extents[0]) + "x" + std::to_string(t.extents[1]) +
              (t.kind == Kind::r2c   ? " real"
               : t.kind == Kind::c2r ? " to real"
                                     : "")) {
    // The four-step algorithm serves contiguous lines only, and its arithmetic differs.
    if (t.kind == Kind::c2c && !options.deterministic &&
        FourStepFft<Real>::applies(options.isa, t.extents[1]))
      four_step_.emplace(options.isa, t.extents[1], t.sign);
    const LineFft<Real> &columns = tile_.columns();
    line_at_.resize(static_cast<std::size_t>(columns.size()));
    for (std::ptrdiff_t c = 0; c < columns.size(); ++c)
      line_at_[static_cast<std::size_t>(columns.positions()[c])] = c;
    lines_ahead_ = std::min(lines_ahead(t.extents[1] * element), columns.size());
    scratch_each_ = tile_.plane_bytes() + tile_.column_bytes() +
                    (four_step_ ? four_step_->work_bytes() : tile_.block_bytes());
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_each_ = std::max(static_cast<std::ptrdiff_t>(tile_.pointers()), tile_.capacity());
    pointers_.resize(static_cast<std::size_t>(pointers_each_ * threads_));
    parts_.resize(static_cast<std::size_t>((four_step_ ? four_step_->parts() : 0) * threads_));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    parallel_ranges(rows.last - rows.first, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      Worker worker(*this, source, destination, thread,
                                    thread == 0 ? poll : Poll());
                      for (std::ptrdiff_t i = first; i < last; ++i)
                        worker.transform(rows.first + i);
                      if (streamed_) tile_.columns().moves().fence();
                    });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return "FFT of " + name_ + " planes, " + simd::name(isa_) + " kernels " +
           tile_.columns().factors() + ", " +
           (four_step_ ? four_step_->factors() : tile_.line_factors()) +
           (destination_.is_tight() ? source_.is_tight() ? "" : ", gathered" : ", scattered") +
           (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  /// Transforms one plane at a time in the cache of a thread.
  class Worker {
  public:
    Worker(const SimdPlanePass &pass, std::byte *source, std::byte *destination, int thread,
           const Poll &poll)
        : pass_(pass), tile_(pass.tile_), source_(source), destination_(destination), poll_(poll),
          points_(pass.pointers_.data() + pass.pointers_each_ * thread),
          output_(pass.streamed_ && tile_.streams_to(pass.destination_, destination)
                      ? Output::streamed
                  : source == destination ? Output::in_runs
                                          : Output::by_point) {
      scratch_.plane = pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_;
      scratch_.columns = scratch_.plane + tile_.plane_bytes();
      scratch_.block = scratch_.columns + tile_.column_bytes();
      scratch_.pointers = points_;
      if (!pass.four_step_) return;
      parts_ = pass.parts_.data() + pass.four_step_->parts() * thread;
      pass.four_step_->point_at_parts(reals(source), parts_);
    }

    void transform(std::ptrdiff_t row) {
      if (pass_.columns_first_) {
        tile_.read_columns(pass_.source_, row, source_, scratch_);
        poll_();
        write_lines(row);
        return;
      }
      if (pass_.four_step_)
        read_lines_in_groups(row);
      else
        read_lines(row);
      tile_.write_columns(pass_.destination_, row, destination_, begins(), output_, scratch_);
      poll_();
    }

  private:
    void read_lines(std::ptrdiff_t row) {
      const std::ptrdiff_t each = tile_.capacity();
      const std::ptrdiff_t line = 2 * pass_.source_.pieces.front().column_stride;
      for (std::ptrdiff_t first = 0; first < lines(); first += each) {
        const std::ptrdiff_t count = std::min(each, lines() - first);
        point_at_lines(pass_.source_, row, first, count, source_);
        tile_.read_lines(first, count, points_, line * count, scratch_);
        poll_();
      }
    }

    void write_lines(std::ptrdiff_t row) {
      const std::ptrdiff_t each = tile_.batch();
      // In place, the lines have just been read: they are in cache and need no prefetch.
      const bool near = source_ == destination_ && !leaves_second_level(tile_.plane_bytes());
      const std::ptrdiff_t line = near ? 0 : 2 * pass_.destination_.pieces.front().column_stride;
      const bool next = row + 1 < pass_.source_.rows && fits_second_level(2 * tile_.plane_bytes());
      for (std::ptrdiff_t first = 0; first < lines(); first += each) {
        const std::ptrdiff_t count = std::min(each, lines() - first);
        for (std::ptrdiff_t l = first; next && l < first + count; ++l)
          prefetch_line<Real>(pass_.source_, row + 1, l, source_);
        point_at_lines(pass_.destination_, row, first, count, destination_);
        tile_.write_lines(first, count, points_, line * count, scratch_);
        if (first % tile_.capacity() == 0) poll_();
      }
    }

    /// Reads and transforms lines in groups. The first step of the columns follows for each group
    /// while it is in the first-level cache. The plane is then read once less from the larger
    /// cache.
    void read_lines_in_groups(std::ptrdiff_t row) {
      const std::ptrdiff_t each = begins() ? tile_.columns().group_points() : lines();
      point_at_lines_of_row(row);
      for (std::ptrdiff_t first = 0; first < lines(); first += each) {
        for (std::ptrdiff_t p = first; p < first + each; p += pass_.four_step_->lines())
          read_lines_at(p, first + each);
        if (begins())
          tile_.columns().begin_in_tiles(tile_.groups(), tile_.tile_step(), reals(scratch_.plane),
                                         first / each);
        poll_();
      }
    }

    /// Returns true if the first step of the columns runs while lines are read.
    bool begins() const { return pass_.four_step_ && tile_.columns().group_points() > 0; }

    /// Sets the pointers to all lines of a row in the order of their position in the columns'
    /// tiles, and to the first lines of the next row.
    void point_at_lines_of_row(std::ptrdiff_t row) {
      point_at_columns(pass_.source_, row, reals(source_), tile_.columns().positions(), points_);
      if (row + 1 < pass_.source_.rows) ++row;
      for (std::ptrdiff_t p = 0; p < pass_.lines_ahead_; ++p)
        points_[lines() + p] = address_of_line<Real>(
            pass_.source_, row, pass_.line_at_[static_cast<std::size_t>(p)], source_);
    }

    /// Reads and transforms four_step_->lines() lines together, from `position` on. If fewer remain
    /// before `end`, the last one is repeated.
    void read_lines_at(std::ptrdiff_t position, std::ptrdiff_t end) {
      typename FourStepFft<Real>::LinePlace from[FourStepFft<Real>::max_lines];
      Real *to[FourStepFft<Real>::max_lines];
      for (std::ptrdiff_t l = 0; l < pass_.four_step_->lines(); ++l) {
        const std::ptrdiff_t p = std::min(position + l, end - 1);
        from[l] = {points_[p] - reals(source_), points_[p + pass_.lines_ahead_] - points_[p]};
        to[l] = reals(scratch_.plane) + 2 * tile_.lanes() * p;
      }
      pass_.four_step_->to_columns(parts_, from, to, tile_.tile_step(), reals(scratch_.block));
    }

    void point_at_lines(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t first,
                        std::ptrdiff_t count, std::byte *array) {
      for (std::ptrdiff_t l = 0; l < count; ++l)
        points_[l] = address_of_line<Real>(m, row, first + l, array);
    }

    std::ptrdiff_t lines() const { return tile_.columns().size(); }
    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdPlanePass &pass_;
    const PlaneTile<Real> &tile_;
    std::byte *source_, *destination_;
    Poll poll_;
    typename PlaneTile<Real>::PlaneScratch scratch_{};
    Real **points_;
    const Real **parts_ = nullptr;
    Output output_;
  };

  SplitRows source_, destination_;
  bool in_place_;
  bool columns_first_;
  int threads_;
  simd::Isa isa_;
  PlaneTile<Real> tile_;
  std::optional<FourStepFft<Real>> four_step_; ///< if set, replaces the line FFTs of tile_
  bool streamed_;
  std::string name_;
  std::vector<std::ptrdiff_t> line_at_; ///< line at each position of the columns' tiles
  std::ptrdiff_t lines_ahead_ = 0;      ///< prefetch distance in lines
  std::size_t scratch_each_ = 0;
  Memory scratch_;
  std::ptrdiff_t pointers_each_ = 0;
  mutable std::vector<Real *> pointers_; ///< one part for each thread
  mutable std::vector<const Real *> parts_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_simd_plane_pass(const PlaneTransform &t, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options) {
  // Interleaved lines are the columns of a matrix with short rows.
  if (t.kind == Kind::c2c && t.extents.size() == 1 && t.howmany > 1)
    return make_simd_column_pass<Real>(source, destination, t.sign, options);
  if (t.howmany != 1 || t.extents.empty() || t.extents.size() > 2 || source.elements() == 0)
    return nullptr;
  for (const std::ptrdiff_t n : t.extents)
    if (!LineFft<Real>::applies(options.isa, n)) return nullptr;
  if (t.extents.size() == 1)
    return make_simd_line_pass<Real>(t, source, destination, in_place, options);
  return std::make_unique<SimdPlanePass<Real>>(t, source, destination, in_place, options);
}

template std::unique_ptr<Pass> make_simd_plane_pass<float>(const PlaneTransform &,
                                                           const SplitRows &, const SplitRows &,
                                                           bool, const PassOptions &);
template std::unique_ptr<Pass> make_simd_plane_pass<double>(const PlaneTransform &,
                                                            const SplitRows &, const SplitRows &,
                                                            bool, const PassOptions &);

} // namespace hybridfft::local
