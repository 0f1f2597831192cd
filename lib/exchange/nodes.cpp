#include "exchange/nodes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>

#include "base/environment.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "exchange/requests.h"

namespace hybridfft::exchange {

namespace {

/// Returns the value of HFFT_RANKS_PER_NODE; 0 if it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT).
int wanted_ranks_per_node() {
  const std::string text = environment_value("HFFT_RANKS_PER_NODE");
  if (text.empty()) return 0;
  int ranks = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ranks);
  if (error != std::errc() || rest != end || ranks < 1)
    throw wrong_variable("HFFT_RANKS_PER_NODE", text, "a positive number");
  return ranks;
}

/// Returns a communicator of the ranks that share memory with this rank, at most `most` of them; 0:
/// no limit.
MPI_Comm split_by_memory(const Communicator &comm, int most) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(
      MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
      "MPI_Comm_split_type");
  if (most == 0) return node;
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_split(node, mpi::rank(node) / most, mpi::rank(node), &part);
  MPI_Comm_free(&node);
  mpi::check(code, "MPI_Comm_split");
  return part;
}

} // namespace

void Nodes::find(const Communicator &comm) {
  std::vector<int> first_of;
  std::int64_t most = 0; // rank 0's number
  mpi::all_or_none(comm.get(),
                   [&] {
                     if (comm.rank() == 0) most = wanted_ranks_per_node();
                     first_of.resize(static_cast<std::size_t>(comm.size()));
                   },
                   {&most, 1});
  comm_ = split_by_memory(comm, static_cast<int>(most));
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int first = comm.rank();
  mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_), "MPI_Bcast");
  mpi::check(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, comm.get()),
             "MPI_Allgather");
  mpi::all_or_none(comm.get(), [&] {
    for (int r = 0; r < comm.size(); ++r) {
      const int lowest = first_of[static_cast<std::size_t>(r)];
      if (lowest == r) members_.emplace_back();
      const auto node = lowest == r ? count() - 1 : node_of(lowest);
      node_of_.push_back(node);
      members_[static_cast<std::size_t>(node)].push_back(r);
    }
  });
  mine_ = node_of(comm.rank());
}

Nodes::~Nodes() {
  if (comm_ != MPI_COMM_NULL && !kept_ && mpi::running()) MPI_Comm_free(&comm_);
}

std::shared_ptr<const Nodes> nodes_of(Communicator &comm) {
  if (comm.nodes) return comm.nodes;
  std::shared_ptr<Nodes> made;
  mpi::all_or_none(comm.get(), [&] { made.reset(new Nodes); });
  made->find(comm);
  return comm.nodes = std::move(made);
}

std::ptrdiff_t SegmentLayout::point_bytes() const {
  return t_.vec * static_cast<std::ptrdiff_t>(t_.element_bytes());
}

std::ptrdiff_t SegmentLayout::send_bytes(int rank) const {
  return whole_lines(t_.rows.count(rank) * t_.columns.n() * point_bytes());
}

std::ptrdiff_t SegmentLayout::message_bytes(int from, int to) const {
  std::ptrdiff_t rows = 0;
  for (const int r : nodes_.members(from))
    rows += t_.rows.count(r);
  std::ptrdiff_t columns = 0;
  for (const int r : nodes_.members(to))
    columns += t_.columns.count(r);
  return rows * columns * point_bytes();
}

int SegmentLayout::dealer(int node, int other) const {
  const std::vector<int> &ranks = nodes_.members(node);
  const int distance = (other - node - 1 + nodes_.count()) % nodes_.count();
  return ranks[static_cast<std::size_t>(distance) % ranks.size()];
}

std::ptrdiff_t SegmentLayout::message_start(int from, int to) const {
  const int rank = dealer(to, from);
  std::ptrdiff_t start = send_bytes(rank);
  for (int other = 0; other < from; ++other)
    if (other != to && dealer(to, other) == rank) start += whole_lines(message_bytes(other, to));
  return start;
}

std::ptrdiff_t SegmentLayout::total_bytes(int rank) const {
  const int node = nodes_.node_of(rank);
  std::ptrdiff_t bytes = send_bytes(rank);
  for (int other = 0; other < nodes_.count(); ++other)
    if (other != node && dealer(node, other) == rank)
      bytes += whole_lines(message_bytes(other, node));
  return bytes;
}

std::ptrdiff_t SegmentLayout::block_start(int from, int to) const {
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t before = 0;
  for (const int r : nodes_.members(nodes_.node_of(to))) {
    columns += t_.columns.count(r);
    if (r < to) before += t_.columns.count(r);
  }
  std::ptrdiff_t points = before * t_.rows.count(from);
  for (const int r : nodes_.members(nodes_.node_of(from)))
    if (r < from) points += t_.rows.count(r) * columns;
  return points * point_bytes();
}

ByteRange SegmentLayout::sent_block(int from, int to) const {
  const std::ptrdiff_t column_bytes = t_.rows.count(from) * point_bytes();
  return {t_.columns.start(to) * column_bytes, t_.columns.count(to) * column_bytes};
}

NodeTraffic::NodeTraffic(const Transposition &t, const Communicator &comm, const Nodes &nodes,
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
    if (!blocks.empty()) scattered_.push_back({peer, Datatype(blocks, largest_count)});
    const std::array<ByteRange, 1> message{
        {{layout.message_start(other, mine), layout.message_bytes(other, mine)}}};
    if (message[0].count > 0) received_.push_back({peer, Datatype(message, largest_count)});
  }
  requests_.resize(scattered_.size() + received_.size(), MPI_REQUEST_NULL);
}

void NodeTraffic::run(std::byte *window, TrafficDirection direction) {
  const bool forth = direction == TrafficDirection::forth;
  const std::vector<NodeTransfer> &receives = forth ? received_ : scattered_;
  std::size_t posted = 0;
  receives_ = receives.size();
  for (const NodeTransfer &r : receives)
    mpi::check(MPI_Irecv(window, 1, r.type.get(), r.peer, 0, comm_, &requests_[posted++]),
               "MPI_Irecv");
  for (const NodeTransfer &s : forth ? scattered_ : received_)
    mpi::check(MPI_Isend(window, 1, s.type.get(), s.peer, 0, comm_, &requests_[posted++]),
               "MPI_Isend");
  wait_for_all(requests_.data(), posted);
}

bool NodeTraffic::cancel(const Patience &patience) noexcept {
  const std::span<MPI_Request> requests(requests_);
  return exchange::cancel(requests.first(receives_), requests.subspan(receives_), patience);
}

} // namespace hybridfft::exchange
