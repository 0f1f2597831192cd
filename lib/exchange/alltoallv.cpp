/// One MPI_Alltoallv between contiguous blocks.
#include "exchange/exchange.h"

#include <algorithm>
#include <vector>

#include "base/mpi.h"
#include "exchange/alltoallw.h"
#include "exchange/block_order.h"

namespace hybridfft::exchange {

namespace {

/// MPI's int counts and displacements in units of one point.
class Alltoallv final : public Exchange {
public:
  Alltoallv(const Transposition &t, std::shared_ptr<Communicator> comm,
            std::ptrdiff_t largest_count)
      : Exchange(Order().send(t, comm->rank()), Order().receive(t, comm->rank())),
        comm_(std::move(comm)),
        point_(0, {}, t.vec * static_cast<std::ptrdiff_t>(t.element_bytes()), largest_count) {
    const int rank = comm_->rank();
    for (int q = 0; q < comm_->size(); ++q) {
      sent_.add(send_block(t, rank, q, Order()));
      received_.add(receive_block(t, rank, q, Order()));
    }
  }

  void execute(std::byte *send, std::byte *receive) override {
    mpi::check(MPI_Alltoallv(send, sent_.counts.data(), sent_.offsets.data(), point_.get(), receive,
                             received_.counts.data(), received_.offsets.data(), point_.get(),
                             comm_->get()),
               "MPI_Alltoallv");
  }

  std::string describe() const override { return "alltoallv"; }

private:
  struct Side {
    std::vector<int> counts, offsets;

    void add(const Block &b) {
      counts.push_back(static_cast<int>(b.rows * b.columns));
      // Idle rows of a process grid have points of no elements.
      offsets.push_back(static_cast<int>(b.base / std::max<std::ptrdiff_t>(b.vec, 1)));
    }
  };

  std::shared_ptr<Communicator> comm_;
  Datatype point_;
  Side sent_, received_;
};

/// MPI_Alltoallw instead where a tight order is asked for, or counts exceed MPI's limit.
std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options) {
  const Order order = order_of(options);
  if (!order.contiguous_send() || !order.contiguous_receive())
    return make_alltoallw(t, comm, order, options.largest_count, "alltoallv with datatypes");
  // The largest buffer of any rank decides, so that all ranks take the same road.
  const std::ptrdiff_t points =
      std::max(t.rows.count(0) * t.columns.n(), t.columns.count(0) * t.rows.n());
  if (points > options.largest_count)
    return make_alltoallw(t, comm, order, options.largest_count, "alltoallv with 64-bit datatypes");
  std::unique_ptr<Exchange> made;
  mpi::all_or_none(comm->get(),
                   [&] { made = std::make_unique<Alltoallv>(t, comm, options.largest_count); });
  return made;
}

} // namespace

namespace table {
Algorithm alltoallv() {
  return {.name = "alltoallv", .make = make_alltoallv, .cost = {2, 1, 0}, .place = 4};
}
} // namespace table

} // namespace hybridfft::exchange
