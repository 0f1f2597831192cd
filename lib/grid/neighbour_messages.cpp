#include "grid/neighbour_messages.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/environment.h"
#include "base/mpi.h"
#include "exchange/nodes.h"

namespace hybridfft::grid {

namespace {

/// A tag for an exchange of its own on a communicator: the same on all ranks, if all make their
/// exchanges in the same order.
int next_tag(exchange::Communicator &comm) {
  // Other messages on these communicators have smaller ones.
  constexpr int first = 2000, count = 30000;
  return first + comm.neighbour_exchanges++ % count;
}

/// Whether no rank wants messages.
bool may_share(MPI_Comm comm) {
  int messages = 0;
  mpi::all_or_none(comm, [&] {
    messages = word_of_environment("HFFT_HALO", {"shared", "messages"}) == "messages" ? 1 : 0;
  });
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return messages == 0;
}

} // namespace

NeighbourMessages::NeighbourMessages(const Communicator &comm, Stages stages, int threads)
    : comm_(exchange::acquire(comm.handle())), tag_(next_tag(*comm_)) {
  mpi::all_or_none(comm_->get(), [&] {
    for (const std::vector<Traffic> &traffic : stages)
      stages_.emplace_back().buffers.resize(traffic.size());
  });
  if (may_share(comm_->get())) share(stages, threads);
  mpi::all_or_none(comm_->get(), [&] { use_requests(stages, threads); });
}

/// Shared memory for the messages to and from ranks of this node.
void NeighbourMessages::share(Stages stages, int threads) {
  const auto nodes = exchange::nodes_of(*comm_);
  const auto is_near = [&](const Traffic &t) { return nodes->node_of(t.rank) == nodes->mine(); };
  std::vector<WantedChannel> sent, received;
  mpi::all_or_none(comm_->get(), [&] {
    for (const std::vector<Traffic> &traffic : stages)
      for (const Traffic &t : traffic) {
        if (is_near(t) && t.sent > 0) sent.push_back({t.rank, t.sent});
        if (is_near(t) && t.received > 0) received.push_back({t.rank, t.received});
      }
  });
  Channels channels = connect(sent, received, comm_->get(), tag_, threads);
  mpi::all_or_none(comm_->get(), [&] {
    auto out = channels.sent.begin(), in = channels.received.begin();
    // The next channel, if it has buffers.
    const auto take = [](auto &next, std::vector<SharedChannel> &channels_of_stage,
                         std::array<std::byte *, 2> &buffers) {
      SharedChannel channel = std::move(*next++);
      if (!channel) return false;
      buffers = {channel.buffer(0), channel.buffer(1)};
      channels_of_stage.push_back(std::move(channel));
      return true;
    };
    for (std::size_t s = 0; s < stages.size(); ++s)
      for (std::size_t n = 0; n < stages[s].size(); ++n) {
        const Traffic &t = stages[s][n];
        Buffers &buffers = stages_[s].buffers[n];
        if (is_near(t) && t.sent > 0 && take(out, stages_[s].sent, buffers.out))
          bytes_shared_ += t.sent;
        if (is_near(t) && t.received > 0) take(in, stages_[s].received, buffers.in);
      }
  });
}

/// Persistent requests for all messages that have no buffers yet.
void NeighbourMessages::use_requests(Stages stages, int threads) {
  // Beginnings of buffers, which are addresses as soon as their sum is known.
  Index sent = 0, received = 0;
  std::size_t count = 0;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Buffers &buffers = stages_[s].buffers[n];
      if (buffers.out[0] == nullptr) sent += whole_lines(stages[s][n].sent);
      if (buffers.in[0] == nullptr) received += whole_lines(stages[s][n].received);
      count += 2;
    }
  sent_ = Memory(static_cast<std::size_t>(sent), threads);
  received_ = Memory(static_cast<std::size_t>(received), threads);
  types_.reserve(count);
  // One of 64-bit length, however MPI counts.
  const auto type = [&](Index bytes) {
    types_.emplace_back(std::array{exchange::ByteRange{0, bytes}}, INT_MAX);
    return types_.back().get();
  };
  std::byte *out = sent_.data(), *in = received_.data();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stage &stage = stages_[s];
    stage.requests.reserve(2 * stages[s].size());
    const auto add = [&] { return &stage.requests.emplace_back(MPI_REQUEST_NULL); };
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Traffic &t = stages[s][n];
      if (t.received == 0 || stage.buffers[n].in[0] != nullptr) continue;
      stage.buffers[n].in = {in, in};
      mpi::check(MPI_Recv_init(in, 1, type(t.received), t.rank, tag_, comm_->get(), add()),
                 "MPI_Recv_init");
      in += whole_lines(t.received);
    }
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Traffic &t = stages[s][n];
      if (t.sent == 0 || stage.buffers[n].out[0] != nullptr) continue;
      stage.buffers[n].out = {out, out};
      mpi::check(MPI_Send_init(out, 1, type(t.sent), t.rank, tag_, comm_->get(), add()),
                 "MPI_Send_init");
      out += whole_lines(t.sent);
    }
  }
}

NeighbourMessages::~NeighbourMessages() {
  if (!mpi::running()) return;
  for (Stage &stage : stages_)
    for (MPI_Request &request : stage.requests)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

int NeighbourMessages::begin(std::size_t s) {
  Stage &stage = stages_[s];
  const std::uint64_t message = ++stage.message;
  for (const SharedChannel &channel : stage.received)
    channel.read(message - 1);
  if (message > 2)
    for (const SharedChannel &channel : stage.sent)
      channel.await_read(message - 2, comm_->get());
  return stage.turn();
}

void NeighbourMessages::start(std::size_t s) {
  Stage &stage = stages_[s];
  for (const SharedChannel &channel : stage.sent)
    channel.written(stage.message);
  if (!stage.requests.empty())
    mpi::check(MPI_Startall(static_cast<int>(stage.requests.size()), stage.requests.data()),
               "MPI_Startall");
}

bool NeighbourMessages::poll(std::size_t s) {
  Stage &stage = stages_[s];
  int done = 1;
  if (!stage.requests.empty())
    mpi::check(MPI_Testall(static_cast<int>(stage.requests.size()), stage.requests.data(), &done,
                           MPI_STATUSES_IGNORE),
               "MPI_Testall");
  return done != 0 && std::all_of(stage.received.begin(), stage.received.end(),
                                  [&](const SharedChannel &channel) {
                                    return channel.is_written(stage.message);
                                  });
}

int NeighbourMessages::finish(std::size_t s) {
  Stage &stage = stages_[s];
  if (!stage.requests.empty())
    mpi::check(MPI_Waitall(static_cast<int>(stage.requests.size()), stage.requests.data(),
                           MPI_STATUSES_IGNORE),
               "MPI_Waitall");
  for (const SharedChannel &channel : stage.received)
    channel.await_written(stage.message, comm_->get());
  return stage.turn();
}

} // namespace hybridfft::grid
