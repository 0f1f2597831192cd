#include "grid/neighbour_messages.h"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>

#include "base/environment.h"
#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/communicator.h"
#include "grid/message_requests.h"

namespace hybridfft::grid {

SharedChannel::SharedChannel(Mapping pages, Index message_bytes)
    : pages_(std::move(pages)), stride_(whole_lines(message_bytes)) {}

std::size_t SharedChannel::bytes_for(Index message_bytes) {
  return whole_pages(sizeof(ChannelCounts) +
                     2 * static_cast<std::size_t>(whole_lines(message_bytes)));
}

std::byte *SharedChannel::buffer(int turn) const {
  return pages_.data() + sizeof(ChannelCounts) + turn * stride_;
}

void SharedChannel::await(Count &count, Count message, MPI_Comm comm) {
  for (Idle idle(comm); std::atomic_ref(count).load(std::memory_order_acquire) < message;)
    idle.pause();
}

namespace {

/// The location of a channel's memory, sent to the receiver of the channel.
struct Offer {
  SharedFile::Address file;
  Index offset = 0;
};

Index bytes_of(std::span<const WantedChannel> channels) {
  std::size_t sum = 0;
  for (const WantedChannel &c : channels)
    sum += SharedChannel::bytes_for(c.bytes);
  return static_cast<Index>(sum);
}

/// Sends out[n] to the rank of to[n], and receives in[n] from the rank of from[n], for all n.
template <class T>
void send_and_receive(std::span<const WantedChannel> to, const std::vector<T> &out,
                      std::span<const WantedChannel> from, std::vector<T> &in, MPI_Comm comm,
                      int tag, std::vector<MPI_Request> &requests) {
  static_assert(std::is_trivially_copyable_v<T>);
  MPI_Request *request = requests.data();
  for (std::size_t n = 0; n < from.size(); ++n)
    mpi::check(MPI_Irecv(&in[n], sizeof(T), MPI_BYTE, from[n].rank, tag, comm, request++),
               "MPI_Irecv");
  for (std::size_t n = 0; n < to.size(); ++n)
    mpi::check(MPI_Isend(&out[n], sizeof(T), MPI_BYTE, to[n].rank, tag, comm, request++),
               "MPI_Isend");
  const mpi::ReturnedErrors scope;
  mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
}

/// Maps pages of a new file. The threads that will write the pages touch them first. Returns an
/// empty mapping if memory is exhausted.
Mapping take_pages(const SharedFile &file, Index offset, std::size_t bytes, int threads) {
  Mapping pages = file.map(static_cast<std::size_t>(offset), bytes, false);
  if (pages.data() == nullptr) return {};
  std::atomic<bool> all{true};
  const std::size_t page = page_bytes();
  parallel_ranges(static_cast<std::ptrdiff_t>(bytes / page), threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    const auto count = static_cast<std::size_t>(last - first) * page;
                    if (!populate(pages.data() + static_cast<std::size_t>(first) * page, 0, count))
                      all = false;
                  });
  return all ? std::move(pages) : Mapping();
}

} // namespace

Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads) {
  Channels channels;
  SharedFile file; // open until other ranks have opened it
  std::vector<Offer> offers, offered;
  std::vector<char> taken, accepted;
  std::vector<MPI_Request> requests;
  mpi::all_or_none(comm, [&] {
    channels.sent.resize(sent.size());
    channels.received.resize(received.size());
    offers.resize(sent.size());
    offered.resize(received.size());
    accepted.resize(sent.size());
    taken.resize(received.size());
    requests.resize(sent.size() + received.size());
  });
  // If the address space has no room for all channels, this rank makes none, and leaves the memory
  // to the buffers of MPI messages.
  const Index room = bytes_of(sent) + bytes_of(received);
  const bool fits = room > 0 && can_map(static_cast<std::size_t>(room));
  if (fits) file = SharedFile(static_cast<std::size_t>(bytes_of(sent)));
  Index offset = 0;
  for (std::size_t n = 0; n < sent.size(); ++n) {
    const std::size_t bytes = SharedChannel::bytes_for(sent[n].bytes);
    channels.sent[n] = SharedChannel(take_pages(file, offset, bytes, threads), sent[n].bytes);
    if (channels.sent[n]) offers[n] = {file.address(), offset};
    offset += static_cast<Index>(bytes);
  }
  send_and_receive(sent, offers, received, offered, comm, tag, requests);
  for (std::size_t n = 0; n < received.size() && fits; ++n) {
    const std::size_t bytes = SharedChannel::bytes_for(received[n].bytes);
    const SharedFile theirs(offered[n].file);
    channels.received[n] = SharedChannel(
        theirs.map(static_cast<std::size_t>(offered[n].offset), bytes, true), received[n].bytes);
    taken[n] = channels.received[n] ? 1 : 0;
  }
  send_and_receive(received, taken, sent, accepted, comm, tag, requests);
  for (std::size_t n = 0; n < sent.size(); ++n)
    if (accepted[n] == 0) channels.sent[n] = SharedChannel();
  return channels;
}

namespace {

/// True if HFFT_HALO=messages is set on no rank. Collective.
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
    : comm_(exchange::acquire(comm.handle())), tag_(next_neighbour_tag(*comm_)) {
  mpi::all_or_none(comm_->get(), [&] {
    for (const std::vector<Traffic> &traffic : stages)
      stages_.push_back({std::vector<Buffers>(traffic.size()), {}, {}, {comm_, tag_}, 0});
  });
  if (may_share(comm_->get())) share(stages, threads);
  mpi::all_or_none(comm_->get(), [&] { use_requests(stages, threads); });
}

NeighbourMessages::~NeighbourMessages() {
  const exchange::Patience patience;
  bool all_sent = true;
  for (MessageStage &stage : stages_)
    all_sent = stage.requests.cancel(patience) && all_sent;
  if (!all_sent) sent_.leave();
}

/// Creates shared-memory channels to the ranks of this node.
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
    // Assigns the next channel to a message. Returns false if the channel has no memory.
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
        if (is_near(t) && t.sent > 0 && take(out, stages_[s].sent, buffers.out)) {
          buffers.channel = stages_[s].sent.size() - 1;
          bytes_shared_ += t.sent;
        }
        if (is_near(t) && t.received > 0) take(in, stages_[s].received, buffers.in);
      }
  });
}

/// Creates persistent MPI requests for all messages without a channel.
void NeighbourMessages::use_requests(Stages stages, int threads) {
  // Total bytes of the buffers.
  Index sent = 0, received = 0;
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Buffers &buffers = stages_[s].buffers[n];
      if (buffers.out[0] == nullptr) sent += whole_lines(stages[s][n].sent);
      if (buffers.in[0] == nullptr) received += whole_lines(stages[s][n].received);
    }
  sent_ = PageMemory(static_cast<std::size_t>(sent), threads);
  received_ = PageMemory(static_cast<std::size_t>(received), threads);
  std::byte *out = sent_.data(), *in = received_.data();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    MessageStage &stage = stages_[s];
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Traffic &t = stages[s][n];
      if (t.received == 0 || stage.buffers[n].in[0] != nullptr) continue;
      stage.buffers[n].in = {in, in};
      stage.requests.receive(in, t.received, t.rank);
      in += whole_lines(t.received);
    }
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      const Traffic &t = stages[s][n];
      if (t.sent == 0 || stage.buffers[n].out[0] != nullptr) continue;
      stage.buffers[n].out = {out, out};
      stage.buffers[n].request = stage.requests.sends();
      stage.requests.send(out, t.sent, t.rank);
      out += whole_lines(t.sent);
    }
  }
}

std::vector<std::span<std::byte>> NeighbourMessages::pages() const {
  std::vector<std::span<std::byte>> all;
  for (const PageMemory *memory : {&sent_, &received_})
    if (!memory->pages().empty()) all.push_back(memory->pages());
  for (const MessageStage &stage : stages_)
    for (const std::vector<SharedChannel> *channels : {&stage.sent, &stage.received})
      for (const SharedChannel &channel : *channels)
        all.push_back(channel.pages());
  return all;
}

int NeighbourMessages::begin(std::size_t s) {
  MessageStage &stage = stages_[s];
  const std::uint64_t message = ++stage.message;
  for (const SharedChannel &channel : stage.received)
    channel.read(message - 1);
  if (message > 2)
    for (const SharedChannel &channel : stage.sent)
      channel.await_read(message - 2, comm_->get());
  return stage.turn();
}

void NeighbourMessages::start(std::size_t s) {
  start_receiving(s);
  for (std::size_t n = 0; n < stages_[s].buffers.size(); ++n)
    send(s, n);
}

void NeighbourMessages::start_receiving(std::size_t s) { stages_[s].requests.start_receiving(); }

void NeighbourMessages::send(std::size_t s, std::size_t n) {
  MessageStage &stage = stages_[s];
  const Buffers &buffers = stage.buffers[n];
  if (buffers.channel) stage.sent[*buffers.channel].written(stage.message);
  if (buffers.request) stage.requests.start_sending(*buffers.request);
}

bool NeighbourMessages::poll(std::size_t s) {
  MessageStage &stage = stages_[s];
  return stage.requests.poll() && std::all_of(stage.received.begin(), stage.received.end(),
                                              [&](const SharedChannel &channel) {
                                                return channel.is_written(stage.message);
                                              });
}

int NeighbourMessages::finish(std::size_t s) {
  MessageStage &stage = stages_[s];
  stage.requests.finish();
  for (const SharedChannel &channel : stage.received)
    channel.await_written(stage.message, comm_->get());
  return stage.turn();
}

} // namespace hybridfft::grid
