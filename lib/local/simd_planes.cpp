#include "local/simd_planes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "local/parted_fft.h"
#include "local/simd_columns.h"
#include "local/simd_line_block.h"
#include "local/simd_line_pass.h"
#include "local/tile.h"

namespace hybridfft::local {

namespace {

/// Some hundred nanoseconds of work: memory takes as long to answer.
constexpr std::ptrdiff_t bytes_ahead = 4096;

template <class Real> class SimdPlanePass final : public Pass {
public:
  SimdPlanePass(const PlaneTransform &t, const SplitRows &source, const SplitRows &destination,
                bool in_place, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), in_place_(in_place),
        columns_first_(t.kind == Kind::c2r), threads_(options.threads), isa_(options.isa),
        rows_(options.isa, t.kind, t.extents[1], t.sign, !options.deterministic),
        columns_(options.isa, t.extents[0], t.sign),
        kept_(columns_first_ ? source.vec : destination.vec),
        streamed_(options.store == simd::Store::streamed && !in_place && !columns_first_ &&
                  streams_to<Real>(destination)),
        name_(std::to_string(t.extents[0]) + "x" + std::to_string(t.extents[1]) +
              (t.kind == Kind::r2c   ? " real"
               : t.kind == Kind::c2r ? " to real"
                                     : "")) {
    if (t.kind == Kind::c2c && PartedFft<Real>::applies(options.isa, t.extents[1]))
      parted_.emplace(options.isa, t.extents[1], t.sign);
    for (std::ptrdiff_t c = 0; c < columns_.size(); ++c)
      line_at_[static_cast<std::size_t>(columns_.positions()[c])] = c;
    lines_ahead_ = std::max<std::ptrdiff_t>(bytes_ahead / (t.extents[1] * element), 2);
    lines_ahead_ = std::min(lines_ahead_, columns_.size());
    const std::ptrdiff_t lanes = columns_.lanes();
    // One point more than a tile needs spreads neighbouring tiles over the sets of the caches.
    column_tile_ = (columns_.size() + 1) * 2 * lanes;
    groups_ = (kept_ + lanes - 1) / lanes;
    const SplitRows &columns = columns_first_ ? source : destination;
    if (columns.has_gaps()) gap_bytes_ = static_cast<std::size_t>(groups_ * lanes * element);
    staging_bytes_ = static_cast<std::size_t>(columns_.size() * 2 * lanes) * sizeof(Real);
    plane_bytes_ = static_cast<std::size_t>(groups_ * column_tile_) * sizeof(Real);
    scratch_each_ = whole_lines(gap_bytes_) + whole_lines(plane_bytes_) +
                    whole_lines(staging_bytes_) + whole_lines(columns_.work_bytes()) +
                    (parted_ ? parted_->work_bytes() : rows_.scratch_bytes());
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_each_ = 2 * std::max(columns_.size() + lines_ahead_, rows_.capacity());
    pointers_.resize(static_cast<std::size_t>(pointers_each_ * threads_));
    parts_.resize(static_cast<std::size_t>((parted_ ? parted_->parts() : 0) * threads_));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    parallel_ranges(rows.last - rows.first, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      Worker worker(*this, source, destination, thread,
                                    thread == 0 ? poll : Poll());
                      for (std::ptrdiff_t i = first; i < last; ++i)
                        worker.transform(rows.first + i);
                      if (streamed_) columns_.moves().fence();
                    });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return "FFT of " + name_ + " planes, " + simd::name(isa_) + " kernels " + columns_.factors() +
           ", " + (parted_ ? parted_->factors() : rows_.fft().factors()) +
           (destination_.is_tight() ? source_.is_tight() ? "" : ", gathered" : ", scattered") +
           (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  /// One thread's plane in cache. Its columns are tiles of `lanes` columns each, so that the
  /// transform along them needs no gathering.
  class Worker {
  public:
    Worker(const SimdPlanePass &pass, std::byte *source, std::byte *destination, int thread,
           const Poll &poll)
        : pass_(pass), source_(source), destination_(destination), poll_(poll),
          gap_(pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_),
          plane_(gap_ + whole_lines(pass.gap_bytes_)),
          staging_(plane_ + whole_lines(pass.plane_bytes_)),
          work_(staging_ + whole_lines(pass.staging_bytes_)),
          block_(work_ + whole_lines(pass.columns_.work_bytes())),
          points_(pass.pointers_.data() + pass.pointers_each_ * thread),
          staged_(points_ + pass.pointers_each_ / 2),
          streamed_(pass.streamed_ && is_aligned(destination)) {
      if (!pass.parted_) return;
      parts_ = pass.parts_.data() + pass.parted_->parts() * thread;
      pass.parted_->point_at_parts(reals(source), parts_);
    }

    void transform(std::ptrdiff_t row) {
      if (pass_.columns_first_) {
        read_columns(row);
        write_lines(row);
      } else {
        if (pass_.parted_)
          read_lines_in_groups(row);
        else
          read_lines(row);
        write_columns(row);
      }
    }

  private:
    void read_lines(std::ptrdiff_t row) {
      const auto &block = pass_.rows_;
      const std::ptrdiff_t n = pass_.columns_.size();
      const std::ptrdiff_t ahead =
          2 * pass_.source_.pieces.front().column_stride * block.capacity();
      for (std::ptrdiff_t first = 0; first < n; first += block.capacity()) {
        const std::ptrdiff_t count = std::min(block.capacity(), n - first);
        point_at_lines(pass_.source_, row, first, count, source_);
        block.read(points_, count, ahead, block_);
        for (int half = 0; half < block.spectra(); ++half)
          pass_.columns_.moves().rows_to_columns(
              block.spectrum(block_, half), pass_.kept_,
              pass_.columns_.positions() + first + half * block.lanes(),
              block.lines_of(half, count), reals(plane_), pass_.column_tile_);
        poll_();
      }
    }

    /// The lines that the columns' first step takes together one after another, then that step on
    /// them while they are near: the plane goes through the cache once less.
    void read_lines_in_groups(std::ptrdiff_t row) {
      const std::ptrdiff_t n = pass_.columns_.size();
      const std::ptrdiff_t group = pass_.columns_.group_points();
      const std::ptrdiff_t each = group > 0 ? group : n;
      point_at_lines_of_row(row);
      for (std::ptrdiff_t first = 0; first < n; first += each) {
        for (std::ptrdiff_t p = first; p < first + each; p += pass_.parted_->lines())
          read_lines_at(p, first + each);
        if (group > 0)
          pass_.columns_.begin_in_tiles(pass_.groups_, pass_.column_tile_, reals(plane_),
                                        first / each);
        poll_();
      }
    }

    /// All lines in order of their position in the columns' tiles, and the first ones that are
    /// wanted after them.
    void point_at_lines_of_row(std::ptrdiff_t row) {
      const std::ptrdiff_t n = pass_.columns_.size();
      point_at_columns(pass_.source_, row, reals(source_), pass_.columns_.positions(), points_);
      if (row + 1 < pass_.source_.rows) ++row;
      for (std::ptrdiff_t p = 0; p < pass_.lines_ahead_; ++p)
        points_[n + p] = address_of_line<Real>(
            pass_.source_, row, pass_.line_at_[static_cast<std::size_t>(p)], source_);
    }

    /// As many lines as go together, from this position on.
    void read_lines_at(std::ptrdiff_t position, std::ptrdiff_t end) {
      typename PartedFft<Real>::Place from[PartedFft<Real>::max_lines];
      Real *to[PartedFft<Real>::max_lines];
      for (std::ptrdiff_t l = 0; l < pass_.parted_->lines(); ++l) {
        const std::ptrdiff_t p = std::min(position + l, end - 1);
        from[l] = {points_[p] - reals(source_), points_[p + pass_.lines_ahead_] - points_[p]};
        to[l] = reals(plane_) + 2 * lanes() * p;
      }
      pass_.parted_->to_columns(parts_, from, to, pass_.column_tile_, reals(block_));
    }

    void write_columns(std::ptrdiff_t row) {
      const bool begun = pass_.parted_ && pass_.columns_.group_points() > 0;
      point_at_columns(pass_.destination_, row, reals(destination_), nullptr, points_, gap());
      for (std::ptrdiff_t g = 0; g < pass_.groups_; ++g) {
        Real *tile = reals(plane_) + g * pass_.column_tile_;
        if (whole(g)) {
          pass_.columns_.run_from_tile(tile, begun, points_, 2 * g * lanes(), 2 * lanes(),
                                       streamed_, reals(work_));
        } else {
          point_at_staging(nullptr);
          pass_.columns_.run_from_tile(tile, begun, staged_, 0, 0, false, reals(work_));
          scatter_tile(pass_.isa_, element, pass_.destination_, rest(row, g), staging_,
                       {rest(row, g).vec, lanes(), 1}, destination_);
        }
      }
      poll_();
    }

    void read_columns(std::ptrdiff_t row) {
      point_at_columns(pass_.source_, row, reals(source_), pass_.columns_.positions(), points_,
                       gap());
      for (std::ptrdiff_t g = 0; g < pass_.groups_; ++g) {
        Real *tile = reals(plane_) + g * pass_.column_tile_;
        if (whole(g)) {
          pass_.columns_.run_to_tile(points_, 2 * g * lanes(), 2 * lanes(), tile, reals(work_));
        } else {
          gather_tile(pass_.isa_, element, pass_.source_, rest(row, g), source_, staging_,
                      {rest(row, g).vec, lanes(), 1});
          point_at_staging(pass_.columns_.positions());
          pass_.columns_.run_to_tile(staged_, 0, 0, tile, reals(work_));
        }
      }
      poll_();
    }

    void write_lines(std::ptrdiff_t row) {
      const auto &block = pass_.rows_;
      const std::ptrdiff_t n = pass_.columns_.size();
      for (std::ptrdiff_t first = 0; first < n; first += block.capacity()) {
        const std::ptrdiff_t count = std::min(block.capacity(), n - first);
        for (int half = 0; half < block.spectra(); ++half) {
          pass_.columns_.moves().columns_to_rows(reals(plane_), pass_.column_tile_,
                                                 pass_.order_of_columns(first + half * lanes()),
                                                 block.lines_of(half, count), pass_.kept_,
                                                 block.order(), block.spectrum(block_, half));
          block.clear_from(pass_.kept_, half, block_);
        }
        point_at_lines(pass_.destination_, row, first, count, destination_);
        block.write(points_, count, block_);
        poll_();
      }
    }

    void point_at_lines(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t first,
                        std::ptrdiff_t count, std::byte *array) {
      for (std::ptrdiff_t l = 0; l < count; ++l)
        points_[l] = address_of_line<Real>(m, row, first + l, array);
    }

    /// Staged columns: point c of all lanes at 2 * lanes * c.
    void point_at_staging(const std::int32_t *positions) {
      for (std::ptrdiff_t c = 0; c < pass_.columns_.size(); ++c)
        staged_[positions != nullptr ? positions[c] : c] = reals(staging_) + 2 * lanes() * c;
    }

    std::ptrdiff_t lanes() const { return pass_.columns_.lanes(); }
    bool whole(std::ptrdiff_t group) const { return (group + 1) * lanes() <= pass_.kept_; }
    /// The last group's columns.
    TileBox rest(std::ptrdiff_t row, std::ptrdiff_t group) const {
      return {row, 1, group * lanes(), pass_.kept_ - group * lanes()};
    }
    /// Zeros where columns are read, anything where they are written.
    Real *gap() const { return pass_.gap_bytes_ > 0 ? reals(gap_) : nullptr; }
    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdPlanePass &pass_;
    std::byte *source_, *destination_;
    Poll poll_;
    std::byte *gap_, *plane_, *staging_, *work_, *block_;
    Real **points_, **staged_;
    const Real **parts_ = nullptr;
    bool streamed_;
  };

  /// Columns transformed to a tile are in natural order there.
  const std::int32_t *order_of_columns(std::ptrdiff_t first) const {
    return natural_columns_.data() + std::min(first, columns_.size());
  }

  SplitRows source_, destination_;
  bool in_place_;
  bool columns_first_;
  int threads_;
  simd::Isa isa_;
  SimdLineBlock<Real> rows_;
  std::optional<PartedFft<Real>> parted_; ///< instead of rows_
  LineFft<Real> columns_;
  std::ptrdiff_t kept_; ///< columns: fewer than the points of the lines' spectra where pruned
  bool streamed_;
  std::string name_;
  /// The line that is wanted at each position of the columns' tiles.
  std::vector<std::ptrdiff_t> line_at_ =
      std::vector<std::ptrdiff_t>(static_cast<std::size_t>(columns_.size()));
  std::vector<std::int32_t> natural_columns_ = [this] {
    std::vector<std::int32_t> n(static_cast<std::size_t>(columns_.size()));
    std::iota(n.begin(), n.end(), 0);
    return n;
  }();
  std::ptrdiff_t lines_ahead_ = 0; ///< to ask for
  std::ptrdiff_t column_tile_ = 0; ///< reals from one tile of columns to the next
  std::ptrdiff_t groups_ = 0;      ///< tiles of columns
  std::size_t gap_bytes_ = 0, staging_bytes_ = 0, plane_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  std::ptrdiff_t pointers_each_ = 0;
  mutable std::vector<Real *> pointers_; ///< each thread's own
  mutable std::vector<const Real *> parts_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_simd_plane_pass(const PlaneTransform &t, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options) {
  // Interleaved lines are the columns of narrow matrices.
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
