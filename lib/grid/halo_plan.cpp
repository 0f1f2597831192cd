#include "grid/halo_plan.h"

#include <algorithm>
#include <map>
#include <string>

#include "hybridfft/error.hpp"

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

/// The widths of each field. They and the number of fields must agree on all ranks with blocks.
/// Ranks without blocks may pass none.
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

/// Returns the rows of a box as they lie in the memory of an array.
RowsInMemory rows_of(const HaloArray &array, const Box &box, Index value_bytes) {
  const Box all = grown(array.inner, array.ghosts);
  return {array.memory + (box.lo[0] - all.lo[0]) * array.stride0 +
              (box.lo[1] - all.lo[1]) * array.stride1 + (box.lo[2] - all.lo[2]) * value_bytes,
          array.stride0, array.stride1};
}

/// Messages between this rank and each other rank in a stage.
std::vector<Traffic> traffic_of(const Cartesian &cartesian, const TransferStage &transfers,
                                Index value_bytes) {
  const int me = cartesian.communicator().rank();
  std::map<int, Traffic> traffic;
  for (const HaloTransfer &t : transfers) {
    const int from = cartesian.owner(t.from), to = cartesian.owner(t.to);
    if (from == to) continue;
    Traffic &with = traffic[from == me ? to : from];
    with.rank = from == me ? to : from;
    (from == me ? with.sent : with.received) += t.target.points() * value_bytes;
  }
  std::vector<Traffic> all;
  for (const auto &[rank, with] : traffic)
    all.push_back(with);
  return all;
}

} // namespace

HaloPlan::HaloPlan(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                   std::size_t widths_given, std::size_t value_bytes, Schedule schedule)
    : cartesian_(cartesian), arrays_(arrays.begin(), arrays.end()),
      value_bytes_(static_cast<Index>(value_bytes)) {
  const std::vector<Widths> widths = agreed_widths(cartesian, arrays, widths_given);
  cartesian.communicator().agree([&] {
    stages_ = halo_transfers(cartesian, widths, schedule);
    for (const TransferStage &stage : stages_) {
      traffic_.push_back(traffic_of(cartesian, stage, value_bytes_));
      for (const Traffic &with : traffic_.back()) {
        bytes_sent_ += with.sent;
        messages_sent_ += with.sent > 0 ? 1 : 0;
      }
    }
  });
}

const HaloArray &HaloPlan::array_of(const HaloTransfer &transfer, int block) const {
  const std::span<const int> mine = cartesian_.mine();
  const auto local =
      static_cast<std::size_t>(std::lower_bound(mine.begin(), mine.end(), block) - mine.begin());
  return arrays_[static_cast<std::size_t>(transfer.field) * mine.size() + local];
}

void HaloPlan::for_copies(std::size_t stage, const MessageAt &outgoing, const MessageAt &incoming,
                          const std::function<void(Copy, const RowCopy &)> &add) const {
  const int me = cartesian_.communicator().rank();
  // Addresses of the next transfer in the messages to and from each rank.
  struct Next {
    std::byte *out, *in;
  };
  std::map<int, Next> next;
  for (std::size_t n = 0; n < traffic_[stage].size(); ++n)
    next[traffic_[stage][n].rank] = {outgoing(n), incoming(n)};
  for (const HaloTransfer &t : stages_[stage]) {
    const int from = cartesian_.owner(t.from), to = cartesian_.owner(t.to);
    const Index row = t.target.extent(2) * value_bytes_;
    RowCopy copy{{}, {}, t.target.extent(0), t.target.extent(1), row};
    const auto take = [&](std::byte *&packed_at) {
      const RowsInMemory packed{packed_at, copy.n1 * row, row};
      packed_at += copy.bytes();
      return packed;
    };
    if (from == me) copy.from = rows_of(array_of(t, t.from), t.source, value_bytes_);
    if (to == me) copy.to = rows_of(array_of(t, t.to), t.target, value_bytes_);
    if (from == me && to == me) {
      add(Copy::local, copy);
    } else if (from == me) {
      copy.to = take(next.at(to).out);
      add(Copy::pack, copy);
    } else {
      copy.from = take(next.at(from).in);
      add(Copy::unpack, copy);
    }
  }
}

} // namespace hybridfft::grid::detail
