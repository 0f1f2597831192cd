#include "exchange/algorithms.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/mpi.h"
#include "exchange/communicator.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

namespace {

/// A rank's segment of shared memory, in two parts.
struct Segment {
  WindowUse use;
  std::size_t second = 0; ///< offset of the second part
};

class BlocksExchange final : public Exchange {
public:
  BlocksExchange(std::shared_ptr<Segment> segment, std::size_t number)
      : Exchange({}, {}), segment_(std::move(segment)), number_(number) {}

  std::byte *window() const override { return segment_->use.window->data() + part(); }
  /// Only the first exchange returns the bytes of both parts, so that a plan with two exchanges
  /// counts the segment once.
  std::size_t window_bytes() const override { return number_ % 2 == 0 ? segment_->use.bytes : 0; }

  /// The first exchange allocates the pages of the segment and waits until it may be overwritten.
  /// Later exchanges need no wait, because all ranks have synchronised after they read the part
  /// that is written next.
  void begin() override {
    if (number_ == 0) segment_->use.begin();
  }

  void execute(std::byte *, std::byte *) override {
    segment_->use.window->synchronise();
    segment_->use.window->in_use = true;
  }

  std::string describe() const override {
    return "of blocks in shared memory of " + std::to_string(segment_->use.all->size()) + " ranks";
  }

  std::size_t part() const { return number_ % 2 == 0 ? 0 : segment_->second; }

private:
  std::shared_ptr<Segment> segment_;
  std::size_t number_;
};

/// Returns the byte offsets of this rank's blocks in the segments of all ranks. Collective.
std::vector<std::int64_t> offsets_of(const SharedBlocksSide &side, std::size_t part,
                                     MPI_Comm comm) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<std::int64_t> mine, theirs;
  mpi::all_or_none(comm, [&] {
    mine.assign(ranks, 0);
    theirs.assign(ranks, 0);
    for (const RankBytes &b : side.sent)
      mine[static_cast<std::size_t>(b.rank)] = static_cast<std::int64_t>(part) + b.first;
  });
  mpi::check(MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm),
             "MPI_Alltoall");
  return theirs;
}

} // namespace

std::unique_ptr<std::vector<SharedBlocks>>
make_shared_blocks(const std::shared_ptr<Communicator> &comm,
                   const std::vector<SharedBlocksSide> &exchanges, Pages pages) {
  if (nodes_of(*comm)->count() > 1 || comm->size() == 1) return nullptr;
  std::shared_ptr<Segment> segment;
  const auto bytes = [&] {
    std::array<std::size_t, 2> parts{};
    for (std::size_t i = 0; i < exchanges.size(); ++i)
      parts[i % 2] = std::max(parts[i % 2], whole_lines(exchanges[i].bytes));
    segment = std::make_shared<Segment>(Segment{{comm, parts[0] + parts[1]}, parts[0]});
    return segment->use.bytes;
  };
  std::unique_ptr<std::vector<SharedBlocks>> made;
  const auto use = [&](const std::shared_ptr<SharedWindow> &window) {
    segment->use.window = window;
    made = std::make_unique<std::vector<SharedBlocks>>();
  };
  if (!acquire_window(*comm, {std::cref(bytes), std::cref(use), pages})) return nullptr;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    std::shared_ptr<BlocksExchange> exchange;
    mpi::all_or_none(comm->get(), [&] { exchange = std::make_shared<BlocksExchange>(segment, i); });
    const auto offsets = offsets_of(exchanges[i], exchange->part(), comm->get());
    mpi::all_or_none(comm->get(), [&] {
      SharedBlocks blocks{exchange, {}};
      for (int r = 0; r < comm->size(); ++r)
        blocks.distances.push_back(segment->use.window->distance(r) +
                                   offsets[static_cast<std::size_t>(r)] -
                                   static_cast<std::ptrdiff_t>(exchange->part()));
      made->push_back(std::move(blocks));
    });
  }
  return made;
}

} // namespace hybridfft::exchange
