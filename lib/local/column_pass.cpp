#include "local/passes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/memory.h"
#include "base/threads.h"
#include "local/box_copy.h"
#include "local/fft.h"
#include "local/simd_passes.h"

namespace hybridfft::local {

namespace {

/// Tiles of `rows` rows by `vec` elements, with shorter ones at the ends.
struct Tiling {
  std::ptrdiff_t rows, vec;

  std::ptrdiff_t across(const SplitRows &m) const { return (m.vec + vec - 1) / vec; }
  std::ptrdiff_t count(const SplitRows &m, RowRange range) const {
    return (range.last - range.first + rows - 1) / rows * across(m);
  }
  TileBox box(const SplitRows &m, RowRange range, std::ptrdiff_t index) const {
    const std::ptrdiff_t r = range.first + index / across(m) * rows;
    const std::ptrdiff_t v = index % across(m) * vec;
    return {r, std::min(rows, range.last - r), v, std::min(vec, m.vec - v)};
  }
};

/// Returns tiles of complete cache lines that fit the cache. They are smaller if otherwise some
/// threads had no tile. They contain several rows only if one row is too small.
Tiling choose_tiling(const SplitRows &m, std::ptrdiff_t element, const PassOptions &options) {
  const auto line = static_cast<std::ptrdiff_t>(alignment) / element;
  const std::ptrdiff_t fit = std::max(
      options.tile_bytes / std::max<std::ptrdiff_t>(m.columns * element, 1) / line * line, line);
  const std::ptrdiff_t total = std::max<std::ptrdiff_t>(m.rows * m.vec, 1);
  const std::ptrdiff_t share = std::max<std::ptrdiff_t>(total / (4 * options.threads), 1);
  const std::ptrdiff_t lines = std::min(fit, (share + line - 1) / line * line);
  if (m.vec > lines) return {1, lines};
  return {std::max<std::ptrdiff_t>(lines / m.vec, 1), m.vec};
}

template <class Real> class ColumnPass final : public Pass {
public:
  ColumnPass(const SplitRows &source, const SplitRows &destination,
             const ColumnTransform &transform, TileOrder order, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), transform_(transform),
        element_(transform.element<Real>()), order_(order), threads_(options.threads),
        scale_(options.scale), tiling_(choose_tiling(source, element_, options)) {
    scratch_each_ = padded_lines() * source.columns * element_;
    scratch_ = Memory(static_cast<std::size_t>(scratch_each_ * threads_), threads_);
    plan_tiles(options);
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    parallel_ranges(tiling_.count(source_, rows), threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      std::byte *tile = scratch_.data() + thread * scratch_each_;
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        transform_tile(tiling_.box(source_, rows, i), source, tile, destination);
                        if (thread == 0) poll();
                      }
                    });
  }

  bool in_place() const override { return source_ == destination_; }
  std::ptrdiff_t row_unit() const override { return tiling_.rows; }

  std::string describe() const override {
    return "FFT of " + std::to_string(source_.columns) + " columns in tiles of " +
           std::to_string(tiling_.rows * tiling_.vec) +
           (order_ == TileOrder::lines ? " contiguous lines" : " interleaved lines");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  /// Returns the number of lines of a tile, rounded up to complete cache lines.
  std::ptrdiff_t padded_lines() const {
    const auto line = static_cast<std::ptrdiff_t>(alignment) / element_;
    return (tiling_.rows * tiling_.vec + line - 1) / line * line;
  }

  TileStrides strides(const TileBox &box) const {
    if (order_ == TileOrder::interleaved) return {box.vec, box.lines(), 1};
    return {box.vec * source_.columns, 1, source_.columns};
  }

  void transform_tile(const TileBox &box, const std::byte *source, std::byte *tile,
                      std::byte *destination) const {
    const TileStrides s = strides(box);
    const auto element = static_cast<std::size_t>(element_);
    gather_tile(isa_, element, source_, box, source, tile, s);
    const bool whole = box.lines() == tiling_.rows * tiling_.vec;
    ffts_[whole ? 0 : 1].execute(tile, tile);
    scale_lines<Real>(tile, 1,
                      box.lines() * source_.columns * element_ /
                          static_cast<std::ptrdiff_t>(sizeof(Real)),
                      0, scale_);
    scatter_tile(isa_, element, destination_, box, tile, s, destination);
  }

  /// Plans one FFT for full tiles and one for the short tiles at the end.
  void plan_tiles(const PassOptions &options) {
    if (source_.elements() == 0) return;
    const RowRange all{0, source_.rows};
    std::ptrdiff_t rest = 0;
    for (std::ptrdiff_t i = 0; i < tiling_.count(source_, all); ++i) {
      const TileBox box = tiling_.box(source_, all, i);
      if (box.lines() != tiling_.rows * tiling_.vec) rest = box.lines();
    }
    ffts_[0] = plan_lines(tiling_.rows * tiling_.vec, options);
    if (rest != 0) ffts_[1] = plan_lines(rest, options);
  }

  Fft<Real> plan_lines(std::ptrdiff_t lines, const PassOptions &options) const {
    const bool interleaved = order_ == TileOrder::interleaved;
    const std::ptrdiff_t along = interleaved ? lines : 1;
    const std::ptrdiff_t across = interleaved ? 1 : source_.columns;
    const FftwShape shape{transform_.kind,
                          transform_.sign,
                          {{source_.columns, along, along}},
                          {{lines, across, across}},
                          transform_.line};
    return Fft<Real>(shape, true, options.effort, 1, false);
  }

  SplitRows source_;
  SplitRows destination_;
  ColumnTransform transform_;
  std::ptrdiff_t element_; ///< bytes of a number
  TileOrder order_;
  int threads_;
  double scale_;
  Tiling tiling_;
  simd::Isa isa_ = simd::active();
  std::ptrdiff_t scratch_each_ = 0;
  Memory scratch_;
  std::array<Fft<Real>, 2> ffts_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_column_pass(const SplitRows &source, const SplitRows &destination,
                                       const ColumnTransform &transform, TileOrder order,
                                       const PassOptions &options) {
  if (options.kernel == Kernel::simd && transform.kind == Kind::c2c)
    if (auto pass = make_simd_column_pass<Real>(source, destination, transform.sign, options))
      return pass;
  if (options.kernel == Kernel::simd && transform.kind == Kind::r2r && !options.deterministic)
    if (auto pass =
            make_simd_real_pass<Real>(source, destination, transform, source.columns, options))
      return pass;
  if (options.deterministic)
    return make_single_column_pass<Real>(source, destination, transform, options);
  return std::make_unique<ColumnPass<Real>>(source, destination, transform, order, options);
}

template std::unique_ptr<Pass> make_column_pass<float>(const SplitRows &, const SplitRows &,
                                                       const ColumnTransform &, TileOrder,
                                                       const PassOptions &);
template std::unique_ptr<Pass> make_column_pass<double>(const SplitRows &, const SplitRows &,
                                                        const ColumnTransform &, TileOrder,
                                                        const PassOptions &);

} // namespace hybridfft::local
