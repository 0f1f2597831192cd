#include "grid/shared_channel.h"

#include <utility>

#include "grid/idle.h"

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

} // namespace hybridfft::grid
