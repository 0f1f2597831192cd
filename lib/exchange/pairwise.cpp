/// Exchange by non-blocking messages between pairs of ranks in rounds. Choose it if simultaneous
/// messages to one rank congest the network.
#include "exchange/algorithms.h"

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/mpi.h"
#include "exchange/messages.h"
#include "exchange/mpi_handles.h"

namespace hybridfft::exchange {

namespace {

class Pairwise final : public Exchange {
public:
  Pairwise(const PeerBlocks &blocks, std::shared_ptr<Communicator> comm,
           const ExchangeOptions &options)
      : Exchange(blocks.send, blocks.receive), comm_(std::move(comm)),
        self_sent_(blocks.sent[static_cast<std::size_t>(comm_->rank())]),
        self_received_(blocks.received[static_cast<std::size_t>(comm_->rank())]),
        element_bytes_(blocks.element_bytes), threads_(options.threads) {
    const int rank = comm_->rank();
    const int size = comm_->size();
    const bool power = std::has_single_bit(static_cast<unsigned>(size));
    for (int i = 1; i < size; ++i) {
      const int to = power ? rank ^ i : (rank + i) % size;
      const int from = power ? rank ^ i : (rank - i + size) % size;
      const auto message = [&](int peer, const Block &b) -> std::optional<Message> {
        if (b.elements() == 0) return std::nullopt;
        return Message(peer, options.tag, b, blocks.order, blocks.element_bytes,
                       options.largest_count);
      };
      rounds_.push_back({message(to, blocks.sent[static_cast<std::size_t>(to)]),
                         message(from, blocks.received[static_cast<std::size_t>(from)])});
    }
  }

  void execute(std::byte *send, std::byte *receive) override {
    post(0, send, receive);
    copy_block(self_sent_, send, self_received_, receive, element_bytes_, threads_);
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      post(i + 1, send, receive);
      wait_for_all(&receiving_[i % 2], 1);
      wait_for_all(&sending_[i % 2], 1);
    }
  }

  bool cancel(const Patience &patience) noexcept override {
    return exchange::cancel(receiving_, sending_, patience);
  }

  std::string describe() const override { return "pairwise"; }

private:
  struct Round {
    std::optional<Message> sent, received; ///< no value if there are no data
  };

  void post(std::size_t round, const std::byte *send, std::byte *receive) {
    if (round >= rounds_.size()) return;
    const Round &r = rounds_[round];
    if (r.received) r.received->receive(receive, comm_->get(), 0, receiving_[round % 2]);
    if (r.sent) r.sent->send(send, comm_->get(), 0, sending_[round % 2]);
  }

  std::shared_ptr<Communicator> comm_;
  Block self_sent_, self_received_;
  std::size_t element_bytes_;
  int threads_;
  std::vector<Round> rounds_;
  /// Requests of two successive rounds.
  std::array<MPI_Request, 2> receiving_{MPI_REQUEST_NULL, MPI_REQUEST_NULL},
      sending_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

/// Makes the exchange. In each round a rank exchanges data with one partner (if the number of ranks
/// is a power of two), or sends to one rank and receives from another. So no rank gets many
/// messages at the same time. The next round is in flight while a round completes.
template <class Data, class Options>
std::unique_ptr<Exchange> make_pairwise(const Data &data, const std::shared_ptr<Communicator> &comm,
                                        const Options &options) {
  if (options.wire != WireFormat::full) return nullptr;
  return made_by_all(*comm, [&] {
    return std::make_unique<Pairwise>(PeerBlocks(data, *comm, options), comm, options);
  });
}

} // namespace

namespace table {
Algorithm pairwise() {
  return {.name = "pairwise",
          .make = make_pairwise,
          .make_blocks = make_pairwise,
          .cost = {2.1, 1, 0, 2}};
}
} // namespace table

} // namespace hybridfft::exchange
