#include "local/simd_cosines.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/threads.h"
#include "local/line_tiles.h"
#include "local/simd_lines.h"
#include "local/tile.h"

namespace hybridfft::local {

namespace {

bool is_sine(LineKind kind) {
  return kind == LineKind::rodft10 || kind == LineKind::rodft01 || kind == LineKind::rodft11;
}
bool is_fourth(LineKind kind) { return kind == LineKind::redft11 || kind == LineKind::rodft11; }
/// Points of the Fourier transform of a line of n points.
std::ptrdiff_t fourier_points(LineKind kind, std::ptrdiff_t n) {
  return is_fourth(kind) ? n / 2 : n;
}
/// Type II transforms real lines to spectra, type III spectra to lines.
bool is_second(LineKind kind) { return kind == LineKind::redft10 || kind == LineKind::rodft10; }

/// Pass over matrices of reals. A tile has two real lines per vector lane. Adjacent tiles are read
/// and written in place; other lines are staged.
template <class Real> class SimdCosinePass final : public Pass {
public:
  SimdCosinePass(const SplitRows &source, const SplitRows &destination, LineKind kind,
                 const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), kind_(kind),
        threads_(options.threads), streamed_(options.store == simd::Store::streamed &&
                                             !(source == destination) && aligns(destination)),
        one_run_(rows_adjoin(source) && rows_adjoin(destination)), isa_(options.isa),
        n_(source.columns),
        fft_(options.isa, fourier_points(kind, n_), is_second(kind) || is_fourth(kind) ? -1 : 1,
             static_cast<Real>(options.scale)),
        width_(2 * fft_.lanes()), tiles_(std::clamp<std::ptrdiff_t>(
                                      (one_run_ ? source.rows : 1) * source.vec / width_, 1,
                                      cached_tiles_of_run<Real>(fft_.lanes(), 2 * bytes_of(n_)))) {
    run_bytes_ = static_cast<std::size_t>(tiles_) * bytes_of(n_ + 1);
    scratch_each_ = 2 * run_bytes_ + whole_lines(fft_.work_bytes()) + bytes_of(n_);
    scratch_ = Memory(scratch_each_ * static_cast<std::size_t>(threads_), threads_);
    pointers_.resize(static_cast<std::size_t>(2 * n_ * threads_));
    make_tables();
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const LineTiles tiles(rows, source_.vec, one_run_, width_, tiles_);
    parallel_ranges(tiles.count(), threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      Worker worker(*this, source, destination, thread);
                      for (std::ptrdiff_t i = first, count = 1; i < last; i += count) {
                        count = tiles.together(i, last);
                        worker.transform(tiles.box(i, count));
                        if (thread == 0 && i % poll_interval < count) poll();
                      }
                      if (streamed_) fft_.moves().fence();
                    });
  }

  bool in_place() const override { return source_ == destination_; }

  std::string describe() const override {
    return std::string(name(kind_)) + " of " + std::to_string(source_.columns) + " columns, " +
           simd::name(isa_) + " kernels " + fft_.factors() + " on " + std::to_string(width_) +
           " lines" + (streamed_ ? ", streamed" : "");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t line = alignment / sizeof(Real);

  /// Bytes of a tile of so many points, in whole cache lines.
  std::size_t bytes_of(std::ptrdiff_t points) const {
    return whole_lines(static_cast<std::size_t>(points * width_) * sizeof(Real));
  }
  /// Reals from one of several tiles to the next.
  std::ptrdiff_t tile_step() const {
    return static_cast<std::ptrdiff_t>(bytes_of(n_ + 1) / sizeof(Real));
  }

  /// Returns true if every row and column begins at a cache line.
  static bool aligns(const SplitRows &m) {
    return std::all_of(m.pieces.begin(), m.pieces.end(), [&m](const Piece &p) {
      return p.base % line == 0 && p.column_stride % line == 0 &&
             (m.rows == 1 || p.row_stride % line == 0);
    });
  }

  /// Appends factor * exp(i pi numerator / denominator).
  static void append_root(std::vector<Real> &roots, long double factor, std::ptrdiff_t numerator,
                          std::ptrdiff_t denominator) {
    const long double angle = std::numbers::pi_v<long double> *
                              static_cast<long double>(numerator) /
                              static_cast<long double>(denominator);
    roots.push_back(static_cast<Real>(factor * std::cos(angle)));
    roots.push_back(static_cast<Real>(factor * std::sin(angle)));
  }

  void make_tables() {
    const std::ptrdiff_t n = n_;
    for (std::ptrdiff_t k = 0; !is_fourth(kind_) && 2 * k <= n; ++k)
      append_root(roots_, 1, k, 2 * n);
    for (std::ptrdiff_t k = 0; is_fourth(kind_) && 2 * k < n; ++k) {
      append_root(roots_, 1, -(4 * k + 1), 4 * n);
      append_root(last_roots_, 2, -k, n);
    }
    // A sine transform is the reversed cosine transform of a line with alternating signs.
    for (std::ptrdiff_t j = 0; is_sine(kind_) && j < n; ++j)
      signs_.insert(signs_.end(), {static_cast<Real>(2 * j < n ? 1 : -1), Real(0)});
    for (std::ptrdiff_t c = 0; c < n; ++c) {
      line_order_.push_back(c % 2 == 0 ? c / 2 : n - 1 - c / 2);
      spectrum_order_.push_back(is_sine(kind_) ? n - 1 - c : c);
    }
  }

  /// Scratch and pointers of one thread.
  class Worker {
  public:
    Worker(const SimdCosinePass &pass, std::byte *source, std::byte *destination, int thread)
        : pass_(pass), source_(reals(source)), destination_(reals(destination)),
          first_(pass.scratch_.data() + static_cast<std::size_t>(thread) * pass.scratch_each_),
          second_(first_ + pass.run_bytes_), work_(second_ + pass.run_bytes_),
          staging_(work_ + whole_lines(pass.fft_.work_bytes())),
          in_(pass.pointers_.data() + 2 * pass.n_ * thread), out_(in_ + pass.n_) {}

    void transform(TileBox box) {
      if (box.rows == 1 && box.vec >= pass_.width_) {
        const std::ptrdiff_t whole = box.vec / pass_.width_;
        transform_directly(box, whole);
        box.first_vec += whole * pass_.width_;
        box.vec -= whole * pass_.width_;
      }
      if (box.vec > 0) transform_staged(box);
    }

  private:
    void transform_directly(const TileBox &box, std::ptrdiff_t tiles) {
      if (row_ != box.first_row) {
        row_ = box.first_row;
        for (const Piece &p : pass_.source_.pieces)
          for (std::ptrdiff_t c = 0; c < p.count; ++c)
            in_[pass_.place_in(p.first + c)] =
                source_ + p.base + row_ * p.row_stride + c * p.column_stride;
        for (const Piece &p : pass_.destination_.pieces)
          for (std::ptrdiff_t c = 0; c < p.count; ++c)
            out_[pass_.place_out(p.first + c)] =
                destination_ + p.base + row_ * p.row_stride + c * p.column_stride;
      }
      const bool streamed = pass_.streamed_ && is_aligned(destination_ + box.first_vec);
      const Output otherwise = source_ == destination_ ? Output::in_runs : Output::by_point;
      pass_.transform({in_, out_, box.first_vec, streamed ? Output::streamed : otherwise}, tiles,
                      reals(first_), reals(second_), reals(work_));
    }

    void transform_staged(const TileBox &box) {
      const std::ptrdiff_t width = pass_.width_;
      const TileStrides strides{box.vec, width, 1};
      gather_tile(pass_.isa_, sizeof(Real), pass_.source_, box,
                  reinterpret_cast<const std::byte *>(source_), staging_, strides);
      row_ = -1;
      for (std::ptrdiff_t c = 0; c < pass_.n_; ++c) {
        in_[pass_.place_in(c)] = reals(staging_) + width * c;
        out_[pass_.place_out(c)] = reals(staging_) + width * c;
      }
      pass_.transform({in_, out_, 0, Output::in_runs}, 1, reals(first_), reals(second_),
                      reals(work_));
      scatter_tile(pass_.isa_, sizeof(Real), pass_.destination_, box, staging_, strides,
                   reinterpret_cast<std::byte *>(destination_));
    }

    static Real *reals(std::byte *p) { return reinterpret_cast<Real *>(p); }

    const SimdCosinePass &pass_;
    Real *source_, *destination_;
    std::byte *first_, *second_, *work_, *staging_;
    Real **in_, **out_;
    std::ptrdiff_t row_ = -1; ///< row of the current pointers
  };

  /// Returns the pointer number of a column: the place of its point in the first tile, and in the
  /// last one.
  std::size_t place_in(std::ptrdiff_t column) const {
    const auto c = static_cast<std::size_t>(column);
    // Type IV: the cosine transform of the reversed line, with alternating signs.
    if (!is_second(kind_)) return static_cast<std::size_t>(spectrum_order_[c]);
    const std::ptrdiff_t j = line_order_[c];
    return static_cast<std::size_t>(is_sine(kind_) ? j : fft_.positions()[j]);
  }
  std::size_t place_out(std::ptrdiff_t column) const {
    const auto c = static_cast<std::size_t>(column);
    if (is_fourth(kind_)) return c;
    return static_cast<std::size_t>(is_second(kind_) ? spectrum_order_[c] : line_order_[c]);
  }

  /// Pointers to the points of lines, `offset` reals before the first line.
  struct Lines {
    Real *const *in;
    Real *const *out;
    std::ptrdiff_t offset;
    Output output;
  };

  void transform(const Lines &lines, std::ptrdiff_t count, Real *first, Real *second,
                 Real *work) const {
    const simd::FftTiles<Real> a{first, count, tile_step()};
    const simd::FftTiles<Real> b{second, count, tile_step()};
    if (is_fourth(kind_))
      by_halves(lines, a, b, work);
    else if (is_second(kind_))
      to_spectra(lines, a, b, work);
    else
      to_lines(lines, a, b, work);
  }

  void to_spectra(const Lines &lines, const simd::FftTiles<Real> &a, const simd::FftTiles<Real> &b,
                  Real *work) const {
    const auto &moves = fft_.moves();
    const std::ptrdiff_t n = n_;
    const bool sine = is_sine(kind_);
    if (sine)
      moves.gather_points(lines.in, n, lines.offset, b);
    else
      fft_.run_to_tiles(lines.in, lines.offset, a, work);
    for (std::ptrdiff_t t = 0; t < a.count; ++t) {
      Real *tile = a.first + t * a.stride;
      if (sine) {
        moves.multiply(n, b.first + t * b.stride, signs_.data(), fft_.positions(), tile);
        fft_.run_in_tile(tile, work);
      }
      moves.to_cosines(n, roots_.data(), tile);
    }
    write_points(moves, a, n, lines.out, lines.offset, lines.output);
  }

  void to_lines(const Lines &lines, const simd::FftTiles<Real> &a, const simd::FftTiles<Real> &b,
                Real *work) const {
    const auto &moves = fft_.moves();
    const std::ptrdiff_t n = n_;
    const bool sine = is_sine(kind_);
    moves.gather_points(lines.in, n, lines.offset, a);
    for (std::ptrdiff_t t = 0; t < a.count; ++t) {
      Real *tile = b.first + t * b.stride;
      moves.from_cosines(n, roots_.data(), a.first + t * a.stride, fft_.positions(), tile);
      if (!sine) continue;
      fft_.run_in_tile(tile, work);
      moves.multiply(n, tile, signs_.data(), nullptr, tile);
    }
    if (sine)
      write_points(moves, b, n, lines.out, lines.offset, lines.output);
    else
      fft_.run_from_tiles(b, false, lines.out, lines.offset, width_ * b.count, lines.output, work);
  }

  void by_halves(const Lines &lines, const simd::FftTiles<Real> &a, const simd::FftTiles<Real> &b,
                 Real *work) const {
    const auto &moves = fft_.moves();
    moves.gather_points(lines.in, n_, lines.offset, a);
    for (std::ptrdiff_t t = 0; t < a.count; ++t) {
      Real *tile = a.first + t * a.stride;
      Real *first = b.first + t * b.stride;
      Real *second = first + n_ / 2 * width_;
      moves.fold_lines(n_, roots_.data(), tile, fft_.positions(), first, second);
      fft_.run_in_tile(first, work);
      fft_.run_in_tile(second, work);
      moves.unfold_lines(n_, last_roots_.data(), static_cast<Real>(is_sine(kind_) ? 1 : -1), first,
                         second, tile);
    }
    write_points(moves, a, n_, lines.out, lines.offset, lines.output);
  }

  SplitRows source_, destination_;
  LineKind kind_;
  int threads_;
  bool streamed_;
  bool one_run_;
  simd::Isa isa_;
  std::ptrdiff_t n_; ///< points of a line
  LineFft<Real> fft_;
  std::ptrdiff_t width_;                   ///< real lines of a tile
  std::ptrdiff_t tiles_;                   ///< concurrent tiles
  std::vector<Real> last_roots_;           ///< of unfold_lines(); those of fold_lines() are roots_
  std::vector<Real> roots_;                ///< of to_cosines() and from_cosines()
  std::vector<Real> signs_;                ///< of the points of lines; empty for cosines
  std::vector<std::ptrdiff_t> line_order_; ///< place of each column in the reordered line
  std::vector<std::ptrdiff_t> spectrum_order_; ///< number of each column in the cosine transform
  std::size_t run_bytes_ = 0, scratch_each_ = 0;
  Memory scratch_;
  mutable std::vector<Real *> pointers_; ///< one part per thread
};

} // namespace

template <class Real> bool has_simd_cosines(simd::Isa isa, LineKind kind, std::ptrdiff_t n) {
  const bool third = kind == LineKind::redft01 || kind == LineKind::rodft01;
  const bool fourth = is_fourth(kind) && n % 2 == 0;
  return (is_second(kind) || third || fourth) &&
         LineFft<Real>::applies(isa, fourier_points(kind, n));
}

template <class Real>
std::unique_ptr<Pass> make_simd_cosine_pass(const SplitRows &source, const SplitRows &destination,
                                            LineKind kind, const PassOptions &options) {
  if (!has_simd_cosines<Real>(options.isa, kind, source.columns)) return nullptr;
  return std::make_unique<SimdCosinePass<Real>>(source, destination, kind, options);
}

#define HFFT_SIMD_COSINES(R)                                                                       \
  template bool has_simd_cosines<R>(simd::Isa, LineKind, std::ptrdiff_t);                          \
  template std::unique_ptr<Pass> make_simd_cosine_pass<R>(const SplitRows &, const SplitRows &,    \
                                                          LineKind, const PassOptions &);
HFFT_SIMD_COSINES(float)
HFFT_SIMD_COSINES(double)
#undef HFFT_SIMD_COSINES

} // namespace hybridfft::local
