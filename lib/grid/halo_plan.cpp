#include "grid/halo_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "hybridfft/error.hpp"

namespace hybridfft::grid {

namespace {

/// Interval of an axis owned by the blocks at position `from` and stored by the blocks at position
/// `to`, either as inner points (from == to, shift 0) or as ghosts.
struct Segment {
  Index from = 0, to = 0;
  Index lo = 0, hi = 0; ///< in indices of `to`
  Index shift = 0;      ///< index in `from` minus index in `to`: a multiple of the period
  bool inner = false;
};

using Segments = std::vector<Segment>;

/// All segments of an axis, for given numbers of ghosts.
class AxisSegments {
public:
  AxisSegments(const std::vector<Index> &starts, bool periodic, Index below, Index above)
      : starts_(starts), periodic_(periodic) {
    for (std::size_t b = 0; b + 1 < starts.size(); ++b) {
      const auto to = static_cast<Index>(b);
      segments_.push_back({to, to, starts[b], starts[b + 1], 0, true});
      add(to, starts[b] - below, starts[b]);
      add(to, starts[b + 1], starts[b + 1] + above);
    }
  }
  const Segments &all() const { return segments_; }

private:
  /// Adds the ghosts lo .. hi-1 of the blocks at position `to`, as one segment per owner.
  void add(Index to, Index lo, Index hi) {
    const Index n = starts_.back();
    if (!periodic_) {
      lo = std::max<Index>(lo, 0);
      hi = std::min(hi, n);
    }
    while (lo < hi) {
      const Index period = lo >= 0 ? lo / n : -((-lo + n - 1) / n);
      const Index shift = -period * n;
      const auto end = std::upper_bound(starts_.begin(), starts_.end(), lo + shift);
      const Index last = std::min(hi, *end - shift);
      segments_.push_back({end - starts_.begin() - 1, to, lo, last, shift, false});
      lo = last;
    }
  }

  const std::vector<Index> &starts_;
  bool periodic_;
  Segments segments_;
};

/// Combines one segment of each axis into a transfer.
HaloTransfer transfer_of(const Cartesian &cartesian, int field, const std::array<Segment, 3> &s) {
  HaloTransfer t;
  t.field = field;
  t.from = cartesian.block_at({{s[0].from, s[1].from, s[2].from}});
  t.to = cartesian.block_at({{s[0].to, s[1].to, s[2].to}});
  Index3 shift;
  for (int a = 0; a < 3; ++a) {
    const Segment &segment = s[static_cast<std::size_t>(a)];
    t.target.lo[a] = segment.lo;
    t.target.hi[a] = segment.hi;
    shift[a] = segment.shift;
  }
  t.source = shifted(t.target, shift);
  return t;
}

/// Adds this rank's transfers of one field, for all combinations of the segments in `wanted`.
class Collector {
public:
  Collector(const Cartesian &cartesian, TransferStage &stage) : c_(cartesian), stage_(stage) {
    // Marks the positions of this rank's blocks, so that other transfers are skipped early.
    for (const int block : c_.mine()) {
      const Index3 at = c_.place(block);
      for (int a = 0; a < 3; ++a)
        own_[static_cast<std::size_t>(a)].push_back(at[a]);
    }
    for (std::vector<Index> &places : own_) {
      std::sort(places.begin(), places.end());
      places.erase(std::unique(places.begin(), places.end()), places.end());
    }
  }

  void add(int field, const std::array<Segments, 3> &segments) {
    const std::array<Segments, 3> s{near(0, segments[0]), near(1, segments[1]),
                                    near(2, segments[2])};
    for (const Segment &s0 : s[0])
      for (const Segment &s1 : s[1])
        for (const Segment &s2 : s[2]) {
          if (s0.inner && s1.inner && s2.inner) continue;
          const HaloTransfer t = transfer_of(c_, field, {s0, s1, s2});
          const int me = c_.communicator().rank();
          if (c_.owner(t.from) == me || c_.owner(t.to) == me) stage_.push_back(t);
        }
  }

private:
  Segments near(std::size_t axis, const Segments &segments) const {
    const auto own = [&](Index place) {
      return std::binary_search(own_[axis].begin(), own_[axis].end(), place);
    };
    Segments chosen;
    std::copy_if(segments.begin(), segments.end(), std::back_inserter(chosen),
                 [&](const Segment &s) { return own(s.from) || own(s.to); });
    return chosen;
  }

  const Cartesian &c_;
  TransferStage &stage_;
  std::array<std::vector<Index>, 3> own_;
};

/// Returns the ghosts transferred in stage `axis` of Schedule::in_order. They include the ghosts
/// filled along earlier axes, but only inner points along later axes.
std::array<Segments, 3> segments_in_order(const Cartesian &cartesian, const Widths &widths,
                                          int axis) {
  std::array<Segments, 3> segments;
  const Box domain = cartesian.domain();
  for (int a = 0; a < 3; ++a) {
    const auto at = static_cast<std::size_t>(a);
    const AxisSegments all(cartesian.starts(a), cartesian.periodic()[at], widths.below[a],
                           widths.above[a]);
    for (Segment s : all.all()) {
      if (a == axis ? s.inner : !s.inner) continue;
      if (a < axis) {
        s.lo -= widths.below[a];
        s.hi += widths.above[a];
        if (!cartesian.periodic()[at]) {
          s.lo = std::max(s.lo, domain.lo[a]);
          s.hi = std::min(s.hi, domain.hi[a]);
        }
      }
      segments[at].push_back(s);
    }
  }
  return segments;
}

/// Adds the transfers of one field from one box to another: ghosts of `to` within `from` or its
/// periodic images.
void add_between(const Cartesian &c, int field, const Widths &w, int from, int to,
                 TransferStage &stage) {
  const Box wanted = grown(c.box(to), w), domain = c.domain();
  Index3 least, most; // range of shifts, in periods
  for (int a = 0; a < 3; ++a) {
    if (!c.periodic()[static_cast<std::size_t>(a)]) continue;
    least[a] = -((w.below[a] + domain.hi[a] - 1) / domain.hi[a]);
    most[a] = (w.above[a] + domain.hi[a] - 1) / domain.hi[a];
  }
  for (Index i = least[0]; i <= most[0]; ++i)
    for (Index j = least[1]; j <= most[1]; ++j)
      for (Index k = least[2]; k <= most[2]; ++k) {
        if (from == to && i == 0 && j == 0 && k == 0) continue;
        const Index3 by{{i * domain.hi[0], j * domain.hi[1], k * domain.hi[2]}};
        HaloTransfer t;
        t.field = field;
        t.from = from;
        t.to = to;
        t.target = intersection(wanted, shifted(c.box(from), by));
        t.source = shifted(t.target, {{-by[0], -by[1], -by[2]}});
        if (!t.target.empty()) stage.push_back(t);
      }
}

/// Returns the transfers between arbitrary boxes, in one stage.
TransferStage irregular_transfers(const Cartesian &c, const std::vector<Widths> &widths) {
  TransferStage stage;
  for (const int own : c.mine())
    for (int other = 0; other < c.blocks(); ++other)
      for (std::size_t f = 0; f < widths.size(); ++f) {
        add_between(c, static_cast<int>(f), widths[f], other, own, stage);
        if (other != own) add_between(c, static_cast<int>(f), widths[f], own, other, stage);
      }
  return stage;
}

void sort(TransferStage &stage) {
  const auto key = [](const HaloTransfer &t) {
    return std::tuple(t.to, t.from, t.field, t.target.lo[0], t.target.lo[1], t.target.lo[2]);
  };
  std::sort(stage.begin(), stage.end(),
            [&](const HaloTransfer &a, const HaloTransfer &b) { return key(a) < key(b); });
}

} // namespace

std::vector<TransferStage> halo_transfers(const Cartesian &cartesian,
                                          const std::vector<Widths> &widths, Schedule schedule) {
  if (cartesian.irregular()) {
    std::vector<TransferStage> stages{irregular_transfers(cartesian, widths)};
    sort(stages[0]);
    if (stages[0].empty()) stages.clear();
    return stages;
  }
  const bool in_order = schedule == Schedule::in_order;
  std::vector<TransferStage> stages(in_order ? 3 : 1);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    Collector collector(cartesian, stages[stage]);
    for (std::size_t f = 0; f < widths.size(); ++f) {
      std::array<Segments, 3> segments;
      if (in_order) {
        segments = segments_in_order(cartesian, widths[f], static_cast<int>(stage));
      } else {
        for (int a = 0; a < 3; ++a)
          segments[static_cast<std::size_t>(a)] =
              AxisSegments(cartesian.starts(a), cartesian.periodic()[static_cast<std::size_t>(a)],
                           widths[f].below[a], widths[f].above[a])
                  .all();
      }
      collector.add(static_cast<int>(f), segments);
    }
    sort(stages[stage]);
  }
  stages.erase(std::remove_if(stages.begin(), stages.end(),
                              [](const TransferStage &stage) { return stage.empty(); }),
               stages.end());
  return stages;
}

} // namespace hybridfft::grid

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

/// Returns the widths of each field. All ranks with blocks must pass the same widths for the same
/// number of fields. Ranks without blocks may pass none.
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

/// Returns the address and strides of a box in the memory of an array.
RowsInMemory rows_of(const HaloArray &array, const Box &box, Index value_bytes) {
  const Box all = grown(array.inner, array.ghosts);
  return {array.memory + (box.lo[0] - all.lo[0]) * array.stride0 +
              (box.lo[1] - all.lo[1]) * array.stride1 + (box.lo[2] - all.lo[2]) * value_bytes,
          array.stride0, array.stride1};
}

/// Returns the sizes of the messages between this rank and each other rank in a stage.
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
  // Addresses for the next transfer in the messages to and from one rank.
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
