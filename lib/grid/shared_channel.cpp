#include "grid/shared_channel.h"

#include <atomic>
#include <type_traits>
#include <utility>

#include "base/mpi.h"
#include "base/threads.h"
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

/// Sends one value to each rank in `to`, and receives one value from each rank of the other list.
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
  // If there is no room for all channels, none is made, and MPI's buffers get the memory.
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

} // namespace hybridfft::grid
