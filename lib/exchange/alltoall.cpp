// Exchange by one collective call of MPI. MPI_Alltoallv sends contiguous blocks; it relies on MPI's
// tuning and is the default of unmeasured plans. MPI_Alltoallw has a derived datatype with 64-bit
// sizes for each block, so MPI packs the data: it serves buffers without gaps (tight), and counts
// beyond MPI's limit.
#include "exchange/exchange.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "exchange/block_order.h"

namespace hybridfft::exchange {

namespace {

/// Exchange by MPI_Alltoallv. Counts and displacements are in points instead of elements, because
/// MPI stores them in ints and points are fewer.
class Alltoallv final : public Exchange {
public:
  Alltoallv(const PeerBlocks &blocks, std::shared_ptr<Communicator> comm,
            std::ptrdiff_t largest_count)
      : Exchange(blocks.send, blocks.receive), comm_(std::move(comm)),
        point_(0, {}, blocks.point_elements * static_cast<std::ptrdiff_t>(blocks.element_bytes),
               largest_count) {
    // Ranks without rows in a process grid have points of 0 elements.
    const std::ptrdiff_t unit = std::max<std::ptrdiff_t>(blocks.point_elements, 1);
    for (const Block &b : blocks.sent)
      sent_.add(b, unit);
    for (const Block &b : blocks.received)
      received_.add(b, unit);
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

    void add(const Block &b, std::ptrdiff_t unit) {
      counts.push_back(static_cast<int>(b.rows * b.columns));
      offsets.push_back(static_cast<int>(b.base / unit));
    }
  };

  std::shared_ptr<Communicator> comm_;
  Datatype point_;
  Side sent_, received_;
};

class Alltoallw final : public Exchange {
public:
  Alltoallw(const PeerBlocks &blocks, std::shared_ptr<Communicator> comm,
            std::ptrdiff_t largest_count, const char *name)
      : Exchange(blocks.send, blocks.receive), comm_(std::move(comm)), name_(name) {
    const auto type = [&](const Block &b) {
      if (b.elements() == 0) return Datatype();
      const std::ptrdiff_t offset = b.base * static_cast<std::ptrdiff_t>(blocks.element_bytes);
      return block_type(b, blocks.order, blocks.element_bytes, offset, largest_count);
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

/// Makes an exchange by MPI_Alltoallw. Collective. Throws Failure on all ranks alike.
/// \param data a Transposition or a Redistribution
/// \param name the text of describe()
template <class Data, class Options>
std::unique_ptr<Exchange> make_alltoallw(const Data &data,
                                         const std::shared_ptr<Communicator> &comm,
                                         const Options &options, const char *name) {
  return made_by_all(*comm, [&] {
    return std::make_unique<Alltoallw>(PeerBlocks(data, *comm, options), comm,
                                       options.largest_count, name);
  });
}

/// Return true, on all ranks alike, if MPI can count the points of each buffer. The first rank has
/// the largest buffers of a Transposition, so the ranks need no agreement for it.
bool fits_counts(const Transposition &t, const Communicator &, const ExchangeOptions &options) {
  return std::max(t.rows.count(0) * t.columns.n(), t.columns.count(0) * t.rows.n()) <=
         options.largest_count;
}
bool fits_counts(const Redistribution &r, const Communicator &comm,
                 const BlockMessagesOptions &options) {
  return mpi::everywhere(comm.get(), [&] {
    const auto fits = [&](const RankBytes &b) {
      return b.first + b.count <= options.largest_count;
    };
    return std::ranges::all_of(r.sent, fits) && std::ranges::all_of(r.received, fits);
  });
}

/// Makes an exchange by one MPI_Alltoallv between contiguous blocks. It uses MPI_Alltoallw if the
/// options require a row-major order without gaps, or if counts on any rank exceed MPI's limit.
template <class Data, class Options>
std::unique_ptr<Exchange> make_alltoallv(const Data &data,
                                         const std::shared_ptr<Communicator> &comm,
                                         const Options &options) {
  if (options.wire != WireFormat::full) return nullptr;
  if (options.tight_send || options.final_order)
    return make_alltoallw(data, comm, options, "alltoallv with datatypes");
  if (!fits_counts(data, *comm, options))
    return make_alltoallw(data, comm, options, "alltoallv with 64-bit datatypes");
  return made_by_all(*comm, [&] {
    return std::make_unique<Alltoallv>(PeerBlocks(data, *comm, options), comm,
                                       options.largest_count);
  });
}

/// Makes an exchange from a matrix without gaps to the final order, or of blocks, which have no
/// order. MPI packs the data.
template <class Data, class Options>
std::unique_ptr<Exchange> make_datatypes(const Data &data,
                                         const std::shared_ptr<Communicator> &comm,
                                         const Options &options) {
  if (options.wire != WireFormat::full) return nullptr;
  Options tight = options;
  tight.tight_send = tight.final_order = true;
  return make_alltoallw(data, comm, tight, "datatypes");
}

} // namespace

namespace table {
Algorithm alltoallv() {
  return {.name = "alltoallv",
          .make = make_alltoallv,
          .make_blocks = make_alltoallv,
          .cost = {2, 1, 0}};
}

Algorithm datatypes() {
  return {.name = "datatypes",
          .make = make_datatypes,
          .make_blocks = make_datatypes,
          .cost = {4, 1, 0},
          .seldom_best = true};
}
} // namespace table

} // namespace hybridfft::exchange
