// FFTs along the columns of a matrix with SIMD kernels, one line per vector lane. Used if lines are
// adjacent at every point, so that no transposition is needed.
#include "local/simd_passes.h"

#include <algorithm>
#include <vector>

#include "base/threads.h"
#include "local/box_copy.h"
#include "local/column_tiles.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

namespace {

/// Column pass with SIMD kernels. Tiles have one line per vector lane. Tiles that are adjacent in
/// vec are read directly from the source and written directly to the destination, several together,
/// because memory is faster for longer contiguous pieces. Remaining lines, and lines of several
/// rows, are copied to a buffer first.
template <class Real> class SimdColumnPass final : public Pass {
public:
  SimdColumnPass(const SplitRows &source, const SplitRows &destination, int sign,
                 const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), threads_(options.threads),
        streamed_(options.store == simd::Store::streamed && streams_to<Real>(destination)),
        one_run_(rows_adjoin(source) && rows_adjoin(destination)), isa_(options.isa),
        fft_(options.isa, source.columns, sign, static_cast<Real>(options.scale)),
        tiles_(std::clamp<std::ptrdiff_t>(
            run() / fft_.lanes(), 1, cached_tiles_of_run<Real>(fft_.lanes(), fft_.tile_bytes()))) {
    const auto staging = static_cast<std::size_t>(fft_.size() * fft_.lanes() * element);
    scratch_each_ = whole_lines(fft_.work_bytes(tiles_)) + whole_lines(staging);
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    const auto points = static_cast<std::size_t>(2 * fft_.size() * threads_);
    pointers_.resize(points);
    gap_bytes_ = whole_lines(static_cast<std::size_t>(run() * element));
    if (source.has_gaps()) zeros_ = Memory(gap_bytes_, threads_);
    if (destination.has_gaps())
      sinks_ = Memory(gap_bytes_ * static_cast<std::size_t>(threads_), threads_);
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const LineTiles tiles(rows, source_.vec, one_run_, fft_.lanes(), tiles_);
    transform_tiles(
        tiles, threads_, poll,
        [&](int thread) { return Worker(*this, source, destination, thread); },
        [&] {
          if (streamed_) fft_.moves().fence();
        });
  }

  bool in_place() const override { return source_ == destination_; }
  std::ptrdiff_t row_unit() const override { return 1; }

  std::string describe() const override {
    return "FFT of " + std::to_string(source_.columns) + " columns, " + simd::name(isa_) +
           " kernels " + fft_.factors() + " on " + std::to_string(fft_.lanes()) + " lines" +
           (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override {
    return scratch_.bytes() + zeros_.bytes() + sinks_.bytes();
  }

private:
  static constexpr std::ptrdiff_t element = 2 * sizeof(Real);

  /// Returns the number of lines that are adjacent at every point.
  std::ptrdiff_t run() const { return one_run_ ? source_.rows * source_.vec : source_.vec; }

  /// Returns true if in-place lines leave the second-level cache between their read and their
  /// write.
  bool lines_leave() const {
    return leaves_second_level(static_cast<std::size_t>(tiles_) * fft_.tile_bytes());
  }

  /// Scratch, staging lines and pointers of one thread.
  class Worker {
  public:
    Worker(const SimdColumnPass &pass, std::byte *source, std::byte *destination, int thread)
        : pass_(pass), source_(source), destination_(destination),
          work_(pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_),
          staging_(work_ + whole_lines(pass.fft_.work_bytes(pass.tiles_))),
          in_(pass.pointers_.data() + 2 * pass.fft_.size() * thread), out_(in_ + pass.fft_.size()),
          sink_(pass.sinks_.bytes() == 0
                    ? nullptr
                    : pass.sinks_.data() + static_cast<std::size_t>(thread) * pass.gap_bytes_),
          streamed_(pass.streamed_ && (source != destination || pass.lines_leave()) &&
                    is_aligned(destination)),
          otherwise_(source == destination ? Output::in_runs : Output::by_point) {}

    void transform(TileBox box) {
      const std::ptrdiff_t lanes = pass_.fft_.lanes();
      if (box.rows == 1 && box.vec >= lanes) {
        const std::ptrdiff_t whole = box.vec / lanes;
        transform_directly(box, whole);
        box.first_vec += whole * lanes;
        box.vec -= whole * lanes;
      }
      if (box.vec > 0) transform_staged(box);
    }

  private:
    void transform_directly(const TileBox &box, std::ptrdiff_t tiles) {
      if (row_ != box.first_row) {
        row_ = box.first_row;
        point_at_columns(pass_.source_, row_, reals(source_), pass_.fft_.positions(), in_,
                         reals(pass_.zeros_.data()));
        point_at_columns(pass_.destination_, row_, reals(destination_), nullptr, out_,
                         reals(sink_));
      }
      // An array aligned to elements only is not streamed.
      const bool streamed = streamed_ && is_aligned(destination_ + box.first_vec * element);
      const Output output = streamed ? Output::streamed : otherwise_;
      pass_.fft_.run(in_, out_, 2 * box.first_vec, output, reals(work_), tiles);
    }

    void transform_staged(const TileBox &box) {
      const std::ptrdiff_t lanes = pass_.fft_.lanes();
      const TileStrides strides{box.vec, lanes, 1};
      gather_tile(pass_.isa_, element, pass_.source_, box, source_, staging_, strides);
      row_ = -1;
      for (std::ptrdiff_t c = 0; c < pass_.fft_.size(); ++c) {
        out_[c] = reals(staging_) + 2 * lanes * c;
        in_[pass_.fft_.positions()[c]] = out_[c];
      }
      pass_.fft_.run(in_, out_, 0, Output::by_point, reals(work_));
      scatter_tile(pass_.isa_, element, pass_.destination_, box, staging_, strides, destination_);
    }

    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdColumnPass &pass_;
    std::byte *source_, *destination_;
    std::byte *work_, *staging_;
    Real **in_, **out_;
    std::byte *sink_; ///< target for columns without storage in the destination
    bool streamed_;
    Output otherwise_;
    std::ptrdiff_t row_ = -1; ///< row of the present pointers
  };

  SplitRows source_, destination_;
  int threads_;
  bool streamed_;
  bool one_run_;
  simd::Isa isa_;
  LineFft<Real> fft_;
  std::ptrdiff_t tiles_; ///< number of tiles transformed together
  std::size_t scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< one part for each thread
  std::size_t gap_bytes_ = 0;            ///< bytes of all lines of a row at one point
  Memory zeros_;                         ///< zeros, read for columns without storage
  Memory sinks_; ///< targets for columns without storage in the destination, one per thread
};

template <class Real> class StreamedColumnPass final : public Pass {
public:
  StreamedColumnPass(const SplitRows &source, const SplitRows &destination, int sign,
                     const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), threads_(options.threads),
        isa_(options.isa),
        tiles_(options.isa, source.columns, source.vec, sign, static_cast<Real>(options.scale)),
        scratch_each_(tiles_.plane_bytes() + tiles_.column_bytes()),
        scratch_(scratch_each_ * static_cast<std::size_t>(threads_), threads_),
        pointers_(tiles_.pointers() * static_cast<std::size_t>(threads_)) {}

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    parallel_ranges(rows.last - rows.first, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      const typename ColumnTiles<Real>::Scratch s = scratch(thread);
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        const std::ptrdiff_t row = rows.first + i;
                        tiles_.read_columns(source_, row, source, s);
                        if (thread == 0) poll();
                        tiles_.stream_lines(destination_, row, destination, s);
                        if (thread == 0) poll();
                      }
                      tiles_.columns().moves().fence();
                    });
  }

  bool in_place() const override { return false; }

  std::string describe() const override {
    return "FFT of " + std::to_string(source_.columns) + " columns, " + simd::name(isa_) +
           " kernels " + tiles_.columns().factors() + " on " + std::to_string(tiles_.lanes()) +
           " lines, streamed by line";
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  typename ColumnTiles<Real>::Scratch scratch(int thread) const {
    std::byte *plane = scratch_.data() + static_cast<std::size_t>(thread) * scratch_each_;
    return {plane, plane + tiles_.plane_bytes(),
            pointers_.data() + static_cast<std::size_t>(thread) * tiles_.pointers()};
  }

  SplitRows source_, destination_;
  int threads_;
  simd::Isa isa_;
  ColumnTiles<Real> tiles_;
  std::size_t scratch_each_;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< one part for each thread
};

/// FFTs along columns whose results are streamed at any alignment. All columns of a row are
/// transformed in cache before the first one is written. Returns nullptr in three cases: streaming
/// gains nothing, the lines are short or in place, or the cache is too small.
template <class Real>
std::unique_ptr<Pass> make_streamed_column_pass(const SplitRows &source,
                                                const SplitRows &destination, int sign,
                                                const PassOptions &options) {
  if (options.store != simd::Store::streamed || source == destination || source.has_gaps() ||
      streams_to<Real>(destination) || !has_long_lines<Real>(destination) ||
      !fits_second_level(static_cast<std::size_t>(source.columns * source.vec) * 2 * sizeof(Real)))
    return nullptr;
  return std::make_unique<StreamedColumnPass<Real>>(source, destination, sign, options);
}

} // namespace

template <class Real>
std::unique_ptr<Pass> make_simd_column_pass(const SplitRows &source, const SplitRows &destination,
                                            int sign, const PassOptions &options) {
  if (!LineFft<Real>::applies(options.isa, source.columns)) return nullptr;
  // If columns have one element in each row and are adjacent, the line pass reads whole lines.
  if (source.vec == 1 && source.rows > 1 && !(rows_adjoin(source) && rows_adjoin(destination)) &&
      (has_runs(source) || has_runs(destination)))
    return make_simd_line_pass<Real>({Kind::c2c, sign, {source.columns}, 1}, source, destination,
                                     source == destination, options);
  if (auto pass = make_streamed_column_pass<Real>(source, destination, sign, options)) return pass;
  return std::make_unique<SimdColumnPass<Real>>(source, destination, sign, options);
}

template std::unique_ptr<Pass> make_simd_column_pass<float>(const SplitRows &, const SplitRows &,
                                                            int, const PassOptions &);
template std::unique_ptr<Pass> make_simd_column_pass<double>(const SplitRows &, const SplitRows &,
                                                             int, const PassOptions &);

} // namespace hybridfft::local
