// Exchange through the shared memory of a node: passes read the data of other ranks directly,
// without copies. Pairs of nodes exchange one message each.
#include "exchange/algorithms.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "exchange/block_order.h"
#include "exchange/nodes.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

namespace {

/// Data shared by the forward and the backward exchange through one window.
struct Passage {
  Transposition transposition;
  std::shared_ptr<Communicator> comm;
  std::shared_ptr<Communicator> all; ///< ranks that must agree on failures
  std::shared_ptr<const Nodes> nodes;
  std::size_t bytes = 0; ///< bytes of this rank's segment, or of each of its halves
  std::shared_ptr<SharedWindow> window;
  std::unique_ptr<NodeTraffic> traffic; ///< nullptr on a single node
  Population population = {};

  std::size_t window_bytes() const { return static_cast<std::size_t>(window->halves()) * bytes; }

  void move(NodeTraffic::TrafficDirection direction) const {
    window->synchronise();
    if (!traffic) return;
    traffic->run(window->data(), direction);
    window->synchronise();
  }

  /// Cancels messages. Sends read the window, not the plan's buffers.
  bool cancel(const Patience &patience) const noexcept {
    if (traffic && !traffic->cancel(patience)) window->leave();
    return true;
  }

  std::string describe() const {
    const auto mine = nodes->members(nodes->mine()).size();
    std::string text = "shared memory of " + std::to_string(mine) + " ranks";
    if (traffic)
      text +=
          ", messages between " + std::to_string(nodes->count()) + " nodes into a second buffer";
    return text;
  }
};

class SharedReturn final : public Exchange {
public:
  SharedReturn(std::shared_ptr<const Passage> passage, SplitRows send, SplitRows receive)
      : Exchange(std::move(send), std::move(receive)), passage_(std::move(passage)) {}

  std::byte *window() const override { return passage_->window->data(); }
  std::size_t window_bytes() const override { return passage_->window_bytes(); }

  void execute(std::byte *, std::byte *) override {
    passage_->move(NodeTraffic::TrafficDirection::back);
    // From here on each rank reads only its own segment.
    passage_->window->in_use = false;
  }

  bool cancel(const Patience &patience) noexcept override { return passage_->cancel(patience); }
  std::string describe() const override { return passage_->describe() + ", back"; }

private:
  std::shared_ptr<const Passage> passage_;
};

class Shared final : public Exchange {
public:
  Shared(std::shared_ptr<Passage> passage, SplitRows send, SplitRows receive)
      : Exchange(std::move(send), std::move(receive)), passage_(std::move(passage)) {}

  std::byte *window() const override { return passage_->window->data(); }
  std::size_t window_bytes() const override { return passage_->window_bytes(); }

  void begin() override {
    passage_->population.ensure(*passage_->window, passage_->bytes, passage_->all->get());
    passage_->window->begin();
  }

  void execute(std::byte *, std::byte *) override {
    passage_->move(NodeTraffic::TrafficDirection::forth);
    passage_->window->in_use = true;
  }

  std::unique_ptr<Exchange> make_return(const Transposition &back) const override {
    const Transposition &forth = passage_->transposition;
    if (back.rows != forth.columns || back.columns != forth.rows || back.vec != forth.vec)
      return nullptr;
    return std::make_unique<SharedReturn>(passage_, receive(), send());
  }

  bool cancel(const Patience &patience) noexcept override { return passage_->cancel(patience); }
  std::string describe() const override { return passage_->describe(); }

private:
  std::shared_ptr<Passage> passage_;
};

/// Largest segment in bytes for which windows have two halves, used alternately by executions.
/// Below this size a second half saves the time of synchronisation; above it the additional memory
/// and cache misses cost more.
constexpr std::size_t largest_half = std::size_t{4} << 20;

/// Returns the matrix of this rank's columns. Their rows are in the segments of this node: in the
/// send buffers of its own ranks, or in the messages of other nodes.
SplitRows gathered(const Passage &p) {
  const Transposition &t = p.transposition;
  const int rank = p.comm->rank();
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
    const std::ptrdiff_t bytes = p.window->distance(node_rank(holder)) + start;
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
    passage = std::make_shared<Passage>(Passage{t, comm, all, nodes, total, nullptr, nullptr});
    return total;
  };
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    passage->window = window;
    if (passage->nodes->count() > 1)
      passage->traffic =
          std::make_unique<NodeTraffic>(t, *comm, *passage->nodes, *window, options.largest_count);
    made = std::make_unique<Shared>(passage, Order().send(t, comm->rank()), gathered(*passage));
  };
  if (!acquire_window(*comm, {std::cref(bytes), std::cref(use), options.pages, largest_half,
                              options.all.get()}))
    return nullptr;
  return made;
}

namespace table {
Algorithm shared() {
  return {.name = "shared",
          .make = make_shared_memory,
          .cost = {0.2, 1, 0},
          .place = 0,
          .node_memory = true};
}
} // namespace table

} // namespace hybridfft::exchange
