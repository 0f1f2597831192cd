#include "local/clearing_pass.h"

#include <cstring>
#include <utility>

#include "base/threads.h"

namespace hybridfft::local {

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
