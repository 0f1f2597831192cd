#include "hybridfft/grid/halo.hpp"

#include <algorithm>
#include <array>
#include <map>

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
std::vector<Widths> agreed_widths(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                                  std::size_t given) {
  const Communicator &comm = cartesian.communicator();
  const std::size_t blocks = cartesian.mine().size();
  const auto mine = static_cast<std::int64_t>(blocks > 0 ? arrays.size() / blocks : 0);
  const std::int64_t fields = comm.max(mine);
  comm.agree([&] {
    if (blocks == 0 ? !arrays.empty() : arrays.size() % blocks != 0 || mine != fields)
      throw Error(HFFT_ERROR_ARGUMENT, "a halo has " + std::to_string(arrays.size()) +
                                           " arrays, expected " + std::to_string(fields) +
                                           " fields for each of " + std::to_string(blocks) +
                                           " blocks");
    if (given > 0 && given != static_cast<std::size_t>(fields))
      throw Error(HFFT_ERROR_ARGUMENT, "a halo has widths of " + std::to_string(given) +
                                           " fields, expected those of " + std::to_string(fields));
    for (std::size_t n = 0; blocks > 0 && n < arrays.size(); ++n) {
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

/// One stage: the copies into messages and out of them, in both turns of their buffers, and within
/// the memory of this rank.
struct Stage {
  std::array<RowCopies, 2> pack, unpack;
  RowCopies local;
};

/// Messages between this rank and each other one in a stage.
std::map<int, Traffic> traffic_of(const Cartesian &cartesian, const TransferStage &transfers,
                                  Index value_bytes) {
  const int me = cartesian.communicator().rank();
  std::map<int, Traffic> traffic;
  for (const Transfer &t : transfers) {
    const int from = cartesian.owner(t.from), to = cartesian.owner(t.to);
    if (from == to) continue;
    Traffic &with = traffic[from == me ? to : from];
    with.rank = from == me ? to : from;
    (from == me ? with.sent : with.received) += t.target.points() * value_bytes;
  }
  return traffic;
}

} // namespace

struct [[gnu::visibility("hidden")]] HaloExchange::Impl {
  std::vector<Stage> stages;
  std::unique_ptr<NeighbourMessages> messages;
  int threads = 1;
  Index bytes_sent = 0, messages_sent = 0;

  std::vector<Traffic> count(const std::map<int, Traffic> &traffic);
  void place(std::size_t stage, int turn, const Cartesian &cartesian,
             std::span<const HaloArray> arrays, const TransferStage &transfers, Index value_bytes);
  void start(std::size_t stage) const {
    const int turn = messages->begin(stage);
    stages[stage].pack[static_cast<std::size_t>(turn)].run(threads);
    messages->start(stage);
    stages[stage].local.run(threads);
  }
  void finish(std::size_t stage) const {
    const int turn = messages->finish(stage);
    stages[stage].unpack[static_cast<std::size_t>(turn)].run(threads);
  }
};

std::vector<Traffic> HaloExchange::Impl::count(const std::map<int, Traffic> &traffic) {
  std::vector<Traffic> peers;
  for (const auto &[rank, with] : traffic) {
    peers.push_back(with);
    bytes_sent += with.sent;
    messages_sent += with.sent > 0 ? 1 : 0;
  }
  return peers;
}

/// Adds the copies of a stage, whose messages lie in the buffers of a turn.
void HaloExchange::Impl::place(std::size_t stage, int turn, const Cartesian &cartesian,
                               std::span<const HaloArray> arrays, const TransferStage &transfers,
                               Index value_bytes) {
  const int me = cartesian.communicator().rank();
  const std::span<const int> mine = cartesian.mine();
  const auto array = [&](const Transfer &t, int block) -> const HaloArray & {
    const auto local =
        static_cast<std::size_t>(std::lower_bound(mine.begin(), mine.end(), block) - mine.begin());
    return arrays[static_cast<std::size_t>(t.field) * mine.size() + local];
  };
  // Where the next transfer to or from each rank lies in its message.
  struct Next {
    std::byte *out, *in;
  };
  std::map<int, Next> next;
  for (const auto &[rank, with] : traffic_of(cartesian, transfers, value_bytes)) {
    const std::size_t n = next.size();
    next[rank] = {messages->outgoing(stage, n, turn), messages->incoming(stage, n, turn)};
  }
  const auto parity = static_cast<std::size_t>(turn);
  for (const Transfer &t : transfers) {
    const int from = cartesian.owner(t.from), to = cartesian.owner(t.to);
    const Index row = t.target.extent(2) * value_bytes;
    RowCopy copy{{}, {}, t.target.extent(0), t.target.extent(1), row};
    const auto take = [&](std::byte *&packed_at) {
      const RowsInMemory packed{packed_at, copy.n1 * row, row};
      packed_at += copy.bytes();
      return packed;
    };
    if (from == me) copy.from = rows_of(array(t, t.from), t.source, value_bytes);
    if (to == me) copy.to = rows_of(array(t, t.to), t.target, value_bytes);
    if (from == me && to == me) {
      if (turn == 0) stages[stage].local.add(copy);
    } else if (from == me) {
      copy.to = take(next.at(to).out);
      stages[stage].pack[parity].add(copy);
    } else {
      copy.from = take(next.at(from).in);
      stages[stage].unpack[parity].add(copy);
    }
  }
}

HaloExchange::HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                           std::size_t widths_given, std::size_t value_bytes, Schedule schedule,
                           int threads)
    : impl_(std::make_unique<Impl>()) {
  const Communicator &comm = cartesian.communicator();
  const std::vector<Widths> widths = agreed_widths(cartesian, arrays, widths_given);
  const auto bytes = static_cast<Index>(value_bytes);
  impl_->threads = std::max(threads, 1);
  std::vector<TransferStage> stages;
  std::vector<std::vector<Traffic>> traffic;
  comm.agree([&] {
    stages = halo_transfers(cartesian, widths, schedule);
    impl_->stages.resize(stages.size());
    for (const TransferStage &stage : stages)
      traffic.push_back(impl_->count(traffic_of(cartesian, stage, bytes)));
  });
  impl_->messages = std::make_unique<NeighbourMessages>(comm, traffic, impl_->threads);
  comm.agree([&] {
    for (std::size_t s = 0; s < stages.size(); ++s)
      for (const int turn : {0, 1})
        impl_->place(s, turn, cartesian, arrays, stages[s], bytes);
  });
}

HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange &&) noexcept = default;
HaloExchange &HaloExchange::operator=(HaloExchange &&) noexcept = default;

void HaloExchange::start() {
  if (!impl_->stages.empty()) impl_->start(0);
}

void HaloExchange::finish() {
  for (std::size_t s = 0; s < impl_->stages.size(); ++s) {
    if (s > 0) impl_->start(s);
    impl_->finish(s);
  }
}

Index HaloExchange::bytes_sent() const { return impl_->bytes_sent; }
Index HaloExchange::messages_sent() const { return impl_->messages_sent; }
Index HaloExchange::bytes_shared() const { return impl_->messages->bytes_shared(); }

} // namespace hybridfft::grid::detail
