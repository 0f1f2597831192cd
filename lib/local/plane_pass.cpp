#include "local/passes.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "local/box_copy.h"
#include "local/simd_passes.h"

namespace hybridfft::local {

FftwShape shape_of(const PlaneTransform &t, std::ptrdiff_t rows) {
  FftwShape shape{t.kind, t.sign, {}, {}};
  std::ptrdiff_t in = t.howmany;
  std::ptrdiff_t out = t.howmany;
  for (std::size_t i = t.extents.size(); i-- > 0;) {
    const std::ptrdiff_t n = t.extents[i];
    shape.transform.insert(shape.transform.begin(), {n, in, out});
    const bool halved = i + 1 == t.extents.size() && t.kind != Kind::c2c;
    const std::ptrdiff_t half = n / 2 + 1;
    in *= halved ? (t.kind == Kind::r2c ? 2 * half : half) : n;
    out *= halved ? (t.kind == Kind::c2r ? 2 * half : half) : n;
  }
  if (t.howmany > 1) shape.batch.push_back({t.howmany, 1, 1});
  if (rows > 1) shape.batch.push_back({rows, in, out});
  return shape;
}

namespace {

std::string describe_extents(const PlaneTransform &t) {
  std::string text;
  for (const std::ptrdiff_t n : t.extents)
    text += (text.empty() ? "" : "x") + std::to_string(n);
  return text + (t.kind == Kind::r2c ? " real" : t.kind == Kind::c2r ? " to real" : "");
}

template <class Real> class PlanePass final : public Pass {
public:
  PlanePass(const PlaneTransform &transform, const SplitRows &source, const SplitRows &destination,
            bool in_place, const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), in_place_(in_place),
        name_(describe_extents(transform)), threads_(options.threads),
        row_bytes_(source.columns * source.vec * element), scale_(options.scale) {
    const std::ptrdiff_t n = transform.extents.back();
    const bool to_reals = transform.kind == Kind::c2r;
    line_stride_ = transform.howmany * (transform.kind == Kind::c2c ? 2 * n : 2 * (n / 2 + 1));
    line_ = to_reals ? transform.howmany * n : line_stride_;
    if (!source.is_tight() && !destination.is_tight())
      throw Failure(HFFT_ERROR_INTERNAL, "a plane pass needs one tight side");
    group_ = choose_group(options);
    if (source.elements() != 0) plan(transform, options);
    if (staged_ || !source_.is_tight() || !destination_.is_tight())
      scratch_ = Memory(static_cast<std::size_t>(group_bytes() * threads_), threads_);
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const std::ptrdiff_t begin = rows.first / group_;
    const std::ptrdiff_t end = (rows.last + group_ - 1) / group_;
    parallel_ranges(end - begin, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      std::byte *scratch = scratch_.data() + thread * group_bytes();
                      for (std::ptrdiff_t g = begin + first; g < begin + last; ++g) {
                        transform_group(g * group_, source, scratch, destination);
                        if (thread == 0) poll();
                      }
                    });
  }

  bool in_place() const override { return in_place_; }
  std::ptrdiff_t row_unit() const override { return group_; }

  std::string describe() const override {
    return "FFT of " + name_ + " in groups of " + std::to_string(group_) + " rows" +
           (destination_.is_tight() ? source_.is_tight() ? "" : ", gathered" : ", scattered");
  }

  std::size_t scratch_bytes() const override { return scratch_.bytes(); }

private:
  static constexpr std::ptrdiff_t real = sizeof(Real);
  static constexpr std::ptrdiff_t element = 2 * real;

  /// Returns the bytes of scratch of one thread, in complete cache lines.
  std::ptrdiff_t group_bytes() const {
    constexpr auto line = static_cast<std::ptrdiff_t>(alignment);
    return (group_ * row_bytes_ + line - 1) / line * line;
  }

  /// Returns the number of rows per call of FFTW: enough to fill the tile, and few enough to give
  /// work to all threads.
  std::ptrdiff_t choose_group(const PassOptions &options) const {
    const std::ptrdiff_t fit = options.tile_bytes / std::max<std::ptrdiff_t>(row_bytes_, 1);
    const std::ptrdiff_t share = source_.rows / (4 * options.threads);
    return std::max<std::ptrdiff_t>(std::min(fit, share), 1);
  }

  /// Plans the transform. FFTW cannot plan some in-place transforms (r2c of length 1 with howmany);
  /// these use the scratch.
  void plan(const PlaneTransform &transform, const PassOptions &options) {
    try {
      plan_groups(transform, options);
    } catch (const Failure &) {
      if (!in_place_) throw;
      staged_ = true;
      plan_groups(transform, options);
    }
  }

  void plan_groups(const PlaneTransform &transform, const PassOptions &options) {
    const auto plan_rows = [&](std::ptrdiff_t rows) {
      return Fft<Real>(shape_of(transform, rows), in_place_ && !staged_, options.effort, 1,
                       group_ * row_bytes_ % 16 != 0);
    };
    ffts_[0] = plan_rows(group_);
    if (const std::ptrdiff_t rest = source_.rows % group_; rest != 0) ffts_[1] = plan_rows(rest);
  }

  void transform_group(std::ptrdiff_t first, std::byte *source, std::byte *scratch,
                       std::byte *destination) const {
    const TileBox box{first, std::min(group_, source_.rows - first), 0, source_.vec};
    const TileStrides tight{source_.columns * source_.vec, source_.vec, 1};
    const Fft<Real> &fft = ffts_[box.rows == group_ ? 0 : 1];
    std::byte *from = source + first * row_bytes_;
    std::byte *to = destination + first * row_bytes_;
    if (staged_ || !source_.is_tight()) {
      gather_tile(isa_, element, source_, box, source, scratch, tight);
      from = scratch;
    }
    if (!destination_.is_tight()) to = scratch;
    fft.execute(from, to);
    // Scale the results only, because the padding of reals must not change.
    scale_lines<Real>(to, box.rows * row_bytes_ / (line_stride_ * real), line_, line_stride_,
                      scale_);
    if (!destination_.is_tight())
      scatter_tile(isa_, element, destination_, box, scratch, tight, destination);
  }

  SplitRows source_;
  SplitRows destination_;
  bool in_place_;
  bool staged_ = false; ///< true if rows are copied to scratch before the transform
  std::string name_;
  int threads_;
  std::ptrdiff_t row_bytes_;
  double scale_;
  std::ptrdiff_t line_ = 0,
                 line_stride_ = 1; ///< reals per line of results, and distance between these lines
  std::ptrdiff_t group_ = 1;
  simd::Isa isa_ = simd::active();
  Memory scratch_;
  std::array<Fft<Real>, 2> ffts_;
};

template <class Real> class WholePass final : public Pass {
public:
  WholePass(const PlaneTransform &transform, bool in_place, const PassOptions &options)
      : Pass(1), in_place_(in_place), name_(describe_extents(transform)),
        fft_(shape_of(transform, 1), in_place, options.effort, options.threads, false) {}

  void execute(std::byte *source, std::byte *destination, RowRange, const Poll &) const override {
    fft_.execute(source, destination);
  }
  bool in_place() const override { return in_place_; }
  std::string describe() const override { return "FFTW's own plan for " + name_; }
  std::size_t scratch_bytes() const override { return 0; }

private:
  bool in_place_;
  std::string name_;
  Fft<Real> fft_;
};

} // namespace

template <class Real>
std::unique_ptr<Pass> make_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                      const SplitRows &destination, bool in_place,
                                      const PassOptions &options) {
  if (options.kernel == Kernel::simd)
    if (auto pass = make_simd_plane_pass<Real>(transform, source, destination, in_place, options))
      return pass;
  if (transform.extents.size() > 1 && source.vec != destination.vec && source.rows > 0)
    throw Failure(HFFT_ERROR_INTERNAL, "only our own kernels prune planes of two axes at once");
  // Interleaved complex lines are the columns of a matrix with short rows.
  const bool lines = transform.kind == Kind::c2c && transform.extents.size() == 1;
  if (lines && (options.deterministic || (!source.is_tight() && !destination.is_tight())))
    return make_column_pass<Real>(source, destination, transform.sign, TileOrder::interleaved,
                                  options);
  if (options.deterministic)
    return make_single_row_pass<Real>(transform, source, destination, in_place, options);
  return std::make_unique<PlanePass<Real>>(transform, source, destination, in_place, options);
}

template <class Real>
std::unique_ptr<Pass> make_whole_pass(const PlaneTransform &transform, bool in_place,
                                      const PassOptions &options) {
  return std::make_unique<WholePass<Real>>(transform, in_place, options);
}

#define HFFT_PLANE_PASS(R)                                                                         \
  template std::unique_ptr<Pass> make_plane_pass<R>(const PlaneTransform &, const SplitRows &,     \
                                                    const SplitRows &, bool, const PassOptions &); \
  template std::unique_ptr<Pass> make_whole_pass<R>(const PlaneTransform &, bool,                  \
                                                    const PassOptions &);
HFFT_PLANE_PASS(float)
HFFT_PLANE_PASS(double)

} // namespace hybridfft::local
