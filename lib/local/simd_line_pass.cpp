// FFTs of contiguous lines with SIMD kernels. Lines are transposed in registers to one line per
// vector lane; long lines use the four-step algorithm.
#include "local/simd_passes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "local/box_copy.h"
#include "local/four_step.h"
#include "local/plane_tile.h"

namespace hybridfft::local {

namespace {

/// Returns true if successive lines are adjacent in memory at every point.
bool lies_across(const SplitRows &m) {
  return m.rows > 1 && m.columns > 1 && m.vec == 1 && rows_adjoin(m);
}

/// Pass over lines along the columns of a matrix with vec 1. The matrix may have only the first
/// points of the spectra of real lines. If in one array complex lines are adjacent at every point,
/// the lines are transposed in registers for the other array.
template <class Real> class SimdLinePass final : public Pass {
public:
  SimdLinePass(const PlaneTransform &t, const SplitRows &source, const SplitRows &destination,
               bool in_place, const PassOptions &options)
      : Pass(source.rows), kind_(t.kind), source_(source), destination_(destination),
        in_place_(in_place), threads_(options.threads), isa_(options.isa),
        block_(options.isa, t.kind, t.extents[0], t.sign, !options.deterministic,
               static_cast<Real>(options.scale)),
        streamed_(options.store == simd::Store::streamed && !in_place && t.kind != Kind::c2r &&
                  contiguous(destination) && streams_lines(destination)),
        runs_(options.store == simd::Store::streamed && !in_place && !contiguous(destination)
                  ? simd::Store::streamed
                  : simd::Store::cached) {
    const bool may_cross = t.kind == Kind::c2c && !source.has_gaps() && !destination.has_gaps();
    reads_across_ = may_cross && lies_across(source) && has_runs(destination);
    writes_across_ = may_cross && lies_across(destination) && has_runs(source) && !reads_across_;
    streamed_across_ = options.store == simd::Store::streamed && !in_place &&
                       ((reads_across_ && streams_lines(destination)) ||
                        (writes_across_ && columns_align(destination)));
    // The four-step algorithm serves contiguous lines only, and its arithmetic differs.
    if (t.kind == Kind::c2c && !across() && !options.deterministic &&
        FourStepFft<Real>::applies(options.isa, t.extents[0]))
      four_step_.emplace(options.isa, t.extents[0], t.sign, static_cast<Real>(options.scale));
    if (across())
      tiles_ = std::clamp<std::ptrdiff_t>(
          source.rows / block_.lanes(), 1,
          cached_tiles_of_run<Real>(block_.lanes(), block_.fft().tile_bytes()));
    staging_bytes_ = static_cast<std::size_t>(block_.capacity() * source.columns * element);
    scratch_each_ =
        whole_lines(staging_bytes_) +
        std::max(block_.scratch_bytes(), tiles_bytes() + whole_lines(block_.fft().work_bytes()));
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_each_ = block_.capacity() + (across() ? source.columns : 0);
    pointers_.resize(static_cast<std::size_t>(pointers_each_ * threads_));
    parts_.resize(static_cast<std::size_t>((four_step_ ? four_step_->parts() : 0) * threads_));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const std::ptrdiff_t each = block_.capacity();
    parallel_ranges((rows.last - rows.first + each - 1) / each, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      if (across()) point_across(source, destination, thread);
                      for (std::ptrdiff_t b = first, count = 1; b < last; b += count) {
                        const std::ptrdiff_t row = rows.first + b * each;
                        count = blocks_of_batch(rows.last - row, last - b);
                        transform(row, std::min(count * each, rows.last - row), source, destination,
                                  thread);
                        if (thread == 0) poll();
                      }
                      if (streamed_ || streamed_across_) block_.fft().moves().fence();
                      if (runs_ == simd::Store::streamed) simd::fence(isa_);
                    });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return "FFT of lines of " + std::to_string(block_.fft().size()) + ", " + simd::name(isa_) +
           " kernels " + (four_step_ ? four_step_->factors() : block_.fft().factors()) +
           ((across() ? streamed_across_ : streamed_ || runs_ == simd::Store::streamed)
                ? ", streamed"
                : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  void transform(std::ptrdiff_t row, std::ptrdiff_t count, std::byte *source,
                 std::byte *destination, int thread) const {
    std::byte *staging = scratch_.data() + static_cast<std::size_t>(thread) * scratch_each_;
    std::byte *block = staging + whole_lines(staging_bytes_);
    Real **lines = pointers_.data() + pointers_each_ * thread;
    if (across() && count % block_.lanes() == 0) {
      transform_across(row, count / block_.lanes(), source, destination, lines, block);
      return;
    }
    const TileBox box{row, count, 0, 1};
    const TileStrides tight{source_.columns, 1, 1};
    const bool gathered = !contiguous(source_);
    const bool scattered = !contiguous(destination_);
    if (gathered) gather_tile(isa_, element, source_, box, source, staging, tight);
    point_at(source_, gathered ? staging : source, gathered, row, count, lines);
    if (four_step_) {
      transform_four_step(lines, gathered, scattered ? staging : destination, scattered, row, count,
                          block, parts_.data() + four_step_->parts() * thread);
    } else if (kind_ != Kind::c2r) {
      const std::ptrdiff_t ahead = gathered ? 0 : 2 * source_.pieces.front().row_stride * count;
      block_.read(lines, count, ahead, block);
      point_at(destination_, scattered ? staging : destination, scattered, row, count, lines);
      const auto &moves = block_.fft().moves();
      const auto scatter =
          streamed_ && is_aligned(destination) ? moves.stream_lines : moves.scatter_lines;
      for (int half = 0; half < block_.spectra(); ++half)
        scatter(block_.spectrum(block, half),
                scattered ? block_.points() : destination_.stored_columns(),
                lines + half * block_.lanes(), block_.lines_of(half, count));
    } else {
      const std::ptrdiff_t points = gathered ? block_.points() : source_.stored_columns();
      for (int half = 0; half < block_.spectra(); ++half) {
        block_.fft().moves().gather_lines(lines + half * block_.lanes(),
                                          block_.lines_of(half, count), points, block_.order(),
                                          block_.spectrum(block, half));
        block_.clear_from(points, half, block);
      }
      point_at(destination_, scattered ? staging : destination, scattered, row, count, lines);
      const std::ptrdiff_t ahead =
          scattered || in_place_ ? 0 : 2 * destination_.pieces.front().row_stride * count;
      block_.write(lines, count, ahead, block);
    }
    if (scattered)
      scatter_tile(isa_, element, destination_, box, staging, tight, destination, runs_);
  }

  bool across() const { return reads_across_ || writes_across_; }

  /// Sets the pointers to the points of the first row, in the array with adjacent lines.
  void point_across(std::byte *source, std::byte *destination, int thread) const {
    Real **points = pointers_.data() + pointers_each_ * thread + block_.capacity();
    if (reads_across_)
      point_at_columns(source_, 0, reals(source), block_.fft().positions(), points);
    else
      point_at_columns(destination_, 0, reals(destination), nullptr, points);
  }

  std::size_t tiles_bytes() const {
    return whole_lines(static_cast<std::size_t>(tiles_ * block_.fft().tile_step()) * sizeof(Real));
  }

  /// Returns the number of blocks processed together: full tiles of adjacent lines. `lines` lines
  /// and `blocks` blocks remain to be processed.
  std::ptrdiff_t blocks_of_batch(std::ptrdiff_t lines, std::ptrdiff_t blocks) const {
    if (!across()) return 1;
    return std::clamp<std::ptrdiff_t>(lines / block_.lanes(), 1, std::min(tiles_, blocks));
  }

  /// Transforms `count` tiles of lines that are adjacent at every point.
  void transform_across(std::ptrdiff_t row, std::ptrdiff_t count, std::byte *source,
                        std::byte *destination, Real **lines, std::byte *scratch) const {
    const LineFft<Real> &fft = block_.fft();
    const std::ptrdiff_t lanes = block_.lanes();
    Real *const *points = lines + block_.capacity();
    const simd::FftTiles<Real> tiles{reals(scratch), count, fft.tile_step()};
    Real *work = reals(scratch + tiles_bytes());
    // In an aligned array lines and columns are aligned, but row `row` of a column may not be.
    const bool streamed =
        streamed_across_ && is_aligned(reads_across_ ? destination : destination + row * element);
    const auto for_tiles = [&](const SplitRows &m, std::byte *array, const auto &move) {
      for (std::ptrdiff_t t = 0; t < count; ++t)
        for (const Piece &p : m.pieces) {
          point_at_piece(p, row + t * lanes, array, lines);
          move(p, tiles.first + t * tiles.stride);
        }
    };
    if (reads_across_) {
      fft.run_to_tiles(points, 2 * row, tiles, work);
      const auto scatter = streamed ? fft.moves().stream_lines : fft.moves().scatter_lines;
      for_tiles(destination_, destination, [&](const Piece &p, const Real *tile) {
        scatter(tile + 2 * lanes * p.first, p.count, lines, lanes);
      });
    } else {
      for_tiles(source_, source, [&](const Piece &p, Real *tile) {
        fft.moves().gather_lines(lines, lanes, p.count, fft.positions() + p.first, tile);
      });
      fft.run_from_tiles(tiles, false, points, 2 * row,
                         streamed ? Output::streamed : Output::by_point, work);
    }
  }

  void point_at_piece(const Piece &p, std::ptrdiff_t row, std::byte *array, Real **lines) const {
    for (std::ptrdiff_t l = 0; l < block_.lanes(); ++l)
      lines[l] = reals(array) + 2 * (p.base + (row + l) * p.row_stride);
  }

  static constexpr std::ptrdiff_t elements_of_cache_line = alignment / (2 * sizeof(Real));

  /// Returns true if every column begins at a cache line.
  static bool columns_align(const SplitRows &m) {
    return std::all_of(m.pieces.begin(), m.pieces.end(), [](const Piece &p) {
      return p.base % elements_of_cache_line == 0 &&
             (p.count == 1 || p.column_stride % elements_of_cache_line == 0);
    });
  }

  /// Returns true if every line, or every part of a line, begins at a cache line.
  static bool streams_lines(const SplitRows &m) {
    return std::all_of(m.pieces.begin(), m.pieces.end(), [](const Piece &p) {
      return p.base % elements_of_cache_line == 0 && p.row_stride % elements_of_cache_line == 0;
    });
  }

  static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

  void transform_four_step(Real *const *lines, bool gathered, std::byte *destination, bool staged,
                           std::ptrdiff_t row, std::ptrdiff_t count, std::byte *work,
                           const Real **parts) const {
    typename FourStepFft<Real>::LinePlace from[FourStepFft<Real>::max_lines];
    Real *to[FourStepFft<Real>::max_lines];
    four_step_->point_at_parts(lines[0], parts);
    const bool streamed = streamed_ && !staged && is_aligned(destination);
    const std::ptrdiff_t distance = lines_ahead(source_.columns * element);
    const std::ptrdiff_t ahead = gathered ? 0 : 2 * source_.pieces.front().row_stride * distance;
    for (std::ptrdiff_t first = 0; first < count; first += four_step_->lines()) {
      for (std::ptrdiff_t k = 0; k < four_step_->lines(); ++k) {
        const std::ptrdiff_t l = std::min(first + k, count - 1);
        const bool next = row + l + distance < source_.rows;
        from[k] = {lines[l] - lines[0], next ? ahead : 0};
        to[k] = staged ? reinterpret_cast<Real *>(destination) + 2 * l * destination_.columns
                       : address_of_line<Real>(destination_, row + l, 0, destination);
      }
      four_step_->to_lines(parts, from, to, streamed, reinterpret_cast<Real *>(work));
    }
  }

  bool contiguous(const SplitRows &m) const {
    return m.pieces.size() == 1 && (m.pieces.front().column_stride == 1 || m.columns == 1) &&
           (kind_ != Kind::c2c || !m.has_gaps());
  }

  void point_at(const SplitRows &m, std::byte *array, bool staged, std::ptrdiff_t row,
                std::ptrdiff_t count, Real **lines) const {
    for (std::ptrdiff_t l = 0; l < count; ++l)
      lines[l] = staged ? reinterpret_cast<Real *>(array) + 2 * l * m.columns
                        : address_of_line<Real>(m, row + l, 0, array);
  }

  Kind kind_;
  SplitRows source_, destination_;
  bool in_place_;
  int threads_;
  simd::Isa isa_;
  SimdLineBlock<Real> block_;
  /// Set for long contiguous lines, which then use it instead of block_.
  std::optional<FourStepFft<Real>> four_step_;
  bool streamed_;
  /// True if the source (reads) or the destination (writes) has lines that are adjacent at every
  /// point. The other array then has contiguous pieces of lines.
  bool reads_across_ = false, writes_across_ = false;
  bool streamed_across_ = false;
  simd::Store runs_;         ///< kind of store for lines written in pieces
  std::ptrdiff_t tiles_ = 1; ///< tiles of adjacent lines processed at a time
  std::size_t staging_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  std::ptrdiff_t pointers_each_ = 0;
  mutable std::vector<Real *> pointers_; ///< one part per thread
  mutable std::vector<const Real *> parts_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_simd_line_pass(const PlaneTransform &t, const SplitRows &source,
                                          const SplitRows &destination, bool in_place,
                                          const PassOptions &options) {
  return std::make_unique<SimdLinePass<Real>>(t, source, destination, in_place, options);
}

template std::unique_ptr<Pass> make_simd_line_pass<float>(const PlaneTransform &, const SplitRows &,
                                                          const SplitRows &, bool,
                                                          const PassOptions &);
template std::unique_ptr<Pass> make_simd_line_pass<double>(const PlaneTransform &,
                                                           const SplitRows &, const SplitRows &,
                                                           bool, const PassOptions &);

} // namespace hybridfft::local
