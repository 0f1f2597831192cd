// Exchanges of several fields between rows and columns of a matrix, for operator plans. On one node
// the fields stay in shared memory; between nodes they are sent in chunks.
#include "exchange/algorithms.h"

#include <functional>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "exchange/communicator.h"
#include "exchange/messages.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

namespace {

/// Memory of all fields in the order [field][row][column][vec], which all ranks of the node can
/// access. A rank uses either its rows or its columns of the fields; turn_to() changes the side.
class FieldWindow {
public:
  enum class Side { rows, columns };

  /// \param window shared memory; nullptr on one rank, which uses `memory`
  FieldWindow(std::shared_ptr<SharedWindow> window, Memory memory)
      : window_(std::move(window)), memory_(std::move(memory)) {}

  std::byte *data() const { return window_ ? window_->data() : memory_.data(); }
  /// Returns the distance in elements from this rank's segment to the segment of another rank.
  std::ptrdiff_t distance(int rank, std::size_t element) const {
    return window_ ? window_->distance(rank) / static_cast<std::ptrdiff_t>(element) : 0;
  }
  std::string describe() const { return window_ ? "shared memory" : "none (one rank)"; }

  /// Waits until this rank may read and write the data on this side (rows or columns) of all
  /// fields.
  void turn_to(Side side) {
    if (side_ == side) return;
    if (window_) window_->synchronise();
    side_ = side;
  }

private:
  std::shared_ptr<SharedWindow> window_;
  Memory memory_;
  Side side_ = Side::rows;
};

/// Positions of the elements of fields in the window.
class FieldPlaces {
public:
  FieldPlaces(const Transposition &t, int rank)
      : t_(t), rank_(rank), column_((t.vec + line() - 1) / line() * line()),
        row_((t.columns.n() * column_ / line() | 1) * line()) {}

  std::size_t bytes_of_field() const {
    return static_cast<std::size_t>(t_.rows.count(rank_) * row_) * t_.element_bytes();
  }
  SplitRows rows(int field) const {
    const std::ptrdiff_t mine = t_.rows.count(rank_);
    return {
        mine, t_.columns.n(), t_.vec, {{0, t_.columns.n(), field * mine * row_, row_, column_}}};
  }
  SplitRows columns(int field, const FieldWindow &window) const {
    SplitRows m{t_.columns.count(rank_), t_.rows.n(), t_.vec, {}};
    for (int q = 0; q < t_.rows.working_parts(); ++q) {
      const std::ptrdiff_t first = window.distance(q, t_.element_bytes()) +
                                   field * t_.rows.count(q) * row_ +
                                   t_.columns.start(rank_) * column_;
      m.pieces.push_back({t_.rows.start(q), t_.rows.count(q), first, column_, row_});
    }
    return m;
  }

private:
  /// Returns the number of elements in a cache line.
  std::ptrdiff_t line() const {
    return static_cast<std::ptrdiff_t>(alignment / t_.element_bytes());
  }

  const Transposition &t_;
  int rank_;
  std::ptrdiff_t column_; ///< elements from one column to the next: whole cache lines
  /// Elements from one row to the next: an odd number of cache lines, so that the rows of a column
  /// use all cache sets.
  std::ptrdiff_t row_;
};

/// One direction of the exchange of a field that stays in its window.
class FieldView final : public Exchange {
public:
  FieldView(std::shared_ptr<FieldWindow> window, FieldWindow::Side from, SplitRows send,
            SplitRows receive, std::size_t bytes)
      : Exchange(std::move(send), std::move(receive)), window_(std::move(window)), from_(from),
        bytes_(bytes) {}

  bool is_view() const override { return true; }
  std::byte *window() const override { return window_->data(); }
  std::size_t window_bytes() const override { return bytes_; }
  void begin() override { window_->turn_to(from_); }
  void execute(std::byte *, std::byte *) override {}
  std::string describe() const override { return window_->describe(); }

private:
  std::shared_ptr<FieldWindow> window_;
  FieldWindow::Side from_;
  std::size_t bytes_;
};

FieldExchanges make_views(const Transposition &t, int fields, int rank,
                          const std::shared_ptr<FieldWindow> &window) {
  const FieldPlaces places(t, rank);
  FieldExchanges made;
  for (int f = 0; f < fields; ++f) {
    const SplitRows rows = places.rows(f), columns = places.columns(f, *window);
    made.forward.push_back(std::make_shared<FieldView>(window, FieldWindow::Side::rows, rows,
                                                       columns, places.bytes_of_field()));
    made.backward.push_back(std::make_shared<FieldView>(window, FieldWindow::Side::columns, columns,
                                                        rows, places.bytes_of_field()));
  }
  return made;
}

/// Makes exchanges through shared memory. Returns no exchanges, on all ranks, if the ranks are on
/// several nodes or shared memory is short.
FieldExchanges make_shared_fields(const Transposition &t, int fields,
                                  const std::shared_ptr<Communicator> &comm, int threads) {
  const std::size_t own =
      static_cast<std::size_t>(fields) * FieldPlaces(t, comm->rank()).bytes_of_field();
  if (comm->size() == 1)
    return make_views(t, fields, 0, std::make_shared<FieldWindow>(nullptr, Memory(own, threads)));
  if (nodes_of(*comm)->count() > 1) return {};
  FieldExchanges made;
  const auto bytes = [own] { return own; };
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    made = make_views(t, fields, comm->rank(), std::make_shared<FieldWindow>(window, Memory()));
  };
  // The fields need a window of their own, because they stay in it while other exchanges of the
  // communicator run.
  const std::weak_ptr<SharedWindow> common = std::exchange(comm->windows[0], {});
  bool taken = false;
  try {
    taken = acquire_window(*comm, {std::cref(bytes), std::cref(use)});
  } catch (...) {
    comm->windows[0] = common;
    throw;
  }
  comm->windows[0] = common;
  if (!taken) made = {};
  return made;
}

/// Makes exchanges by messages. Returns no exchanges, on all ranks, if the forced algorithm does
/// not apply.
/// \param forced nullptr: messages in chunks, so that parts of a field are sent while it is
///   written, and are read while others arrive
FieldExchanges make_field_messages(const Transposition &t, int fields,
                                   const std::shared_ptr<Communicator> &comm,
                                   const Algorithm *forced) {
  const auto make = forced != nullptr ? forced->make : make_pipelined;
  FieldExchanges made;
  const auto count = static_cast<std::size_t>(fields);
  mpi::all_or_none(comm->get(), [&] {
    made.forward.resize(count);
    made.backward.resize(count);
  });
  ExchangeOptions options;
  options.forced = forced != nullptr;
  options.largest_message = eager_message;
  for (std::size_t f = 0; f < count; ++f) {
    auto forward = make(t, comm, options);
    options.tag = 1;
    auto backward = make({t.columns, t.rows, t.vec, t.real_bytes}, comm, options);
    options.tag = 0;
    if (!forward || !backward) return {};
    mpi::all_or_none(comm->get(), [&] {
      made.forward[f] = std::move(forward);
      made.backward[f] = std::move(backward);
    });
  }
  return made;
}

} // namespace

FieldExchanges make_field_exchanges(const Transposition &t, int fields,
                                    const std::shared_ptr<Communicator> &comm, int threads) {
  const Algorithm *forced = agreed_algorithm(comm->get());
  const bool shared = forced == nullptr || forced->node_memory;
  FieldExchanges made;
  if (comm->size() == 1 || shared) made = make_shared_fields(t, fields, comm, threads);
  if (made.forward.empty()) made = make_field_messages(t, fields, comm, shared ? nullptr : forced);
  mpi::all_or_none(comm->get(), [&] {
    if (made.forward.empty())
      throw Failure(HFFT_ERROR_UNSUPPORTED, std::string("the exchange '") + forced->name +
                                                "' does not apply to fields that go and return");
  });
  made.element_bytes = t.element_bytes();
  return made;
}

} // namespace hybridfft::exchange
