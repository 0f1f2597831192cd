// FFTs of one line at a time by FFTW, in aligned scratch memory. Used by deterministic plans: the
// arithmetic of a line then depends only on the line.
#include "local/simd_passes.h"

#include <algorithm>
#include <cstring>

#include "base/memory.h"
#include "base/threads.h"
#include "local/box_copy.h"

namespace hybridfft::local {

namespace {

/// Rounds `bytes` up to whole cache lines.
std::ptrdiff_t padded(std::ptrdiff_t bytes) {
  constexpr auto line = static_cast<std::ptrdiff_t>(alignment);
  return (bytes + line - 1) / line * line;
}

/// Scratch of each thread: two areas.
class Scratch {
public:
  Scratch(std::ptrdiff_t each, int threads)
      : each_(padded(each)), memory_(static_cast<std::size_t>(2 * each_ * threads), threads) {}
  std::byte *first(int thread) const { return memory_.data() + 2 * thread * each_; }
  std::byte *second(int thread) const { return first(thread) + each_; }
  std::size_t bytes() const { return memory_.bytes(); }

private:
  std::ptrdiff_t each_;
  Memory memory_;
};

/// Column pass that copies a group of lines to scratch: at each column, their elements fill a cache
/// line.
template <class Real> class SingleColumnPass final : public Pass {
public:
  SingleColumnPass(const SplitRows &source, const SplitRows &destination,
                   const ColumnTransform &transform, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), threads_(options.threads),
        scale_(options.scale), element_(transform.element<Real>()),
        group_(static_cast<std::ptrdiff_t>(alignment) / element_),
        stride_(padded(source.columns * element_)),
        scratch_(stride_ * std::min(group_, std::max<std::ptrdiff_t>(source.vec, 1)), threads_) {
    if (source.elements() != 0)
      fft_ = Fft<Real>::reproducible(
          {transform.kind, transform.sign, {{source.columns, 1, 1}}, {}, transform.line});
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const std::ptrdiff_t across = (source_.vec + group_ - 1) / group_;
    parallel_ranges((rows.last - rows.first) * across, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        const std::ptrdiff_t v = i % across * group_;
                        transform(
                            {rows.first + i / across, 1, v, std::min(group_, source_.vec - v)},
                            source, destination, thread);
                        if (thread == 0) poll();
                      }
                    });
  }

  bool in_place() const override { return source_ == destination_; }
  std::string describe() const override {
    return "FFT of " + std::to_string(source_.columns) + " columns one by one";
  }
  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t real = sizeof(Real);

  void transform(const TileBox &box, const std::byte *source, std::byte *destination,
                 int thread) const {
    std::byte *in = scratch_.first(thread);
    std::byte *out = scratch_.second(thread);
    const TileStrides strides{0, 1, stride_ / element_};
    const auto element = static_cast<std::size_t>(element_);
    gather_tile(isa_, element, source_, box, source, in, strides);
    for (std::ptrdiff_t l = 0; l < box.vec; ++l)
      fft_.execute(in + l * stride_, out + l * stride_);
    scale_lines<Real>(out, box.vec, source_.columns * element_ / real, stride_ / real, scale_);
    scatter_tile(isa_, element, destination_, box, out, strides, destination);
  }

  SplitRows source_, destination_;
  int threads_;
  double scale_;
  std::ptrdiff_t element_; ///< bytes of a number
  std::ptrdiff_t group_;   ///< numbers in a cache line
  std::ptrdiff_t stride_;  ///< bytes between two lines in the scratch
  Scratch scratch_;
  simd::Isa isa_ = simd::active();
  Fft<Real> fft_;
};

template <class Real> class SingleRowPass final : public Pass {
public:
  SingleRowPass(const PlaneTransform &transform, const SplitRows &source,
                const SplitRows &destination, bool in_place, const PassOptions &options)
      : Pass(source.rows), kind_(transform.kind), source_(source), destination_(destination),
        in_place_(in_place), threads_(options.threads), scale_(options.scale),
        real_bytes_(source.columns * source.vec * element - padding_bytes(transform)),
        scratch_(source.columns * source.vec * element, threads_) {
    if (source.elements() != 0) fft_ = Fft<Real>::reproducible(shape_of(transform, 1));
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    parallel_ranges(rows.last - rows.first, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        transform(rows.first + i, source, destination, thread);
                        if (thread == 0) poll();
                      }
                    });
  }

  bool in_place() const override { return in_place_; }
  std::string describe() const override {
    return "FFT of " + std::to_string(source_.rows) + " rows one by one";
  }
  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t real = sizeof(Real);
  static constexpr std::ptrdiff_t element = 2 * real;

  /// Returns the bytes of padding after the last line of a row of reals.
  static std::ptrdiff_t padding_bytes(const PlaneTransform &t) {
    const std::ptrdiff_t n = t.extents.back();
    return (2 * (n / 2 + 1) - n) * t.howmany * static_cast<std::ptrdiff_t>(sizeof(Real));
  }

  void transform(std::ptrdiff_t row, const std::byte *source, std::byte *destination,
                 int thread) const {
    const TileBox box{row, 1, 0, source_.vec};
    const TileStrides tight{source_.columns * source_.vec, source_.vec, 1};
    std::byte *in = scratch_.first(thread);
    std::byte *out = scratch_.second(thread);
    if (kind_ == Kind::r2c)
      std::memcpy(in, source + begin_of_reals(source_, row), reals());
    else
      gather_tile(isa_, element, source_, box, source, in, tight);
    fft_.execute(in, out);
    const std::ptrdiff_t complex = destination_.columns * destination_.vec;
    scale_lines<Real>(out, 1, kind_ == Kind::c2r ? real_bytes_ / real : 2 * complex, 0, scale_);
    if (kind_ == Kind::c2r)
      std::memcpy(destination + begin_of_reals(destination_, row), out, reals());
    else
      scatter_tile(isa_, element, destination_, box, out, tight, destination);
  }

  /// Returns the byte offset of a row of reals. Such rows are contiguous. The padding after a row
  /// is neither read nor written, because an array may end without the padding of its last line.
  static std::ptrdiff_t begin_of_reals(const SplitRows &m, std::ptrdiff_t row) {
    return (m.pieces.front().base + row * m.pieces.front().row_stride) * element;
  }
  std::size_t reals() const { return static_cast<std::size_t>(real_bytes_); }

  Kind kind_;
  SplitRows source_, destination_;
  bool in_place_;
  int threads_;
  double scale_;
  std::ptrdiff_t real_bytes_; ///< bytes of a row of reals, without its last padding
  Scratch scratch_;
  simd::Isa isa_ = simd::active();
  Fft<Real> fft_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_single_column_pass(const SplitRows &source, const SplitRows &destination,
                                              const ColumnTransform &transform,
                                              const PassOptions &options) {
  return std::make_unique<SingleColumnPass<Real>>(source, destination, transform, options);
}

template <class Real>
std::unique_ptr<Pass> make_single_row_pass(const PlaneTransform &transform, const SplitRows &source,
                                           const SplitRows &destination, bool in_place,
                                           const PassOptions &options) {
  return std::make_unique<SingleRowPass<Real>>(transform, source, destination, in_place, options);
}

#define HFFT_SINGLE_LINES(R)                                                                       \
  template std::unique_ptr<Pass> make_single_column_pass<R>(                                       \
      const SplitRows &, const SplitRows &, const ColumnTransform &, const PassOptions &);         \
  template std::unique_ptr<Pass> make_single_row_pass<R>(                                          \
      const PlaneTransform &, const SplitRows &, const SplitRows &, bool, const PassOptions &);
HFFT_SINGLE_LINES(float)
HFFT_SINGLE_LINES(double)

} // namespace hybridfft::local
