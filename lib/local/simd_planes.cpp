#include "local/simd_planes.h"

#include <algorithm>
#include <vector>

#include "base/threads.h"
#include "local/simd_columns.h"
#include "local/simd_line_block.h"
#include "local/tile.h"

namespace hybridfft::local {

namespace {

/// Where the lines of a side begin. The real side of r2c and c2r is tight, with as many bytes per
/// line as the complex side.
template <class Real>
Real *line_at(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t column, std::byte *array) {
  for (const Piece &p : m.pieces)
    if (column < p.first + p.count)
      return reinterpret_cast<Real *>(array) +
             2 * (p.base + row * p.row_stride + (column - p.first) * p.column_stride);
  return nullptr;
}

template <class Real> class SimdPlanePass final : public Pass {
public:
  SimdPlanePass(const PlaneTransform &t, const SplitRows &source, const SplitRows &destination,
                bool in_place, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), in_place_(in_place),
        columns_first_(t.kind == Kind::c2r), threads_(options.threads), isa_(options.isa),
        rows_(options.isa, t.kind, t.extents[1], t.sign, !options.deterministic),
        columns_(options.isa, t.extents[0], t.sign),
        streamed_(options.store == simd::Store::streamed && !in_place && !columns_first_ &&
                  streams_to<Real>(destination)),
        name_(std::to_string(t.extents[0]) + "x" + std::to_string(t.extents[1]) +
              (t.kind == Kind::r2c   ? " real"
               : t.kind == Kind::c2r ? " to real"
                                     : "")) {
    const std::ptrdiff_t lanes = columns_.lanes();
    // One point more than a tile needs spreads neighbouring tiles over the sets of the caches.
    column_tile_ = (columns_.size() + 1) * 2 * lanes;
    groups_ = (rows_.points() + lanes - 1) / lanes;
    staging_bytes_ = static_cast<std::size_t>(columns_.size() * 2 * lanes) * sizeof(Real);
    plane_bytes_ = static_cast<std::size_t>(groups_ * column_tile_) * sizeof(Real);
    scratch_each_ = whole_lines(plane_bytes_) + whole_lines(staging_bytes_) +
                    whole_lines(columns_.work_bytes()) + rows_.scratch_bytes();
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_each_ = 2 * std::max(columns_.size(), rows_.capacity());
    pointers_.resize(static_cast<std::size_t>(pointers_each_ * threads_));
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
           ", " + rows_.fft().factors() +
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
          plane_(pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_),
          staging_(plane_ + whole_lines(pass.plane_bytes_)),
          work_(staging_ + whole_lines(pass.staging_bytes_)),
          block_(work_ + whole_lines(pass.columns_.work_bytes())),
          points_(pass.pointers_.data() + pass.pointers_each_ * thread),
          staged_(points_ + pass.pointers_each_ / 2),
          streamed_(pass.streamed_ && is_aligned(destination)) {}

    void transform(std::ptrdiff_t row) {
      if (pass_.columns_first_) {
        read_columns(row);
        write_lines(row);
      } else {
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
              block.spectrum(block_, half), block.points(),
              pass_.columns_.positions() + first + half * block.lanes(),
              block.lines_of(half, count), reals(plane_), pass_.column_tile_);
        poll_();
      }
    }

    void write_columns(std::ptrdiff_t row) {
      point_at_columns(pass_.destination_, row, reals(destination_), nullptr, points_);
      for (std::ptrdiff_t g = 0; g < pass_.groups_; ++g) {
        Real *tile = reals(plane_) + g * pass_.column_tile_;
        if (whole(g)) {
          pass_.columns_.run_from_tile(tile, points_, 2 * g * lanes(), 2 * lanes(), streamed_,
                                       reals(work_));
        } else {
          point_at_staging(nullptr);
          pass_.columns_.run_from_tile(tile, staged_, 0, 0, false, reals(work_));
          scatter_tile(pass_.isa_, element, pass_.destination_, rest(row, g), staging_,
                       {rest(row, g).vec, lanes(), 1}, destination_);
        }
      }
      poll_();
    }

    void read_columns(std::ptrdiff_t row) {
      point_at_columns(pass_.source_, row, reals(source_), pass_.columns_.positions(), points_);
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
        for (int half = 0; half < block.spectra(); ++half)
          pass_.columns_.moves().columns_to_rows(reals(plane_), pass_.column_tile_,
                                                 pass_.order_of_columns(first + half * lanes()),
                                                 block.lines_of(half, count), block.points(),
                                                 block.order(), block.spectrum(block_, half));
        point_at_lines(pass_.destination_, row, first, count, destination_);
        block.write(points_, count, block_);
        poll_();
      }
    }

    void point_at_lines(const SplitRows &m, std::ptrdiff_t row, std::ptrdiff_t first,
                        std::ptrdiff_t count, std::byte *array) {
      for (std::ptrdiff_t l = 0; l < count; ++l)
        points_[l] = line_at<Real>(m, row, first + l, array);
    }

    /// Staged columns: point c of all lanes at 2 * lanes * c.
    void point_at_staging(const std::int32_t *positions) {
      for (std::ptrdiff_t c = 0; c < pass_.columns_.size(); ++c)
        staged_[positions != nullptr ? positions[c] : c] = reals(staging_) + 2 * lanes() * c;
    }

    std::ptrdiff_t lanes() const { return pass_.columns_.lanes(); }
    bool whole(std::ptrdiff_t group) const { return (group + 1) * lanes() <= pass_.rows_.points(); }
    /// The last group's columns.
    TileBox rest(std::ptrdiff_t row, std::ptrdiff_t group) const {
      return {row, 1, group * lanes(), pass_.rows_.points() - group * lanes()};
    }
    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdPlanePass &pass_;
    std::byte *source_, *destination_;
    Poll poll_;
    std::byte *plane_, *staging_, *work_, *block_;
    Real **points_, **staged_;
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
  LineFft<Real> columns_;
  bool streamed_;
  std::string name_;
  std::vector<std::int32_t> natural_columns_ = [this] {
    std::vector<std::int32_t> n(static_cast<std::size_t>(columns_.size()));
    std::iota(n.begin(), n.end(), 0);
    return n;
  }();
  std::ptrdiff_t column_tile_ = 0; ///< reals from one tile of columns to the next
  std::ptrdiff_t groups_ = 0;      ///< tiles of columns
  std::size_t staging_bytes_ = 0, plane_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  std::ptrdiff_t pointers_each_ = 0;
  mutable std::vector<Real *> pointers_; ///< each thread's own
};

/// Lines along the columns of a matrix of vec 1.
template <class Real> class SimdLinePass final : public Pass {
public:
  SimdLinePass(const PlaneTransform &t, const SplitRows &source, const SplitRows &destination,
               bool in_place, const PassOptions &options)
      : Pass(source.rows), kind_(t.kind), source_(source), destination_(destination),
        in_place_(in_place), threads_(options.threads), isa_(options.isa),
        block_(options.isa, t.kind, t.extents[0], t.sign, !options.deterministic),
        streamed_(options.store == simd::Store::streamed && !in_place && t.kind != Kind::c2r &&
                  contiguous(destination) && streams_lines(destination)) {
    staging_bytes_ = static_cast<std::size_t>(block_.capacity() * source.columns * element);
    scratch_each_ = whole_lines(staging_bytes_) + block_.scratch_bytes();
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_.resize(static_cast<std::size_t>(block_.capacity() * threads_));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const std::ptrdiff_t each = block_.capacity();
    parallel_ranges((rows.last - rows.first + each - 1) / each, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      for (std::ptrdiff_t b = first; b < last; ++b) {
                        const std::ptrdiff_t row = rows.first + b * each;
                        transform(row, std::min(each, rows.last - row), source, destination,
                                  thread);
                        if (thread == 0) poll();
                      }
                      if (streamed_) block_.fft().moves().fence();
                    });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return "FFT of lines of " + std::to_string(block_.fft().size()) + ", " + simd::name(isa_) +
           " kernels " + block_.fft().factors() + (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  void transform(std::ptrdiff_t row, std::ptrdiff_t count, std::byte *source,
                 std::byte *destination, int thread) const {
    std::byte *staging = scratch_.data() + static_cast<std::size_t>(thread) * scratch_each_;
    std::byte *block = staging + whole_lines(staging_bytes_);
    Real **lines = pointers_.data() + block_.capacity() * thread;
    const TileBox box{row, count, 0, 1};
    const TileStrides tight{source_.columns, 1, 1};
    const bool gathered = !contiguous(source_);
    const bool scattered = !contiguous(destination_);
    if (gathered) gather_tile(isa_, element, source_, box, source, staging, tight);
    point_at(source_, gathered ? staging : source, gathered, row, count, lines);
    if (kind_ != Kind::c2r) {
      const std::ptrdiff_t ahead = gathered ? 0 : 2 * source_.pieces.front().row_stride * count;
      block_.read(lines, count, ahead, block);
      point_at(destination_, scattered ? staging : destination, scattered, row, count, lines);
      const auto &moves = block_.fft().moves();
      const auto scatter =
          streamed_ && is_aligned(destination) ? moves.stream_lines : moves.scatter_lines;
      for (int half = 0; half < block_.spectra(); ++half)
        scatter(block_.spectrum(block, half), block_.points(), lines + half * block_.lanes(),
                block_.lines_of(half, count));
    } else {
      for (int half = 0; half < block_.spectra(); ++half)
        block_.fft().moves().gather_lines(lines + half * block_.lanes(),
                                          block_.lines_of(half, count), block_.points(), 0,
                                          block_.order(), block_.spectrum(block, half));
      point_at(destination_, scattered ? staging : destination, scattered, row, count, lines);
      block_.write(lines, count, block);
    }
    if (scattered) scatter_tile(isa_, element, destination_, box, staging, tight, destination);
  }

  static bool contiguous(const SplitRows &m) {
    return m.pieces.size() == 1 && (m.pieces.front().column_stride == 1 || m.columns == 1);
  }

  /// Every line begins on a cache line.
  static bool streams_lines(const SplitRows &m) {
    return m.pieces.front().base * element % static_cast<std::ptrdiff_t>(alignment) == 0 &&
           m.pieces.front().row_stride * element % static_cast<std::ptrdiff_t>(alignment) == 0;
  }

  void point_at(const SplitRows &m, std::byte *array, bool staged, std::ptrdiff_t row,
                std::ptrdiff_t count, Real **lines) const {
    for (std::ptrdiff_t l = 0; l < count; ++l)
      lines[l] = staged ? reinterpret_cast<Real *>(array) + 2 * l * m.columns
                        : line_at<Real>(m, row + l, 0, array);
  }

  Kind kind_;
  SplitRows source_, destination_;
  bool in_place_;
  int threads_;
  simd::Isa isa_;
  SimdLineBlock<Real> block_;
  bool streamed_;
  std::size_t staging_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< each thread's own
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
    return std::make_unique<SimdLinePass<Real>>(t, source, destination, in_place, options);
  return std::make_unique<SimdPlanePass<Real>>(t, source, destination, in_place, options);
}

template std::unique_ptr<Pass> make_simd_plane_pass<float>(const PlaneTransform &,
                                                           const SplitRows &, const SplitRows &,
                                                           bool, const PassOptions &);
template std::unique_ptr<Pass> make_simd_plane_pass<double>(const PlaneTransform &,
                                                            const SplitRows &, const SplitRows &,
                                                            bool, const PassOptions &);

} // namespace hybridfft::local
