// Exchanges through the shared memory of a node, of matrices and of blocks: passes read the data of
// other ranks directly, without copies. Choose them within a node. Between nodes, matrices are sent
// in one message per pair of nodes.
#include "exchange/algorithms.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/mpi.h"
#include "exchange/messages.h"
#include "exchange/mpi_handles.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

namespace {

/// Positions of the data in the segments of the ranks' windows. A segment begins with the rank's
/// send buffer: its rows, column after column. After it come the messages that this rank receives
/// from other nodes. A message has all data from the ranks of one node to the ranks of another,
/// ordered by sender, then by receiver; blocks are in the order of the send buffer. Each pair of
/// nodes is served by one rank of each node.
class SegmentLayout {
public:
  SegmentLayout(const Transposition &t, const Nodes &nodes) : t_(t), nodes_(nodes) {}

  /// Returns the bytes of a rank's complete segment.
  std::ptrdiff_t total_bytes(int rank) const {
    const int node = nodes_.node_of(rank);
    return send_bytes(rank) + bytes_received(rank, node, nodes_.count());
  }

  /// Returns the bytes of the message between two nodes.
  std::ptrdiff_t message_bytes(int from, int to) const {
    return sum_of(t_.rows, from) * sum_of(t_.columns, to) * point_bytes();
  }

  /// Returns the rank of `node` that exchanges messages with `other`.
  int dealer(int node, int other) const {
    const std::vector<int> &ranks = nodes_.members(node);
    const int distance = (other - node - 1 + nodes_.count()) % nodes_.count();
    return ranks[static_cast<std::size_t>(distance) % ranks.size()];
  }

  /// Returns the offset in bytes of the message from node `from`, in the segment of the rank of
  /// node `to` that receives it.
  std::ptrdiff_t message_start(int from, int to) const {
    const int rank = dealer(to, from);
    return send_bytes(rank) + bytes_received(rank, to, from);
  }

  /// Returns the offset in bytes of the block from rank `from` to rank `to`, in the message between
  /// their nodes.
  std::ptrdiff_t block_start(int from, int to) const {
    const int from_node = nodes_.node_of(from);
    const int to_node = nodes_.node_of(to);
    return (sum_of(t_.columns, to_node, to) * t_.rows.count(from) +
            sum_of(t_.rows, from_node, from) * sum_of(t_.columns, to_node)) *
           point_bytes();
  }

  /// Returns the range of bytes of the block for rank `to`, in the segment of rank `from`.
  ByteRange sent_block(int from, int to) const {
    const std::ptrdiff_t column_bytes = t_.rows.count(from) * point_bytes();
    return {t_.columns.start(to) * column_bytes, t_.columns.count(to) * column_bytes};
  }

private:
  std::ptrdiff_t point_bytes() const {
    return t_.vec * static_cast<std::ptrdiff_t>(t_.element_bytes());
  }
  std::ptrdiff_t send_bytes(int rank) const {
    return whole_lines(t_.rows.count(rank) * t_.columns.n() * point_bytes());
  }

  /// Returns the number of rows or columns (`of`) of a node's ranks with numbers below `end`.
  std::ptrdiff_t sum_of(const BlockDistribution &of, int node, int end = INT_MAX) const {
    std::ptrdiff_t sum = 0;
    for (const int r : nodes_.members(node))
      if (r < end) sum += of.count(r);
    return sum;
  }

  /// Returns the bytes of the messages that a rank of `node` receives from the nodes before `end`.
  std::ptrdiff_t bytes_received(int rank, int node, int end) const {
    std::ptrdiff_t bytes = 0;
    for (int other = 0; other < end; ++other)
      if (other != node && dealer(node, other) == rank)
        bytes += whole_lines(message_bytes(other, node));
    return bytes;
  }

  const Transposition &t_;
  const Nodes &nodes_;
};

/// After a forward exchange each rank reads all segments of its node, after a backward exchange
/// only its own.
enum class Direction { forward, back };

/// The messages between nodes that this rank sends and receives.
class NodeTraffic {
public:
  /// Makes the datatypes. Local. Throws Failure. The communicator must outlive the object.
  NodeTraffic(const Transposition &t, const Communicator &comm, const Nodes &nodes,
              const SharedWindow &window, std::ptrdiff_t largest_count)
      : comm_(comm.get()) {
    const SegmentLayout layout(t, nodes);
    const int mine = nodes.mine();
    const std::vector<int> &ranks = nodes.members(mine);
    for (int other = 0; other < nodes.count(); ++other) {
      if (other == mine || layout.dealer(mine, other) != comm.rank()) continue;
      const int peer = layout.dealer(other, mine);
      std::vector<ByteRange> blocks;
      for (std::size_t i = 0; i < ranks.size(); ++i)
        for (const int to : nodes.members(other)) {
          ByteRange block = layout.sent_block(ranks[i], to);
          block.first += window.distance(static_cast<int>(i));
          if (block.count == 0) continue;
          if (!blocks.empty() && blocks.back().first + blocks.back().count == block.first)
            blocks.back().count += block.count;
          else
            blocks.push_back(block);
        }
      const auto message = [&](std::span<const ByteRange> ranges) {
        return Message(peer, 0, 0, std::make_shared<const Datatype>(ranges, largest_count));
      };
      if (!blocks.empty()) scattered_.push_back(message(blocks));
      const std::array<ByteRange, 1> whole{
          {{layout.message_start(other, mine), layout.message_bytes(other, mine)}}};
      if (whole[0].count > 0) received_.push_back(message(whole));
    }
    requests_.resize(scattered_.size() + received_.size(), MPI_REQUEST_NULL);
  }

  /// Sends data between nodes. Forward, it sends from the send buffers of this node to the messages
  /// received by other nodes; backward, it sends the received messages back to the send buffers.
  /// Throws Failure(HFFT_ERROR_MPI).
  void run(std::byte *window, Direction direction) {
    const bool forward = direction == Direction::forward;
    const std::vector<Message> &receives = forward ? received_ : scattered_;
    std::size_t posted = 0;
    receives_ = receives.size();
    for (const Message &m : receives)
      m.receive(window, comm_, 0, requests_[posted++]);
    for (const Message &m : forward ? scattered_ : received_)
      m.send(window, comm_, 0, requests_[posted++]);
    wait_for_all(requests_.data(), posted);
  }

  /// Cancels the messages of a failed run, if any. Returns false if MPI may still read the window.
  bool cancel(const Patience &patience) noexcept {
    const std::span<MPI_Request> requests(requests_);
    return exchange::cancel(requests.first(receives_), requests.subspan(receives_), patience);
  }

private:
  MPI_Comm comm_;
  std::vector<Message> scattered_; ///< blocks in the send buffers of this node's ranks
  std::vector<Message> received_;  ///< messages in this rank's segment
  std::vector<MPI_Request> requests_;
  std::size_t receives_ = 0; ///< number of receives, at the beginning of requests_
};

/// Data shared by the exchanges of a plan through one window: the forward and the backward exchange
/// of a matrix, or all exchanges of blocks, which use the two parts of the segments alternately.
struct Passage {
  WindowUse use;
  std::size_t second = 0;                         ///< offset of the second part, for blocks
  std::string text;                               ///< for describe()
  std::optional<Transposition> matrix = {};       ///< no value for blocks
  std::shared_ptr<const Nodes> nodes = nullptr;   ///< for a matrix
  std::unique_ptr<NodeTraffic> traffic = nullptr; ///< nullptr on a single node
};

/// An exchange through a window.
class Shared final : public Exchange {
public:
  /// \param number of the exchange in its plan
  Shared(std::shared_ptr<Passage> passage, std::size_t number, SplitRows send, SplitRows receive)
      : Exchange(std::move(send), std::move(receive)), passage_(std::move(passage)),
        number_(number),
        direction_(number > 0 && passage_->matrix ? Direction::back : Direction::forward) {}

  std::size_t part() const { return number_ % 2 == 0 ? 0 : passage_->second; }
  std::byte *window() const override { return passage_->use.window->data() + part(); }
  /// Returns the bytes of both parts, and 0 for the second part, so that a plan counts them once.
  std::size_t window_bytes() const override {
    if (part() > 0) return 0;
    return static_cast<std::size_t>(passage_->use.window->halves()) * passage_->use.bytes;
  }

  /// The first exchange allocates the pages of the segment and waits until it may be overwritten.
  /// Later exchanges need no wait, because all ranks have synchronised after they read the part
  /// that is written next.
  void begin() override {
    if (number_ == 0) passage_->use.begin();
  }

  void execute(std::byte *, std::byte *) override {
    SharedWindow &window = *passage_->use.window;
    window.synchronise();
    if (passage_->traffic) {
      passage_->traffic->run(window.data(), direction_);
      window.synchronise();
    }
    window.in_use = direction_ == Direction::forward;
  }

  std::unique_ptr<Exchange> make_return(const Transposition &back) const override {
    const std::optional<Transposition> &t = passage_->matrix;
    if (!t || back.rows != t->columns || back.columns != t->rows || back.vec != t->vec)
      return nullptr;
    return std::make_unique<Shared>(passage_, 1, receive(), send());
  }

  /// Cancels messages. Sends read the window, not the plan's buffers.
  bool cancel(const Patience &patience) noexcept override {
    if (passage_->traffic && !passage_->traffic->cancel(patience)) passage_->use.window->leave();
    return true;
  }

  std::string describe() const override {
    return passage_->text + (direction_ == Direction::back ? ", back" : "");
  }

private:
  std::shared_ptr<Passage> passage_;
  std::size_t number_;
  Direction direction_;
};

/// Largest segment in bytes for which windows have two halves, used alternately by executions.
/// Below this size a second half saves the time of synchronisation; above it the additional memory
/// and cache misses cost more.
constexpr std::size_t largest_half = std::size_t{4} << 20;

/// Returns the matrix of this rank's columns. Their rows are in the segments of this node: in the
/// send buffers of its own ranks, or in the messages of other nodes.
SplitRows gathered(const Passage &p, int rank) {
  const Transposition &t = *p.matrix;
  const SegmentLayout layout(t, *p.nodes);
  const int node = p.nodes->mine();
  const std::vector<int> &members = p.nodes->members(node);
  SplitRows m{t.columns.count(rank), t.rows.n(), t.vec, {}};
  const auto node_rank = [&](int r) {
    return static_cast<int>(std::find(members.begin(), members.end(), r) - members.begin());
  };
  for (int q = 0; q < t.rows.working_parts(); ++q) {
    const int from = p.nodes->node_of(q);
    const int holder = from == node ? q : layout.dealer(node, from);
    const std::ptrdiff_t start =
        from == node ? layout.sent_block(q, rank).first
                     : layout.message_start(from, node) + layout.block_start(q, rank);
    const std::ptrdiff_t bytes = p.use.window->distance(node_rank(holder)) + start;
    m.pieces.push_back({t.rows.start(q), t.rows.count(q),
                        bytes / static_cast<std::ptrdiff_t>(t.element_bytes()),
                        t.rows.count(q) * t.vec, t.vec});
  }
  return m;
}

} // namespace

std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options) {
  const std::shared_ptr<Communicator> &all = options.all ? options.all : comm;
  if (nodes_of(*all)->count() == all->size()) return nullptr;
  std::shared_ptr<Passage> passage;
  std::unique_ptr<Exchange> made;
  const auto bytes = [&]() -> std::optional<std::size_t> {
    const auto nodes = nodes_of(*comm);
    if (nodes->count() == comm->size()) return std::nullopt;
    const auto total = static_cast<std::size_t>(SegmentLayout(t, *nodes).total_bytes(comm->rank()));
    const std::size_t ranks = nodes->members(nodes->mine()).size();
    std::string text = "shared memory of " + std::to_string(ranks) + " ranks";
    if (nodes->count() > 1)
      text +=
          ", messages between " + std::to_string(nodes->count()) + " nodes into a second buffer";
    passage = std::make_shared<Passage>(Passage{{all, total}, 0, std::move(text), t, nodes});
    return total;
  };
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    passage->use.window = window;
    if (passage->nodes->count() > 1)
      passage->traffic =
          std::make_unique<NodeTraffic>(t, *comm, *passage->nodes, *window, options.largest_count);
    made = std::make_unique<Shared>(passage, 0, Order().send(t, comm->rank()),
                                    gathered(*passage, comm->rank()));
  };
  if (!acquire_window(*comm, {std::cref(bytes), std::cref(use), options.pages, largest_half,
                              options.all.get()}))
    return nullptr;
  return made;
}

namespace table {
Algorithm shared() {
  return {.name = "shared", .make = make_shared_memory, .cost = {0.2, 1, 0}, .node_memory = true};
}
} // namespace table

// Redistribution of blocks through the shared memory of a node.

namespace {

/// Returns the byte offsets of this rank's blocks in the segments of all ranks. Collective.
std::vector<std::int64_t> offsets_of(const SharedBlocksSide &side, std::size_t part,
                                     MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<std::int64_t> mine, theirs;
  mpi::all_or_none(comm, [&] {
    mine.assign(ranks, 0);
    theirs.assign(ranks, 0);
    for (const RankBytes &b : side.sent)
      mine[static_cast<std::size_t>(b.rank)] = static_cast<std::int64_t>(part) + b.first;
  });
  mpi::check(MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm),
             "MPI_Alltoall");
  return theirs;
}

} // namespace

std::unique_ptr<std::vector<SharedBlocks>>
make_shared_blocks(const std::shared_ptr<Communicator> &comm,
                   const std::vector<SharedBlocksSide> &exchanges, Pages pages) {
  if (nodes_of(*comm)->count() > 1 || comm->size() == 1) return nullptr;
  std::shared_ptr<Passage> passage;
  const auto bytes = [&] {
    std::array<std::size_t, 2> parts{};
    for (std::size_t i = 0; i < exchanges.size(); ++i)
      parts[i % 2] = std::max(parts[i % 2], whole_lines(exchanges[i].bytes));
    passage = std::make_shared<Passage>(
        Passage{{comm, parts[0] + parts[1]},
                parts[0],
                "of blocks in shared memory of " + std::to_string(comm->size()) + " ranks"});
    return passage->use.bytes;
  };
  std::unique_ptr<std::vector<SharedBlocks>> made;
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    passage->use.window = window;
    made = std::make_unique<std::vector<SharedBlocks>>();
  };
  if (!acquire_window(*comm, {std::cref(bytes), std::cref(use), pages})) return nullptr;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    std::shared_ptr<Shared> exchange;
    mpi::all_or_none(comm->get(), [&] {
      exchange = std::make_shared<Shared>(passage, i, SplitRows(), SplitRows());
    });
    const auto offsets = offsets_of(exchanges[i], exchange->part(), comm->get());
    mpi::all_or_none(comm->get(), [&] {
      SharedBlocks blocks{exchange, {}};
      for (int r = 0; r < comm->size(); ++r)
        blocks.distances.push_back(passage->use.window->distance(r) +
                                   offsets[static_cast<std::size_t>(r)] -
                                   static_cast<std::ptrdiff_t>(exchange->part()));
      made->push_back(std::move(blocks));
    });
  }
  return made;
}

} // namespace hybridfft::exchange
