// Copies a matrix in pieces to another memory order, row by row, or by streamed transposes if the
// matrix is large. Also clears elements not written by another pass.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "local/box_copy.h"
#include "local/passes.h"

namespace hybridfft::local {

namespace {

class CopyPass final : public Pass {
public:
  CopyPass(const SplitRows &source, const SplitRows &destination, std::size_t element,
           const PassOptions &options)
      : Pass(source.rows), source_(source), destination_(destination), element_(element),
        threads_(options.threads), isa_(options.isa), store_(options.store) {
    const double points = static_cast<double>(options.tile_bytes) /
                          static_cast<double>(source.vec * static_cast<std::ptrdiff_t>(element));
    side_ = std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(std::sqrt(points)), 1);
  }

  void execute(std::byte *source, std::byte *destination, RowRange range,
               const Poll &poll) const override {
    const std::ptrdiff_t down = (range.last - range.first + side_ - 1) / side_;
    const std::ptrdiff_t across = (source_.columns + side_ - 1) / side_;
    parallel_ranges(down * across, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        const std::ptrdiff_t row = range.first + i / across * side_;
                        copy_block(row, std::min(side_, range.last - row), i % across * side_,
                                   source, destination);
                        if (thread == 0) poll();
                      }
                      simd::fence(isa_);
                    });
  }

  bool in_place() const override { return false; }
  std::string describe() const override { return "copy in blocks of " + std::to_string(side_); }
  std::size_t scratch_bytes() const override { return 0; }

private:
  /// Copies a block: `rows` rows from `row` on, and side_ columns from `column` on. The block is
  /// copied in parts, each within one piece of the source and one piece of the destination.
  void copy_block(std::ptrdiff_t row, std::ptrdiff_t rows, std::ptrdiff_t column,
                  const std::byte *source, std::byte *destination) const {
    const std::ptrdiff_t end = std::min(column + side_, source_.columns);
    for (const Piece &s : source_.pieces)
      for (const Piece &d : destination_.pieces) {
        const std::ptrdiff_t first = std::max({column, s.first, d.first});
        const std::ptrdiff_t last = std::min({end, s.first + s.count, d.first + d.count});
        if (first >= last) continue;
        strided_copy(isa_, element_, source + offset(s, row, first),
                     destination + offset(d, row, first),
                     {{{rows, s.row_stride, d.row_stride},
                       {last - first, s.column_stride, d.column_stride},
                       {source_.vec, 1, 1}}},
                     store_);
      }
  }

  std::ptrdiff_t offset(const Piece &p, std::ptrdiff_t row, std::ptrdiff_t column) const {
    return (p.base + row * p.row_stride + (column - p.first) * p.column_stride) *
           static_cast<std::ptrdiff_t>(element_);
  }

  SplitRows source_;
  SplitRows destination_;
  std::size_t element_;
  int threads_;
  std::ptrdiff_t side_ = 1;
  simd::Isa isa_;
  simd::Store store_; ///< store for pieces contiguous in both arrays
};

/// Expresses the copy as matrix transposes: one per pair of overlapping pieces. The second value
/// says if the rows of the matrices belong to the source or to the destination. Returns an empty
/// list if the copy fits into the caches or is not a transpose.
std::pair<std::vector<MatrixTranspose>, TransposeRows>
as_transposes(const SplitRows &source, const SplitRows &destination, std::size_t element) {
  std::vector<MatrixTranspose> matrices;
  auto meaning = TransposeRows::none;
  if (source.vec != 1 || !exceeds_caches(source.elements(), element)) return {};
  for (const Piece &s : source.pieces)
    for (const Piece &d : destination.pieces) {
      const std::ptrdiff_t first = std::max(s.first, d.first);
      const std::ptrdiff_t count = std::min(s.first + s.count, d.first + d.count) - first;
      if (count <= 0) continue;
      const CopyDimension rows{source.rows, s.row_stride, d.row_stride};
      const CopyDimension columns{count, s.column_stride, d.column_stride};
      auto m = as_transpose(rows, columns, element);
      if (!m) return {};
      const auto of = d.row_stride == 1 ? TransposeRows::of_source : TransposeRows::of_destination;
      if (!matrices.empty() && of != meaning) return {};
      meaning = of;
      m->source = s.base + (first - s.first) * s.column_stride;
      m->destination = d.base + (first - d.first) * d.column_stride;
      matrices.push_back(*m);
    }
  return {std::move(matrices), meaning};
}

} // namespace

std::unique_ptr<Pass> make_copy_pass(const SplitRows &source, const SplitRows &destination,
                                     std::size_t element, const PassOptions &options) {
  if (auto [transposes, meaning] = as_transposes(source, destination, element); !transposes.empty())
    return make_transpose_pass(std::move(transposes), meaning, source.rows, element, options);
  return std::make_unique<CopyPass>(source, destination, element, options);
}

namespace {

class ClearingPass final : public Pass {
public:
  ClearingPass(std::unique_ptr<Pass> pass, std::vector<SplitRows> cleared, std::size_t element,
               const PassOptions &options)
      : Pass(pass->rows()), pass_(std::move(pass)), cleared_(std::move(cleared)), element_(element),
        threads_(options.threads) {}

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    pass_->execute(source, destination, rows, poll);
    parallel_ranges(rows.last - rows.first, threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      for (const SplitRows &m : cleared_)
                        for (std::ptrdiff_t r = first; r < last; ++r)
                          clear_row(m, rows.first + r, destination);
                    });
  }

  std::ptrdiff_t row_unit() const override { return pass_->row_unit(); }
  bool in_place() const override { return pass_->in_place(); }
  std::string describe() const override { return pass_->describe(); }
  std::size_t scratch_bytes() const override { return pass_->scratch_bytes(); }

private:
  void clear_row(const SplitRows &m, std::ptrdiff_t row, std::byte *array) const {
    const auto bytes = static_cast<std::ptrdiff_t>(element_);
    for (const Piece &p : m.pieces)
      for (std::ptrdiff_t c = 0; c < p.count; ++c)
        std::memset(array + (p.base + row * p.row_stride + c * p.column_stride) * bytes, 0,
                    static_cast<std::size_t>(m.vec * bytes));
  }

  std::unique_ptr<Pass> pass_;
  std::vector<SplitRows> cleared_;
  std::size_t element_;
  int threads_;
};

} // namespace

std::unique_ptr<Pass> make_clearing_pass(std::unique_ptr<Pass> pass, std::vector<SplitRows> cleared,
                                         std::size_t element, const PassOptions &options) {
  return std::make_unique<ClearingPass>(std::move(pass), std::move(cleared), element, options);
}

} // namespace hybridfft::local
