#include "hybridfft/grid/halo.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "exchange/communicator.h"
#include "grid/halo_transfers.h"
#include "grid/neighbour_messages.h"
#include "grid/row_copies.h"

namespace hybridfft::grid::detail {

namespace {

std::string in_words(const Box &box) {
  std::string text;
  for (int a = 0; a < 3; ++a)
    text += (a > 0 ? " x " : "") + std::to_string(box.lo[a]) + ".." + std::to_string(box.hi[a]);
  return text;
}

void check_array(const HaloArray &array, const Box &box) {
  if (!(array.inner == box))
    throw Error(HFFT_ERROR_ARGUMENT, "an array of a halo covers " + in_words(array.inner) +
                                         ", expected the box of its block, " + in_words(box));
  for (int a = 0; a < 3; ++a)
    for (const bool above : {false, true}) {
      const Index width = above ? array.widths.above[a] : array.widths.below[a];
      const Index ghosts = above ? array.ghosts.above[a] : array.ghosts.below[a];
      if (width < 0 || width > ghosts)
        throw Error(HFFT_ERROR_ARGUMENT, "a halo fills " + std::to_string(width) + " ghosts " +
                                             (above ? "above" : "below") + " along axis " +
                                             std::to_string(a) + ", expected 0 to " +
                                             std::to_string(ghosts) + ", which the array has");
    }
}

/// The same number of fields on all ranks that own blocks, and the same widths of each; as ranks
/// without blocks may say nothing of either.
std::vector<Widths> agreed_widths(const Cartesian &cartesian, std::span<const HaloArray> arrays) {
  const Communicator &comm = cartesian.communicator();
  const std::size_t blocks = cartesian.mine().size();
  const auto mine = static_cast<std::int64_t>(blocks > 0 ? arrays.size() / blocks : 0);
  const std::int64_t fields = comm.max(mine);
  comm.agree([&] {
    if (blocks > 0 && (arrays.size() % blocks != 0 || mine != fields))
      throw Error(HFFT_ERROR_ARGUMENT, "a halo has " + std::to_string(arrays.size()) +
                                           " arrays, expected " + std::to_string(fields) +
                                           " fields for each of " + std::to_string(blocks) +
                                           " blocks");
    for (std::size_t n = 0; n < arrays.size(); ++n) {
      check_array(arrays[n], cartesian.box(cartesian.mine()[n % blocks]));
      if (!(arrays[n].widths == arrays[n / blocks * blocks].widths))
        throw Error(HFFT_ERROR_ARGUMENT, "a halo fills other widths of a field in one block than "
                                         "in another, expected the same ones");
    }
  });
  std::vector<Widths> widths(static_cast<std::size_t>(fields));
  bool same = true;
  for (std::size_t f = 0; f < widths.size(); ++f) {
    const Widths none;
    const Widths &own = blocks > 0 ? arrays[f * blocks].widths : none;
    for (int a = 0; a < 3; ++a) {
      widths[f].below[a] = comm.max(std::int64_t{own.below[a]});
      widths[f].above[a] = comm.max(std::int64_t{own.above[a]});
    }
    same = same && (blocks == 0 || own == widths[f]);
  }
  comm.agree([&] {
    if (!same)
      throw Error(HFFT_ERROR_ARGUMENT, "a halo fills other widths of a field on one rank than on "
                                       "another, expected the same ones");
  });
  return widths;
}

/// Rows of a box in the memory of an array.
RowsInMemory rows_of(const HaloArray &array, const Box &box, Index value_bytes) {
  const Box all = grown(array.inner, array.ghosts);
  return {array.memory + (box.lo[0] - all.lo[0]) * array.stride0 +
              (box.lo[1] - all.lo[1]) * array.stride1 + (box.lo[2] - all.lo[2]) * value_bytes,
          array.stride0, array.stride1};
}

/// One stage: the copies into messages, out of messages, and within the memory of this rank.
struct Stage {
  RowCopies pack, unpack, local;
  std::unique_ptr<NeighbourMessages> messages;
};

} // namespace

struct HaloExchange::Impl {
  std::shared_ptr<exchange::Communicator> comm;
  std::vector<Stage> stages;
  int threads = 1;
  Index bytes_sent = 0, messages_sent = 0;

  void add_stage(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                 const TransferStage &transfers, Index value_bytes, int tag);
  void start(Stage &stage) const {
    stage.pack.run(threads);
    stage.messages->start();
    stage.local.run(threads);
  }
  void finish(Stage &stage) const {
    stage.messages->finish();
    stage.unpack.run(threads);
  }
};

void HaloExchange::Impl::add_stage(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                                   const TransferStage &transfers, Index value_bytes, int tag) {
  const int me = cartesian.communicator().rank();
  const std::span<const int> mine = cartesian.mine();
  const auto array = [&](const Transfer &t, int block) -> const HaloArray & {
    const auto local =
        static_cast<std::size_t>(std::lower_bound(mine.begin(), mine.end(), block) - mine.begin());
    return arrays[static_cast<std::size_t>(t.field) * mine.size() + local];
  };
  const auto bytes = [&](const Transfer &t) { return t.target.points() * value_bytes; };

  std::map<int, Traffic> traffic;
  for (const Transfer &t : transfers) {
    const int from = cartesian.owner(t.from), to = cartesian.owner(t.to);
    if (from == to) continue;
    Traffic &with = traffic[from == me ? to : from];
    with.rank = from == me ? to : from;
    (from == me ? with.sent : with.received) += bytes(t);
  }
  std::vector<Traffic> peers;
  for (const auto &[rank, with] : traffic) {
    peers.push_back(with);
    bytes_sent += with.sent;
    messages_sent += with.sent > 0 ? 1 : 0;
  }

  Stage stage;
  stage.messages = std::make_unique<NeighbourMessages>(peers, comm->get(), tag, threads);
  // Where the next transfer to or from each rank lies in its message.
  std::vector<std::byte *> out, in;
  for (std::size_t n = 0; n < peers.size(); ++n) {
    out.push_back(stage.messages->outgoing(n));
    in.push_back(stage.messages->incoming(n));
  }
  const auto peer = [&](int rank) {
    return static_cast<std::size_t>(std::distance(traffic.begin(), traffic.find(rank)));
  };
  for (const Transfer &t : transfers) {
    const int from = cartesian.owner(t.from), to = cartesian.owner(t.to);
    const Index row = t.target.extent(2) * value_bytes;
    RowCopy copy{{}, {}, t.target.extent(0), t.target.extent(1), row};
    const auto take = [&](std::byte *&next) {
      const RowsInMemory packed{next, copy.n1 * row, row};
      next += copy.bytes();
      return packed;
    };
    if (from == me) copy.from = rows_of(array(t, t.from), t.source, value_bytes);
    if (to == me) copy.to = rows_of(array(t, t.to), t.target, value_bytes);
    if (from == me && to == me) {
      stage.local.add(copy);
    } else if (from == me) {
      copy.to = take(out[peer(to)]);
      stage.pack.add(copy);
    } else {
      copy.from = take(in[peer(from)]);
      stage.unpack.add(copy);
    }
  }
  stages.push_back(std::move(stage));
}

HaloExchange::HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                           std::size_t value_bytes, Schedule schedule, int threads)
    : impl_(std::make_unique<Impl>()) {
  const Communicator &comm = cartesian.communicator();
  const std::vector<Widths> widths = agreed_widths(cartesian, arrays);
  impl_->threads = std::max(threads, 1);
  impl_->comm = exchange::acquire(comm.handle());
  const int tag = next_tag(*impl_->comm);
  comm.agree([&] {
    for (const TransferStage &stage : halo_transfers(cartesian, widths, schedule))
      impl_->add_stage(cartesian, arrays, stage, static_cast<Index>(value_bytes), tag);
  });
}

HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange &&) noexcept = default;
HaloExchange &HaloExchange::operator=(HaloExchange &&) noexcept = default;

void HaloExchange::start() {
  if (!impl_->stages.empty()) impl_->start(impl_->stages.front());
}

void HaloExchange::finish() {
  for (std::size_t s = 0; s < impl_->stages.size(); ++s) {
    if (s > 0) impl_->start(impl_->stages[s]);
    impl_->finish(impl_->stages[s]);
  }
}

Index HaloExchange::bytes_sent() const { return impl_->bytes_sent; }
Index HaloExchange::messages_sent() const { return impl_->messages_sent; }

} // namespace hybridfft::grid::detail
