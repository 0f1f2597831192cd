#include "exchange/bidirectional_transpose.h"

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "exchange/message_transpose.h"
#include "exchange/nodes.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

namespace {

/// Fields lie [field][row][column][vec] in memory visible to all ranks of the node, so no data
/// move.
class SharedTranspose final : public BidirectionalTranspose {
public:
  /// \param window nullptr on one rank; it has `memory` instead
  SharedTranspose(const Transposition &t, int rank, const std::vector<std::ptrdiff_t> &segments,
                  std::shared_ptr<SharedWindow> window, Memory memory, int fields)
      : window_(std::move(window)), memory_(std::move(memory)),
        array_(window_ ? window_->data() : memory_.data()) {
    for (int f = 0; f < fields; ++f) {
      rows_.push_back(own_rows(t, rank, f));
      columns_.push_back(own_columns(t, rank, f, segments));
    }
    row_end_ = {t.rows.count(rank)};
    column_end_ = {t.columns.count(rank)};
    bytes_ = segment_bytes(t, rank, fields);
  }

  static std::size_t segment_bytes(const Transposition &t, int rank, int fields) {
    return static_cast<std::size_t>(fields * t.rows.count(rank) * row_stride(t)) *
           t.element_bytes();
  }

  Side rows_in(int f) const override { return {&rows_[static_cast<std::size_t>(f)], array_}; }
  Side rows_out(int f) const override { return rows_in(f); }
  Side columns_in(int f) const override { return {&columns_[static_cast<std::size_t>(f)], array_}; }
  Side columns_out(int f) const override { return columns_in(f); }

  std::span<const std::ptrdiff_t> ends() const override {
    return at_columns_ ? column_end_ : row_end_;
  }

  void prepare_rows() override { prepare(false); }
  void prepare_columns() override { prepare(true); }
  void open(int) override {}
  void await(int, std::ptrdiff_t) override {}
  void written(int, std::ptrdiff_t) override {}

  bool sends_messages() const override { return false; }
  std::size_t bytes() const override { return bytes_; }
  std::string describe() const override { return window_ ? "shared memory" : "none (one rank)"; }

private:
  /// Returns the elements from one column to the next, rounded up to whole cache lines.
  static std::ptrdiff_t column_stride(const Transposition &t) {
    const std::ptrdiff_t line = cache_line(t);
    return (t.vec + line - 1) / line * line;
  }
  /// Returns the elements from one row to the next. An odd number of cache lines spreads the rows
  /// of a column over all cache sets.
  static std::ptrdiff_t row_stride(const Transposition &t) {
    const std::ptrdiff_t lines = t.columns.n() * column_stride(t) / cache_line(t);
    return (lines | 1) * cache_line(t);
  }
  static std::ptrdiff_t cache_line(const Transposition &t) {
    return static_cast<std::ptrdiff_t>(alignment / t.element_bytes());
  }

  static SplitRows own_rows(const Transposition &t, int rank, int field) {
    const std::ptrdiff_t mine = t.rows.count(rank);
    return {mine,
            t.columns.n(),
            t.vec,
            {{0, t.columns.n(), field * mine * row_stride(t), row_stride(t), column_stride(t)}}};
  }
  static SplitRows own_columns(const Transposition &t, int rank, int field,
                               const std::vector<std::ptrdiff_t> &segments) {
    SplitRows m{t.columns.count(rank), t.rows.n(), t.vec, {}};
    for (int q = 0; q < t.rows.working_parts(); ++q) {
      const std::ptrdiff_t first = segments[static_cast<std::size_t>(q)] +
                                   field * t.rows.count(q) * row_stride(t) +
                                   t.columns.start(rank) * column_stride(t);
      m.pieces.push_back(
          {t.rows.start(q), t.rows.count(q), first, column_stride(t), row_stride(t)});
    }
    return m;
  }

  void prepare(bool columns) {
    if (at_columns_ == columns) return;
    if (window_) window_->synchronise();
    at_columns_ = columns;
  }

  std::shared_ptr<SharedWindow> window_;
  Memory memory_;
  std::byte *array_;
  std::size_t bytes_ = 0;
  bool at_columns_ = false;
  std::array<std::ptrdiff_t, 1> row_end_{}, column_end_{};
  std::vector<SplitRows> rows_, columns_;
};

/// Returns nullptr on all ranks if they share no memory.
std::unique_ptr<BidirectionalTranspose>
make_shared_transpose(const Transposition &t, int fields, const std::shared_ptr<Communicator> &comm,
                      int threads) {
  const std::size_t own = SharedTranspose::segment_bytes(t, comm->rank(), fields);
  if (comm->size() == 1)
    return std::make_unique<SharedTranspose>(t, 0, std::vector<std::ptrdiff_t>{0}, nullptr,
                                             Memory(own, threads), fields);
  if (nodes_of(*comm)->count() > 1) return nullptr;
  std::unique_ptr<BidirectionalTranspose> made;
  const auto bytes = [own] { return own; };
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    std::vector<std::ptrdiff_t> segments;
    for (int rank = 0; rank < comm->size(); ++rank)
      segments.push_back(window->distance(rank) / static_cast<std::ptrdiff_t>(t.element_bytes()));
    made = std::make_unique<SharedTranspose>(t, comm->rank(), segments, window, Memory(), fields);
  };
  // The transpose has its own window: fields stay there while other exchanges of the communicator
  // use theirs.
  const std::weak_ptr<SharedWindow> common = std::exchange(comm->windows[0], {});
  bool taken = false;
  try {
    taken = acquire_window(*comm, {std::cref(bytes), std::cref(use)});
  } catch (...) {
    comm->windows[0] = common;
    throw;
  }
  comm->windows[0] = common;
  return taken ? std::move(made) : nullptr;
}

} // namespace

std::unique_ptr<BidirectionalTranspose>
make_bidirectional_transpose(const Transposition &t, int fields,
                             const std::shared_ptr<Communicator> &comm, int threads) {
  const Algorithm *forced = agreed_algorithm(comm->get());
  std::unique_ptr<BidirectionalTranspose> made;
  if (comm->size() == 1 || forced == nullptr || forced->node_memory)
    made = make_shared_transpose(t, fields, comm, threads);
  if (!made && (forced == nullptr || forced->node_memory))
    made = make_message_transpose(t, fields, comm, threads, nullptr);
  if (!made) made = make_message_transpose(t, fields, comm, threads, forced);
  mpi::all_or_none(comm->get(), [&] {
    if (!made)
      throw Failure(HFFT_ERROR_UNSUPPORTED, std::string("the exchange '") + forced->name +
                                                "' does not apply to fields that go and return");
  });
  return made;
}

} // namespace hybridfft::exchange
