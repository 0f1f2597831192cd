// Exchange by MPI_Alltoallw with a derived datatype for each block. Used for buffers without gaps,
// since MPI packs the data, and for counts beyond MPI's limit.
#include "exchange/algorithms.h"

#include <vector>

#include "base/mpi.h"
#include "exchange/block_messages.h"

namespace hybridfft::exchange {

namespace {

class Alltoallw final : public Exchange {
public:
  Alltoallw(const PeerBlocks &blocks, std::shared_ptr<Communicator> comm,
            std::ptrdiff_t largest_count, const char *name)
      : Exchange(blocks.send, blocks.receive), comm_(std::move(comm)), name_(name) {
    const auto type = [&](const Block &b) {
      return b.elements() == 0
                 ? Datatype()
                 : block_type(b, blocks.order, blocks.element_bytes, Origin::buffer, largest_count);
    };
    for (const Block &b : blocks.sent)
      sent_.add(type(b));
    for (const Block &b : blocks.received)
      received_.add(type(b));
    zeros_.resize(static_cast<std::size_t>(comm_->size()), 0);
  }

  void execute(std::byte *send, std::byte *receive) override {
    mpi::check(MPI_Alltoallw(send, sent_.counts.data(), zeros_.data(), sent_.types.data(), receive,
                             received_.counts.data(), zeros_.data(), received_.types.data(),
                             comm_->get()),
               "MPI_Alltoallw");
  }

  std::string describe() const override { return name_; }

private:
  struct Side {
    std::vector<Datatype> owned;
    std::vector<MPI_Datatype> types;
    std::vector<int> counts;

    void add(Datatype type) {
      const bool empty = type.get() == MPI_DATATYPE_NULL;
      counts.push_back(empty ? 0 : 1);
      types.push_back(empty ? MPI_BYTE : type.get());
      owned.push_back(std::move(type));
    }
  };

  std::shared_ptr<Communicator> comm_;
  std::string name_;
  Side sent_, received_;
  std::vector<int> zeros_;
};

} // namespace

std::unique_ptr<Exchange> make_alltoallw(const std::shared_ptr<Communicator> &comm,
                                         const std::function<PeerBlocks()> &blocks,
                                         std::ptrdiff_t largest_count, const char *name) {
  return made_by_all(
      *comm, [&] { return std::make_unique<Alltoallw>(blocks(), comm, largest_count, name); });
}

namespace {

/// Makes an exchange from a matrix without gaps to the final order. MPI packs the data.
std::unique_ptr<Exchange> make_datatypes(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options) {
  const auto blocks = [&] { return PeerBlocks(t, comm->rank(), {true, true}); };
  return make_alltoallw(comm, std::cref(blocks), options.largest_count, "datatypes");
}

std::unique_ptr<Exchange> make_datatypes_blocks(const Redistribution &r,
                                                const std::shared_ptr<Communicator> &comm,
                                                const BlockMessagesOptions &options) {
  if (options.wire != WireFormat::full) return nullptr;
  const auto blocks = [&] { return PeerBlocks(r, comm->size(), options); };
  return make_alltoallw(comm, std::cref(blocks), options.largest_count, "datatypes");
}

} // namespace

namespace table {
Algorithm datatypes() {
  return {.name = "datatypes",
          .make = make_datatypes,
          .make_blocks = make_datatypes_blocks,
          .cost = {4, 1, 0},
          .place = 5,
          .seldom_best = true};
}
} // namespace table

} // namespace hybridfft::exchange
