#include "local/simd_line_pass.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads.h"
#include "local/parted_fft.h"
#include "local/simd_line_block.h"
#include "local/tile.h"

namespace hybridfft::local {

namespace {

/// Lines along the columns of a matrix of vec 1. Spectra of real lines may be stored in part: their
/// first points are read and written where they are.
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
    // Lines that are not contiguous have another arithmetic.
    if (t.kind == Kind::c2c && !options.deterministic &&
        PartedFft<Real>::applies(options.isa, t.extents[0]))
      parted_.emplace(options.isa, t.extents[0], t.sign, static_cast<Real>(options.scale));
    staging_bytes_ = static_cast<std::size_t>(block_.capacity() * source.columns * element);
    scratch_each_ = whole_lines(staging_bytes_) + block_.scratch_bytes();
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_.resize(static_cast<std::size_t>(block_.capacity() * threads_));
    parts_.resize(static_cast<std::size_t>((parted_ ? parted_->parts() : 0) * threads_));
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
                      if (runs_ == simd::Store::streamed) simd::fence(isa_);
                    });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return "FFT of lines of " + std::to_string(block_.fft().size()) + ", " + simd::name(isa_) +
           " kernels " + (parted_ ? parted_->factors() : block_.fft().factors()) +
           (streamed_ || runs_ == simd::Store::streamed ? ", streamed" : "");
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
    if (parted_) {
      transform_parted(lines, scattered ? staging : destination, scattered, row, count, block,
                       parts_.data() + parted_->parts() * thread);
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
                                          block_.lines_of(half, count), points, 0, block_.order(),
                                          block_.spectrum(block, half));
        block_.clear_from(points, half, block);
      }
      point_at(destination_, scattered ? staging : destination, scattered, row, count, lines);
      block_.write(lines, count, block);
    }
    if (scattered)
      scatter_tile(isa_, element, destination_, box, staging, tight, destination, runs_);
  }

  void transform_parted(Real *const *lines, std::byte *destination, bool staged, std::ptrdiff_t row,
                        std::ptrdiff_t count, std::byte *work, const Real **parts) const {
    typename PartedFft<Real>::Place from[PartedFft<Real>::max_lines];
    Real *to[PartedFft<Real>::max_lines];
    parted_->point_at_parts(lines[0], parts);
    const bool streamed = streamed_ && !staged && is_aligned(destination);
    for (std::ptrdiff_t first = 0; first < count; first += parted_->lines()) {
      for (std::ptrdiff_t k = 0; k < parted_->lines(); ++k) {
        const std::ptrdiff_t l = std::min(first + k, count - 1);
        const std::ptrdiff_t next = std::min(l + parted_->lines(), count - 1);
        from[k] = {lines[l] - lines[0], lines[next] - lines[l]};
        to[k] = staged ? reinterpret_cast<Real *>(destination) + 2 * l * destination_.columns
                       : address_of_line<Real>(destination_, row + l, 0, destination);
      }
      parted_->to_lines(parts, from, to, streamed, reinterpret_cast<Real *>(work));
    }
  }

  bool contiguous(const SplitRows &m) const {
    return m.pieces.size() == 1 && (m.pieces.front().column_stride == 1 || m.columns == 1) &&
           (kind_ != Kind::c2c || !m.has_gaps());
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
                        : address_of_line<Real>(m, row + l, 0, array);
  }

  Kind kind_;
  SplitRows source_, destination_;
  bool in_place_;
  int threads_;
  simd::Isa isa_;
  SimdLineBlock<Real> block_;
  std::optional<PartedFft<Real>> parted_; ///< instead of block_
  bool streamed_;
  simd::Store runs_; ///< store of lines that are written in pieces
  std::size_t staging_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< each thread's own
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
