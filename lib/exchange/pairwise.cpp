/// Non-blocking messages between pairs of ranks in rounds.
#include "exchange/exchange.h"

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "base/mpi.h"
#include "exchange/message.h"

namespace hybridfft::exchange {

namespace {

class Pairwise final : public Exchange {
public:
  Pairwise(const Transposition &t, std::shared_ptr<Communicator> comm, const Order &order,
           const ExchangeOptions &options)
      : Exchange(order.send(t, comm->rank()), order.receive(t, comm->rank())),
        comm_(std::move(comm)), own_sent_(send_block(t, comm_->rank(), comm_->rank(), order)),
        own_received_(receive_block(t, comm_->rank(), comm_->rank(), order)),
        element_bytes_(t.element_bytes()) {
    const int tag = options.returning ? 1 : 0;
    const int rank = comm_->rank();
    const int size = comm_->size();
    const bool power = std::has_single_bit(static_cast<unsigned>(size));
    for (int i = 1; i < size; ++i) {
      const int to = power ? rank ^ i : (rank + i) % size;
      const int from = power ? rank ^ i : (rank - i + size) % size;
      const auto message = [&](int peer, const Block &b) -> std::optional<Message> {
        if (b.elements() == 0) return std::nullopt;
        return Message(peer, tag, b, order, t.element_bytes(), options.largest_count);
      };
      rounds_.push_back({message(to, send_block(t, rank, to, order)),
                         message(from, receive_block(t, rank, from, order))});
    }
  }

  void execute(std::byte *send, std::byte *receive) override {
    std::array<std::array<MPI_Request, 2>, 2> requests;
    post(0, send, receive, requests[0]);
    copy_block(own_sent_, send, own_received_, receive, element_bytes_);
    for (std::size_t i = 0; i < rounds_.size(); ++i) {
      post(i + 1, send, receive, requests[(i + 1) % 2]);
      mpi::check(MPI_Waitall(2, requests[i % 2].data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
  }

  std::string describe() const override { return "pairwise"; }

private:
  struct Round {
    std::optional<Message> sent, received; ///< none where there is no data
  };

  void post(std::size_t round, const std::byte *send, std::byte *receive,
            std::array<MPI_Request, 2> &requests) const {
    requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (round >= rounds_.size()) return;
    const Round &r = rounds_[round];
    if (r.received) r.received->receive(receive, comm_->get(), 0, requests[0]);
    if (r.sent) r.sent->send(send, comm_->get(), 0, requests[1]);
  }

  std::shared_ptr<Communicator> comm_;
  Block own_sent_, own_received_;
  std::size_t element_bytes_;
  std::vector<Round> rounds_;
};

/// In each round every rank has one partner (powers of two) or one to send to and one to receive
/// from, so that no rank is flooded; the next round is under way while one is waited for.
std::unique_ptr<Exchange> make_pairwise(const Transposition &t,
                                        const std::shared_ptr<Communicator> &comm,
                                        const ExchangeOptions &options) {
  std::unique_ptr<Exchange> made;
  mpi::all_or_none(comm->get(),
                   [&] { made = std::make_unique<Pairwise>(t, comm, order_of(options), options); });
  return made;
}

} // namespace

namespace table {
Algorithm pairwise() {
  return {.name = "pairwise", .make = make_pairwise, .cost = {2.1, 1.2, 0}, .place = 3};
}
} // namespace table

} // namespace hybridfft::exchange
