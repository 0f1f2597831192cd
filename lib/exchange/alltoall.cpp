// Exchange by one collective call of MPI. MPI_Alltoallv sends contiguous blocks; it relies on MPI's
// tuning and is the default of unmeasured plans. MPI_Alltoallw has a derived datatype with 64-bit
// sizes for each block, so MPI packs the data: it serves buffers without gaps (tight), and counts
// beyond MPI's limit.
#include "exchange/algorithms.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "exchange/block_order.h"

namespace hybridfft::exchange {

namespace {

class Alltoall final : public Exchange {
public:
  /// \param packs true: MPI_Alltoallw with a datatype for each block; false: MPI_Alltoallv. It
  ///   counts in points, not elements, because MPI's counts and displacements are ints.
  /// \param name the text of describe()
  Alltoall(const PeerBlocks &blocks, std::shared_ptr<Communicator> comm,
           std::ptrdiff_t largest_count, bool packs, const char *name)
      : Exchange(blocks.send, blocks.receive), comm_(std::move(comm)), packs_(packs), name_(name) {
    if (!packs)
      point_ =
          Datatype(0, {}, blocks.point_elements * static_cast<std::ptrdiff_t>(blocks.element_bytes),
                   largest_count);
    for (const Block &b : blocks.sent)
      add(sent_, b, blocks, largest_count);
    for (const Block &b : blocks.received)
      add(received_, b, blocks, largest_count);
  }

  void execute(std::byte *send, std::byte *receive) override {
    const Side &s = sent_;
    const Side &r = received_;
    if (packs_)
      mpi::check(MPI_Alltoallw(send, s.counts.data(), s.offsets.data(), s.types.data(), receive,
                               r.counts.data(), r.offsets.data(), r.types.data(), comm_->get()),
                 "MPI_Alltoallw");
    else
      mpi::check(MPI_Alltoallv(send, s.counts.data(), s.offsets.data(), point_.get(), receive,
                               r.counts.data(), r.offsets.data(), point_.get(), comm_->get()),
                 "MPI_Alltoallv");
  }

  std::string describe() const override { return name_; }

private:
  struct Side {
    std::vector<int> counts, offsets;
    std::vector<MPI_Datatype> types; ///< empty for MPI_Alltoallv
    std::vector<Datatype> owned;
  };

  void add(Side &side, const Block &b, const PeerBlocks &blocks,
           std::ptrdiff_t largest_count) const {
    if (!packs_) {
      // Ranks without rows in a process grid have points of 0 elements.
      const std::ptrdiff_t unit = std::max<std::ptrdiff_t>(blocks.point_elements, 1);
      side.counts.push_back(static_cast<int>(b.rows * b.columns));
      side.offsets.push_back(static_cast<int>(b.base / unit));
      return;
    }
    const bool empty = b.elements() == 0;
    const std::ptrdiff_t offset = b.base * static_cast<std::ptrdiff_t>(blocks.element_bytes);
    side.owned.push_back(
        empty ? Datatype()
              : block_type(b, blocks.order, blocks.element_bytes, offset, largest_count));
    side.types.push_back(empty ? MPI_BYTE : side.owned.back().get());
    side.counts.push_back(empty ? 0 : 1);
    side.offsets.push_back(0);
  }

  std::shared_ptr<Communicator> comm_;
  bool packs_;
  std::string name_;
  Datatype point_; ///< for MPI_Alltoallv
  Side sent_, received_;
};

/// Makes the exchange. Collective. Throws Failure on all ranks alike.
/// \param data a Transposition or a Redistribution
template <class Data, class Options>
std::unique_ptr<Exchange> make_alltoall(const Data &data, const std::shared_ptr<Communicator> &comm,
                                        const Options &options, bool packs, const char *name) {
  return made_by_all(*comm, [&] {
    return std::make_unique<Alltoall>(PeerBlocks(data, *comm, options), comm, options.largest_count,
                                      packs, name);
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
    return make_alltoall(data, comm, options, true, "alltoallv with datatypes");
  if (!fits_counts(data, *comm, options))
    return make_alltoall(data, comm, options, true, "alltoallv with 64-bit datatypes");
  return make_alltoall(data, comm, options, false, "alltoallv");
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
  return make_alltoall(data, comm, tight, true, "datatypes");
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
