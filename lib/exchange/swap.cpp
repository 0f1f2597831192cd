/// Transposition within one array for equal blocks: pairs of ranks swap tiles. Choose it to save
/// the second array of an in-place plan.
#include "exchange/algorithms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/memory.h"
#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/block_order.h"
#include "exchange/mpi_handles.h"
#include "local/box_copy.h"

namespace hybridfft::exchange {

namespace {

/// Bytes of a message for each packing thread, so that the tiles being packed, sent and received
/// fit a second-level cache.
constexpr std::ptrdiff_t message_bytes = std::ptrdiff_t{64} << 10;
/// Bytes of the tiles for the transposition of a rank's own block.
constexpr std::ptrdiff_t own_bytes = std::ptrdiff_t{64} << 10;
/// Maximum number of messages in flight, in each direction.
constexpr std::size_t max_in_flight = 4;

/// Indices first .. first+count-1.
struct Range {
  std::ptrdiff_t first, count;
};

/// Part of a block: ranges of its rows, its columns and the elements of each point.
struct Tile {
  Range rows, columns, vec;
  std::ptrdiff_t elements() const { return rows.count * columns.count * vec.count; }
  Tile transposed() const { return {columns, rows, vec}; }
};

/// Divides a square block of points into tiles, such that the transpose of each tile is also a
/// tile.
class Tiling {
public:
  /// \param side number of rows of the block, equal to its number of columns
  /// \param elements maximum number of elements of a tile
  Tiling(std::ptrdiff_t side, std::ptrdiff_t vec, std::ptrdiff_t elements)
      : side_(side), vec_(vec), vec_step_(std::min(vec, elements)),
        step_(std::clamp<std::ptrdiff_t>(root(elements / vec_step_), 1, side)),
        cuts_(parts(side, step_)), vec_cuts_(parts(vec, vec_step_)) {}

  std::ptrdiff_t cuts() const { return cuts_; }
  std::ptrdiff_t vec_cuts() const { return vec_cuts_; }
  std::ptrdiff_t count() const { return cuts_ * cuts_ * vec_cuts_; }
  std::ptrdiff_t max_elements() const { return step_ * step_ * vec_step_; }

  Tile tile(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t v) const {
    return {range(i, step_, side_), range(j, step_, side_), range(v, vec_step_, vec_)};
  }
  Tile tile(std::ptrdiff_t number) const {
    const std::ptrdiff_t square = number / vec_cuts_;
    return tile(square / cuts_, square % cuts_, number % vec_cuts_);
  }

private:
  static std::ptrdiff_t root(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(n)));
  }
  static std::ptrdiff_t parts(std::ptrdiff_t n, std::ptrdiff_t step) {
    return (n + step - 1) / step;
  }
  static Range range(std::ptrdiff_t i, std::ptrdiff_t step, std::ptrdiff_t n) {
    return {i * step, std::min(step, n - i * step)};
  }

  std::ptrdiff_t side_, vec_, vec_step_, step_, cuts_, vec_cuts_;
};

/// In-place exchange. Element (row a, column b of rank s) of this rank changes places with element
/// (row b, column a of this rank) of rank s. Each tile of a block is packed, sent, and overwritten
/// by the received tile.
class Swap final : public Exchange {
public:
  /// \param min_threads minimum number of threads of all ranks, so that all ranks have the same
  /// tiles
  Swap(const Transposition &t, std::shared_ptr<Communicator> comm, const ExchangeOptions &options,
       int min_threads)
      : Exchange(order.send(t, comm->rank()), order.receive(t, comm->rank())),
        comm_(std::move(comm)), tag_(options.tag), threads_(options.threads), isa_(simd::active()),
        element_(t.element_bytes()), side_(t.rows.count(comm_->rank())), vec_(t.vec),
        row_(t.columns.n() * t.vec),
        messages_(side_, vec_,
                  elements(std::min(message_bytes * min_threads, options.largest_count))),
        own_(side_, vec_, elements(own_bytes)) {
    const int rank = comm_->rank();
    const int size = comm_->size();
    const bool power = std::has_single_bit(static_cast<unsigned>(size));
    for (int i = 0; i < size; ++i) {
      const int peer = power ? rank ^ i : (i - rank + size) % size;
      if (peer != rank) peers_.push_back(peer);
    }
    message_room_ = static_cast<std::ptrdiff_t>(
        whole_lines(static_cast<std::size_t>(messages_.max_elements()) * element_));
    own_room_ = static_cast<std::ptrdiff_t>(
        whole_lines(static_cast<std::size_t>(own_.max_elements()) * element_));
    const auto slots = static_cast<std::ptrdiff_t>(max_in_flight);
    memory_ = Memory(static_cast<std::size_t>(2 * (slots * message_room_ + threads_ * own_room_)),
                     threads_);
  }

  bool in_place() const override { return true; }
  std::size_t scratch_bytes() const override { return memory_.bytes(); }
  std::string describe() const override { return "swap in place"; }

  void execute(std::byte *array, std::byte *) override {
    const auto all = static_cast<std::ptrdiff_t>(peers_.size()) * messages_.count();
    const std::ptrdiff_t pairs = own_.cuts() * (own_.cuts() + 1) / 2;
    std::ptrdiff_t posted = 0;
    std::ptrdiff_t transposed = 0;
    for (std::ptrdiff_t i = 0; i < all; ++i) {
      for (; posted < std::min(all, i + static_cast<std::ptrdiff_t>(max_in_flight)); ++posted)
        post(posted, array);
      // Transposes the own block in parts while messages are in flight.
      const auto until = static_cast<std::ptrdiff_t>(
          static_cast<double>(pairs) * static_cast<double>(i + 1) / static_cast<double>(all));
      transpose_own(array, transposed, until);
      transposed = until;
      complete(i, array);
    }
    transpose_own(array, transposed, pairs);
  }

  /// Cancels messages. Sends read packed tiles, not the array.
  bool cancel(const Patience &patience) noexcept override {
    if (!exchange::cancel(receiving_, sending_, patience)) memory_.leave();
    return true;
  }

private:
  static constexpr Order order{true, true};

  std::ptrdiff_t elements(std::ptrdiff_t bytes) const {
    return std::max<std::ptrdiff_t>(1, bytes / static_cast<std::ptrdiff_t>(element_));
  }

  /// peer() returns the other rank of a message, tile() its tile on this rank. The two ranks
  /// exchange a tile and its transpose at the same time.
  int peer(std::ptrdiff_t message) const {
    return peers_[static_cast<std::size_t>(message / messages_.count())];
  }
  Tile tile(std::ptrdiff_t message) const {
    const Tile t = messages_.tile(message % messages_.count());
    return peer(message) < comm_->rank() ? t.transposed() : t;
  }

  std::byte *sent(std::ptrdiff_t message) const {
    return memory_.data() + slot(message) * 2 * message_room_;
  }
  std::byte *received(std::ptrdiff_t message) const { return sent(message) + message_room_; }
  static std::ptrdiff_t slot(std::ptrdiff_t message) {
    return message % static_cast<std::ptrdiff_t>(max_in_flight);
  }

  void post(std::ptrdiff_t message, const std::byte *array) {
    const Tile t = tile(message);
    const int bytes = static_cast<int>(t.elements() * static_cast<std::ptrdiff_t>(element_));
    const auto at = static_cast<std::size_t>(slot(message));
    mpi::check(MPI_Irecv(received(message), bytes, MPI_BYTE, peer(message), tag_, comm_->get(),
                         &receiving_[at]),
               "MPI_Irecv");
    parallel_ranges(t.rows.count, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      pack(t, first, last, peer(message), array, sent(message));
    });
    mpi::check(
        MPI_Isend(sent(message), bytes, MPI_BYTE, peer(message), tag_, comm_->get(), &sending_[at]),
        "MPI_Isend");
  }

  void complete(std::ptrdiff_t message, std::byte *array) {
    wait_for_all(&receiving_[static_cast<std::size_t>(slot(message))], 1);
    wait_for_all(&sending_[static_cast<std::size_t>(slot(message))], 1);
    const Tile t = tile(message);
    parallel_ranges(t.rows.count, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      unpack(t, first, last, peer(message), received(message), array);
    });
  }

  /// Transposes the pairs first .. last-1 of the own block; a pair is a tile and its transpose.
  void transpose_own(std::byte *array, std::ptrdiff_t first, std::ptrdiff_t last) const {
    parallel_ranges(last - first, threads_,
                    [&](std::ptrdiff_t from, std::ptrdiff_t to, int thread) {
                      transpose_pairs(array, first + from, first + to, thread);
                    });
  }

  void transpose_pairs(std::byte *array, std::ptrdiff_t first, std::ptrdiff_t last,
                       int thread) const {
    const int rank = comm_->rank();
    std::byte *one = memory_.data() +
                     2 * static_cast<std::ptrdiff_t>(max_in_flight) * message_room_ +
                     2 * thread * own_room_;
    std::byte *other = one + own_room_;
    std::ptrdiff_t i = 0;
    std::ptrdiff_t j = first;
    for (; j >= own_.cuts() - i; ++i)
      j -= own_.cuts() - i;
    j += i;
    for (std::ptrdiff_t pair = first; pair < last; ++pair) {
      for (std::ptrdiff_t v = 0; v < own_.vec_cuts(); ++v) {
        const Tile t = own_.tile(i, j, v);
        const Tile opposite = t.transposed();
        pack(t, 0, t.rows.count, rank, array, one);
        if (i != j) {
          pack(opposite, 0, opposite.rows.count, rank, array, other);
          unpack(t, 0, t.rows.count, rank, other, array);
        }
        unpack(opposite, 0, opposite.rows.count, rank, one, array);
      }
      if (++j == own_.cuts()) j = ++i;
    }
  }

  /// Returns the index of the first element of a tile's row, in the block of a rank.
  std::ptrdiff_t place(const Tile &t, std::ptrdiff_t row, int rank) const {
    return (t.rows.first + row) * row_ + (rank * side_ + t.columns.first) * vec_ + t.vec.first;
  }

  /// Packs rows first .. last-1 of a tile, row by row.
  void pack(const Tile &t, std::ptrdiff_t first, std::ptrdiff_t last, int rank,
            const std::byte *array, std::byte *packed) const {
    const std::ptrdiff_t row = t.columns.count * t.vec.count;
    local::strided_copy(
        isa_, element_, array + bytes(place(t, first, rank)), packed + bytes(first * row),
        {{{last - first, row_, row}, {t.columns.count, vec_, t.vec.count}, {t.vec.count, 1, 1}}});
  }

  /// Unpacks rows first .. last-1 of a tile from its packed transpose.
  void unpack(const Tile &t, std::ptrdiff_t first, std::ptrdiff_t last, int rank,
              const std::byte *packed, std::byte *array) const {
    local::strided_copy(isa_, element_, packed + bytes(first * t.vec.count),
                        array + bytes(place(t, first, rank)),
                        {{{last - first, t.vec.count, row_},
                          {t.columns.count, t.rows.count * t.vec.count, vec_},
                          {t.vec.count, 1, 1}}});
  }

  std::ptrdiff_t bytes(std::ptrdiff_t elements) const {
    return elements * static_cast<std::ptrdiff_t>(element_);
  }

  std::shared_ptr<Communicator> comm_;
  int tag_;
  int threads_;
  simd::Isa isa_;
  std::size_t element_; ///< bytes of an element
  std::ptrdiff_t side_, vec_,
      row_; ///< points per side of a block; elements per point; elements per row
  Tiling messages_, own_;
  std::ptrdiff_t message_room_ = 0, own_room_ = 0; ///< bytes of a tile
  std::vector<int> peers_;                         ///< in the order of the messages
  Memory memory_; ///< send and receive tiles alternately, then two tiles of each thread
  std::vector<MPI_Request> receiving_ = std::vector<MPI_Request>(max_in_flight, MPI_REQUEST_NULL);
  std::vector<MPI_Request> sending_ = receiving_;
};

/// Makes the exchange. In each round every rank has at most one partner.
std::unique_ptr<Exchange> make_swap(const Transposition &t,
                                    const std::shared_ptr<Communicator> &comm,
                                    const ExchangeOptions &options) {
  if (!options.in_place || !has_equal_blocks(t)) return nullptr;
  std::int64_t threads = -options.threads;
  mpi::all_or_none(comm->get(), [] {}, {&threads, 1});
  return made_by_all(
      *comm, [&] { return std::make_unique<Swap>(t, comm, options, static_cast<int>(-threads)); });
}

} // namespace

bool has_equal_blocks(const Transposition &t) {
  return t.rows == t.columns && t.rows.n() == t.rows.parts() * t.rows.count(0);
}

namespace table {
Algorithm swap() {
  return {.name = "swap", .make = make_swap, .cost = {3, 1, 0, 4}, .in_place = true};
}
} // namespace table

} // namespace hybridfft::exchange
