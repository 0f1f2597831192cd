// Transforms of real lines with SIMD kernels: between reals, and between reals and half spectra.
// Two real lines share a vector lane, as real and imaginary part.
#include "local/simd_passes.h"

#include <algorithm>
#include <vector>

#include "local/box_copy.h"
#include "local/real_lines.h"
#include "local/simd_lines.h"

namespace hybridfft::local {

namespace {

/// Pass over matrices with real lines in source, destination or both. A tile has two real lines per
/// vector lane. Adjacent tiles are read and written directly; other lines are copied to a buffer
/// first.
template <class Real> class SimdRealPass final : public Pass {
public:
  SimdRealPass(const SplitRows &source, const SplitRows &destination,
               const ColumnTransform &transform, std::ptrdiff_t n, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination),
        in_reals_(transform.kind == Kind::c2r ? 2 : 1),
        out_reals_(transform.kind == Kind::r2c ? 2 : 1), threads_(options.threads),
        streamed_(options.store == simd::Store::streamed && !(source == destination) &&
                  lines_align<Real>(destination, out_reals_)),
        one_run_(rows_adjoin(source) && rows_adjoin(destination)), isa_(options.isa), n_(n),
        lines_(options.isa, transform, n, static_cast<Real>(options.scale)),
        width_(2 * lines_.fft().lanes()),
        tiles_(std::clamp<std::ptrdiff_t>(
            (one_run_ ? source.rows : 1) * source.vec / width_, 1,
            cached_tiles_of_run<Real>(lines_.fft().lanes(), 2 * bytes_of(n)))),
        in_place_(source == destination && in_reals_ == out_reals_),
        contiguous_(is_contiguous(source) && is_contiguous(destination) && !one_run_ &&
                    lines_.takes_contiguous()) {
    columns_ = std::max(source.columns, destination.columns);
    run_bytes_ = static_cast<std::size_t>(tiles_) * bytes_of(lines_.room());
    const std::ptrdiff_t staged =
        std::max(in_reals_ * source.columns, out_reals_ * destination.columns);
    scratch_each_ = 2 * run_bytes_ + whole_lines(lines_.fft().work_bytes()) + bytes_of(staged);
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_.resize(pointers_each() * static_cast<std::size_t>(threads_));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const LineTiles tiles(rows, source_.vec, one_run_, width_, tiles_);
    transform_tiles(
        tiles, threads_, poll,
        [&](int thread) { return Worker(*this, source, destination, thread); },
        [&] {
          if (streamed_) lines_.fft().moves().fence();
        });
  }

  bool in_place() const override { return in_place_; }

  std::string describe() const override {
    return lines_.name() + " of " + std::to_string(n_) + " columns, " + simd::name(isa_) +
           " kernels " + lines_.fft().factors() + " on " + std::to_string(width_) + " lines" +
           (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  /// Returns the bytes of `points` reals of each line of a tile, in complete cache lines.
  std::size_t bytes_of(std::ptrdiff_t points) const {
    return whole_lines(static_cast<std::size_t>(points * width_) * sizeof(Real));
  }
  static bool is_contiguous(const SplitRows &m) {
    return m.vec == 1 && m.pieces.size() == 1 &&
           (m.columns == 1 || m.pieces.front().column_stride == 1);
  }
  std::size_t pointers_each() const {
    return lines_.in_columns().size() + lines_.out_columns().size() +
           static_cast<std::size_t>(std::max(columns_, 2 * width_));
  }

  /// Scratch and pointers of one thread.
  class Worker {
  public:
    Worker(const SimdRealPass &pass, std::byte *source, std::byte *destination, int thread)
        : pass_(pass), source_(reals(source)), destination_(reals(destination)),
          first_(pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_),
          second_(first_ + pass.run_bytes_), work_(second_ + pass.run_bytes_),
          staging_(work_ + whole_lines(pass.lines_.fft().work_bytes())),
          in_(pass.pointers_.data() + static_cast<std::size_t>(thread) * pass.pointers_each()),
          out_(in_ + pass.lines_.in_columns().size()),
          columns_(out_ + pass.lines_.out_columns().size()) {}

    void transform(TileBox box) {
      if (pass_.contiguous_) return transform_contiguous(box);
      if (box.rows == 1 && box.vec >= pass_.width_) {
        const std::ptrdiff_t whole = box.vec / pass_.width_;
        transform_directly(box, whole);
        box.first_vec += whole * pass_.width_;
        box.vec -= whole * pass_.width_;
      }
      if (box.vec > 0) transform_staged(box);
    }

  private:
    void transform_contiguous(const TileBox &box) {
      const Piece &from = pass_.source_.pieces.front();
      const Piece &to = pass_.destination_.pieces.front();
      Real **in = columns_;
      Real **out = in + pass_.width_;
      for (std::ptrdiff_t l = 0; l < box.rows; ++l) {
        in[l] = source_ + from.base + (box.first_row + l) * from.row_stride;
        out[l] = destination_ + to.base + (box.first_row + l) * to.row_stride;
      }
      pass_.lines_.transform_contiguous(in, out, box.rows, reals(first_), reals(second_),
                                        reals(work_));
    }

    void transform_directly(const TileBox &box, std::ptrdiff_t tiles) {
      const std::ptrdiff_t in_reals = pass_.in_reals_;
      const std::ptrdiff_t out_reals = pass_.out_reals_;
      if (row_ != box.first_row) {
        row_ = box.first_row;
        point_at_row(pass_.source_, in_reals, source_);
        place(pass_.lines_.in_columns(), in_);
        point_at_row(pass_.destination_, out_reals, destination_);
        place(pass_.lines_.out_columns(), out_);
      }
      const std::ptrdiff_t to = out_reals * box.first_vec;
      const bool streamed = pass_.streamed_ && is_aligned(destination_ + to);
      const Output otherwise = source_ == destination_ ? Output::in_runs : Output::by_point;
      run({in_, out_, in_reals * box.first_vec, to, streamed ? Output::streamed : otherwise},
          tiles);
    }

    void transform_staged(const TileBox &box) {
      const std::ptrdiff_t width = pass_.width_;
      const TileStrides strides{box.vec, width, 1};
      gather_tile(pass_.isa_, sizeof(Real) * static_cast<std::size_t>(pass_.in_reals_),
                  pass_.source_, box, reinterpret_cast<const std::byte *>(source_), staging_,
                  strides);
      row_ = -1;
      point_at_staging(pass_.in_reals_);
      place(pass_.lines_.in_columns(), in_);
      point_at_staging(pass_.out_reals_);
      place(pass_.lines_.out_columns(), out_);
      run({in_, out_, 0, 0, Output::in_runs}, 1);
      scatter_tile(pass_.isa_, sizeof(Real) * static_cast<std::size_t>(pass_.out_reals_),
                   pass_.destination_, box, staging_, strides,
                   reinterpret_cast<std::byte *>(destination_));
    }

    void point_at_row(const SplitRows &m, std::ptrdiff_t element, Real *array) {
      for (const Piece &p : m.pieces)
        for (std::ptrdiff_t c = 0; c < p.count; ++c)
          columns_[p.first + c] =
              array + element * (p.base + row_ * p.row_stride + c * p.column_stride);
    }
    void point_at_staging(std::ptrdiff_t element) {
      for (std::ptrdiff_t c = 0; c < pass_.columns_; ++c)
        columns_[c] = reals(staging_) + element * pass_.width_ * c;
    }
    void place(const std::vector<std::ptrdiff_t> &order, Real **points) {
      for (std::size_t i = 0; i < order.size(); ++i)
        points[i] = columns_[order[i]];
    }

    void run(const typename RealLines<Real>::LinePointers &lines, std::ptrdiff_t tiles) {
      const std::ptrdiff_t step = pass_.lines_.room() * pass_.width_;
      pass_.lines_.transform(lines, {reals(first_), tiles, step}, {reals(second_), tiles, step},
                             reals(work_));
    }

    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdRealPass &pass_;
    Real *source_, *destination_;
    std::byte *first_, *second_, *work_, *staging_;
    Real **in_, **out_;
    Real **columns_;          ///< address of each column of the source or of the destination
    std::ptrdiff_t row_ = -1; ///< row of the present pointers
  };

  SplitRows source_, destination_;
  std::ptrdiff_t in_reals_, out_reals_; ///< reals of an element
  int threads_;
  bool streamed_;
  bool one_run_;
  simd::Isa isa_;
  std::ptrdiff_t n_; ///< points of a real line
  RealLines<Real> lines_;
  std::ptrdiff_t width_; ///< number of real lines in a tile
  std::ptrdiff_t tiles_; ///< number of tiles transformed together
  bool in_place_;
  bool contiguous_;            ///< true if lines are contiguous in source and destination
  std::ptrdiff_t columns_ = 0; ///< number of columns of source or destination, whichever has more
  std::size_t run_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< one part for each thread
};

} // namespace

template <class Real>
bool has_simd_reals(simd::Isa isa, const ColumnTransform &transform, std::ptrdiff_t n) {
  return RealLines<Real>::applies(isa, transform, n);
}

template <class Real>
std::unique_ptr<Pass> make_simd_real_pass(const SplitRows &source, const SplitRows &destination,
                                          const ColumnTransform &transform, std::ptrdiff_t n,
                                          const PassOptions &options) {
  if (!has_simd_reals<Real>(options.isa, transform, n)) return nullptr;
  return std::make_unique<SimdRealPass<Real>>(source, destination, transform, n, options);
}

#define HFFT_SIMD_REALS(R)                                                                         \
  template bool has_simd_reals<R>(simd::Isa, const ColumnTransform &, std::ptrdiff_t);             \
  template std::unique_ptr<Pass> make_simd_real_pass<R>(const SplitRows &, const SplitRows &,      \
                                                        const ColumnTransform &, std::ptrdiff_t,   \
                                                        const PassOptions &);
HFFT_SIMD_REALS(float)
HFFT_SIMD_REALS(double)
#undef HFFT_SIMD_REALS

} // namespace hybridfft::local
