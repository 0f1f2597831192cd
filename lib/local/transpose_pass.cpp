// Transposes matrices larger than the caches: tiles are transposed in registers and streamed to
// memory while later tiles are read. Smaller matrices are faster through the caches.
#include "local/passes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/memory.h"
#include "base/threads.h"

namespace hybridfft::local {
namespace {

/// Maximum bytes of an array copied through the caches; smaller arrays stay in the second-level
/// caches. Measured on a core with 2 MiB of cache: streaming is a fifth slower at 3 MB and three
/// quarters faster at 8 MB, even if the result is read next.
constexpr std::ptrdiff_t cached_bytes = std::ptrdiff_t{4} << 20;
/// Minimum bytes of a side of a matrix: shorter pieces gain nothing by streaming.
constexpr std::ptrdiff_t slender_bytes = 128;
/// Number of tiles between two polls: some tenths of a millisecond. Each poll interrupts the
/// overlap of reads and streamed writes.
constexpr std::ptrdiff_t polled_tiles = 32;

class TransposePass final : public Pass {
public:
  TransposePass(std::vector<MatrixTranspose> matrices, TransposeRows meaning, std::ptrdiff_t rows,
                std::size_t element, const PassOptions &options)
      : Pass(rows), matrices_(std::move(matrices)), meaning_(meaning), element_(element),
        threads_(options.threads), isa_(options.isa),
        buffers_(simd::tile_scratch(element) * static_cast<std::size_t>(threads_), threads_) {}

  void execute(std::byte *source, std::byte *destination, RowRange range,
               const Poll &poll) const override {
    std::ptrdiff_t all = 0;
    for (const MatrixTranspose &m : matrices_)
      all += tiles(part(m, range));
    parallel_ranges(all, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
      const Poll none;
      std::ptrdiff_t begin = 0; // index of the first tile of a matrix
      for (const MatrixTranspose &whole : matrices_) {
        const MatrixTranspose m = part(whole, range);
        const std::ptrdiff_t end = begin + tiles(m);
        if (first < end && begin < last)
          transpose(m, std::max(first, begin) - begin, std::min(last, end) - begin, source,
                    destination, thread, thread == 0 ? poll : none);
        begin = end;
        if (begin >= last) return;
      }
    });
  }

  bool in_place() const override { return false; }
  std::string describe() const override {
    return "transpose of " + std::to_string(matrices_.size()) +
           (matrices_.size() == 1 ? " matrix" : " matrices") + ", streamed";
  }
  std::size_t scratch_bytes() const override { return buffers_.bytes(); }

private:
  std::ptrdiff_t tiles(const MatrixTranspose &m) const {
    return static_cast<std::ptrdiff_t>(simd::tile_count(element_, static_cast<std::size_t>(m.rows),
                                                        static_cast<std::size_t>(m.cols)));
  }

  /// Returns the part of a matrix that belongs to these rows of the pass.
  MatrixTranspose part(MatrixTranspose m, RowRange range) const {
    if (meaning_ == TransposeRows::none) return m;
    const bool rows = meaning_ == TransposeRows::of_source;
    (rows ? m.rows : m.cols) = range.last - range.first;
    m.source += range.first * (rows ? m.source_step : 1);
    m.destination += range.first * (rows ? 1 : m.destination_step);
    return m;
  }

  void transpose(const MatrixTranspose &m, std::ptrdiff_t first, std::ptrdiff_t last,
                 std::byte *source, std::byte *destination, int thread, const Poll &poll) const {
    const auto element = static_cast<std::ptrdiff_t>(element_);
    std::byte *const buffer =
        buffers_.data() + static_cast<std::size_t>(thread) * simd::tile_scratch(element_);
    for (std::ptrdiff_t end = 0; first < last; first = end) {
      end = poll ? std::min(first + polled_tiles, last) : last;
      simd::transpose_tiles(
          isa_, element_, static_cast<std::size_t>(m.rows), static_cast<std::size_t>(m.cols),
          source + m.source * element, static_cast<std::size_t>(m.source_step),
          destination + m.destination * element, static_cast<std::size_t>(m.destination_step),
          static_cast<std::size_t>(first), static_cast<std::size_t>(end), buffer);
      poll();
    }
  }

  std::vector<MatrixTranspose> matrices_;
  TransposeRows meaning_;
  std::size_t element_;
  int threads_;
  simd::Isa isa_;
  Memory buffers_; ///< one part for each thread
};

} // namespace

std::optional<MatrixTranspose> as_transpose(const CopyDimension &a, const CopyDimension &b,
                                            std::size_t element) {
  const CopyDimension &rows = a.destination == 1 ? a : b;
  const CopyDimension &cols = a.destination == 1 ? b : a;
  if (rows.destination != 1 || cols.source != 1) return {};
  if (rows.source < cols.count || cols.destination < rows.count) return {};
  if (std::min(rows.count, cols.count) * static_cast<std::ptrdiff_t>(element) < slender_bytes)
    return {};
  return MatrixTranspose{rows.count, cols.count, 0, rows.source, 0, cols.destination};
}

bool exceeds_caches(std::ptrdiff_t elements, std::size_t element) {
  return elements * static_cast<std::ptrdiff_t>(element) > cached_bytes;
}

std::unique_ptr<Pass> make_transpose_pass(std::vector<MatrixTranspose> matrices,
                                          TransposeRows meaning, std::ptrdiff_t rows,
                                          std::size_t element, const PassOptions &options) {
  return std::make_unique<TransposePass>(std::move(matrices), meaning, rows, element, options);
}

} // namespace hybridfft::local
