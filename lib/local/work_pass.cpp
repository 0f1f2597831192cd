// Passes of spectral operators: the user's work on all points, alone or in a chain with the
// transforms before and after it. A chain processes a few rows at a time in cache.
#include "local/passes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/memory.h"
#include "base/threads.h"

namespace hybridfft::local {

namespace {

class WorkPass final : public Pass {
public:
  WorkPass(const WorkBox &box, const PointWork &work, int threads)
      : Pass(box.rows()), box_(box), work_(work), threads_(threads),
        index_size_(std::max<std::size_t>(box.order.size(), cache_line)),
        line_bytes_(static_cast<std::size_t>(points_of_line()) * box.bytes_of_point),
        lines_of_row_(
            line_bytes_ > 0 ? static_cast<std::ptrdiff_t>(box.bytes_of_row() / line_bytes_) : 0),
        index_(index_size_ * static_cast<std::size_t>(threads)) {}

  void execute(std::byte *, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    const std::ptrdiff_t begin = rows.first * lines_of_row_;
    parallel_ranges(
        (rows.last - rows.first) * lines_of_row_, threads_,
        [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
          std::ptrdiff_t *index = index_.data() + static_cast<std::size_t>(thread) * index_size_;
          for (std::ptrdiff_t line = begin + first; line < begin + last; ++line) {
            locate(line, index);
            work_.call(index, box_.order.back(), points_of_line(),
                       destination + line * static_cast<std::ptrdiff_t>(line_bytes_), work_.user);
            if (thread == 0 && line % lines_between_polls == 0) poll();
          }
        });
  }
  bool in_place() const override { return true; }
  std::string describe() const override {
    return "work on lines of " + std::to_string(points_of_line()) + ", " +
           std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  }
  std::size_t scratch_bytes() const override { return index_.size() * sizeof(index_[0]); }

private:
  static constexpr std::size_t cache_line = 64 / sizeof(std::ptrdiff_t);
  static constexpr std::ptrdiff_t lines_between_polls = 16;

  std::ptrdiff_t points_of_line() const {
    return box_.box.count[static_cast<std::size_t>(box_.order.back())];
  }
  /// Sets the index of the first point of a line.
  void locate(std::ptrdiff_t line, std::ptrdiff_t *index) const {
    const IndexBox &box = box_.box;
    const auto last = static_cast<std::size_t>(box_.order.back());
    index[last] = box.start[last];
    for (std::size_t p = box_.order.size() - 1; p-- > 0;) {
      const auto axis = static_cast<std::size_t>(box_.order[p]);
      index[axis] = box.start[axis] + line % box.count[axis];
      line /= box.count[axis];
    }
  }

  WorkBox box_;
  PointWork work_;
  int threads_;
  std::size_t index_size_;
  std::size_t line_bytes_;
  std::ptrdiff_t lines_of_row_;
  mutable std::vector<std::ptrdiff_t> index_; ///< an index for each thread
};

/// Minimum bytes of the rows processed together by a chain.
constexpr std::size_t bytes_of_block = std::size_t{1} << 18;

class ChainPass final : public Pass {
public:
  ChainPass(PassChain chain, const WorkBox &box, int threads)
      : Pass(box.rows()), chain_(std::move(chain)), row_bytes_(box.bytes_of_row()) {
    unit_ = chain_.before->row_unit();
    if (chain_.after) unit_ = std::lcm(unit_, chain_.after->row_unit());
    const std::size_t unit_bytes =
        std::max<std::size_t>(row_bytes_ * static_cast<std::size_t>(unit_), 1);
    block_ =
        unit_ * static_cast<std::ptrdiff_t>(std::max<std::size_t>(bytes_of_block / unit_bytes, 1));
    if (chain_.after)
      tile_ = Memory(static_cast<std::size_t>(std::min(block_, rows())) * row_bytes_, threads);
  }

  void execute(std::byte *source, std::byte *destination, RowRange rows,
               const Poll &poll) const override {
    for (std::ptrdiff_t first = rows.first; first < rows.last; first += block_) {
      const RowRange block{first, std::min(first + block_, rows.last)};
      // A pass computes the address of a row from its number. Moving the base backward puts row
      // `first` at the beginning of the tile.
      std::byte *between = chain_.after ? tile_.data() - first * row_step() : destination;
      chain_.before->execute(source, between, block, poll);
      chain_.work->execute(between, between, block, poll);
      if (chain_.after) chain_.after->execute(between, destination, block, poll);
    }
  }
  std::ptrdiff_t row_unit() const override { return unit_; }
  bool in_place() const override { return false; }
  std::string describe() const override {
    return chain_.before->describe() + "; " + chain_.work->describe() +
           (chain_.after ? "; " + chain_.after->describe() : "") + "; " +
           std::to_string(std::min(block_, rows())) + " rows at a time";
  }
  std::size_t scratch_bytes() const override {
    return tile_.bytes() + chain_.before->scratch_bytes() + chain_.work->scratch_bytes() +
           (chain_.after ? chain_.after->scratch_bytes() : 0);
  }

private:
  std::ptrdiff_t row_step() const { return static_cast<std::ptrdiff_t>(row_bytes_); }

  PassChain chain_;
  std::size_t row_bytes_;
  std::ptrdiff_t unit_ = 1, block_ = 1;
  Memory tile_;
};

} // namespace

std::ptrdiff_t WorkBox::rows() const {
  return order.size() == 1 ? 1 : box.count[static_cast<std::size_t>(order.front())];
}

std::size_t WorkBox::bytes_of_row() const {
  std::size_t bytes = bytes_of_point;
  for (std::size_t p = order.size() == 1 ? 0 : 1; p < order.size(); ++p)
    bytes *= static_cast<std::size_t>(box.count[static_cast<std::size_t>(order[p])]);
  return bytes;
}

std::unique_ptr<Pass> make_work_pass(const WorkBox &box, const PointWork &work, int threads) {
  return std::make_unique<WorkPass>(box, work, threads);
}

std::unique_ptr<Pass> make_chain_pass(PassChain chain, const WorkBox &box, int threads) {
  return std::make_unique<ChainPass>(std::move(chain), box, threads);
}

} // namespace hybridfft::local
