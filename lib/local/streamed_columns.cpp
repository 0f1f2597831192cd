// FFTs along columns whose results are streamed past the caches although lines are not aligned to
// cache lines. All columns of a row are transformed in cache first. Used for long lines out of
// place.
#include "local/simd_passes.h"

#include <vector>

#include "base/threads.h"
#include "local/column_tiles.h"

namespace hybridfft::local {

namespace {

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
                        tiles_.read_columns(source_, row, source, nullptr, tiles_.all_groups(), s);
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

} // namespace

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

template std::unique_ptr<Pass>
make_streamed_column_pass<float>(const SplitRows &, const SplitRows &, int, const PassOptions &);
template std::unique_ptr<Pass>
make_streamed_column_pass<double>(const SplitRows &, const SplitRows &, int, const PassOptions &);

} // namespace hybridfft::local
