#include "lfb/extension.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "base/error.h"
#include "base/memory.h"

namespace hybridfft::lfb {

namespace {

using Clock = std::chrono::steady_clock;
using grid::Cartesian;
using grid::Index;
using grid::Index3;

/// What goes to a side of a block. Both ranks of a message sort what is in it alike.
struct Item {
  int to = 0; ///< the block that receives it
  Side side = Side::below;
  std::size_t local = 0; ///< number of the block of this rank that sends or receives it
  Index bytes = 0;

  bool operator<(const Item &other) const {
    return std::pair(to, side) < std::pair(other.to, other.side);
  }
};

struct Items {
  std::vector<Item> sent, received;
};

/// The neighbours above send what fills the gap from above: their points nearest to the cut, which
/// are those at their lower end.
Side opposite(Side side) { return side == Side::below ? Side::above : Side::below; }

std::size_t index(Side side) { return side == Side::below ? 0 : 1; }

/// One axis of an extension.
template <class Real> struct AxisStage {
  int axis = 0;
  std::vector<AxisFill<Real>> fills; ///< of this rank's blocks
  std::map<int, Items> with;         ///< what goes to each other rank, and comes from it
  /// Where each block packs for its sides, and finds what came from them: in messages, or in memory
  /// that blocks of this rank exchange.
  struct Buffers {
    std::array<Real *, 2> out{}, in{};
  };
  std::array<std::vector<Buffers>, 2> buffers; ///< in each turn of the messages
  std::size_t local_values = 0;
  Memory local;
};

} // namespace

template <class Real> struct Extension<Real>::Impl {
  Impl(const Cartesian &cartesian, const Bases &bases, int threads);

  Index period(int block, int axis) const;
  Lines<Real> lines(std::size_t n, int axis) const;
  int neighbour_of(int block, int axis, Side side) const;
  void check(int axis) const;
  void add_stage(int axis);
  std::vector<grid::Traffic> traffic_of(const AxisStage<Real> &stage);
  void place_remote(std::size_t s);
  void place_local(AxisStage<Real> &stage) const;
  void send(std::size_t s);
  void receive(std::size_t s);
  void poll();
  void spent(Phase phase, Clock::time_point begin, Clock::time_point end);

  Cartesian cartesian;
  Bases bases;
  int threads;
  std::vector<AxisStage<Real>> stages;
  std::unique_ptr<grid::NeighbourMessages> messages;
  std::vector<Period<Real>> fields;
  std::size_t current = 0; ///< stage under way; all are done at the end
  Times times;
  Observer observer;
  Clock::time_point started; ///< of the stage's messages
  bool under_way = false;    ///< not all of them have been seen to arrive
  Index bytes_sent = 0;
};

template <class Real>
Extension<Real>::Impl::Impl(const Cartesian &c, const Bases &b, int t)
    : cartesian(c), bases(b), threads(t) {
  std::vector<std::vector<grid::Traffic>> traffic;
  c.communicator().agree([&] {
    // Axis 0 first: what it needs are whole planes, which may be computed before the others.
    for (const int axis : {0, 1, 2})
      if (bases[static_cast<std::size_t>(axis)]) check(axis);
    for (const int axis : {0, 1, 2})
      if (bases[static_cast<std::size_t>(axis)]) add_stage(axis);
    for (const AxisStage<Real> &stage : stages)
      traffic.push_back(traffic_of(stage));
  });
  messages = std::make_unique<grid::NeighbourMessages>(c.communicator(), traffic, threads);
  c.communicator().agree([&] {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      place_remote(s);
      place_local(stages[s]);
    }
  });
  current = stages.size();
}

template <class Real> void Extension<Real>::Impl::check(int axis) const {
  const AxisBasis &b = *bases[static_cast<std::size_t>(axis)];
  const std::vector<Index> &sizes = cartesian.cuts()[static_cast<std::size_t>(axis)];
  for (const Index n : sizes)
    if (n < b.basis.least_block())
      throw Failure(HFFT_ERROR_ARGUMENT, "a block has " + std::to_string(n) +
                                             " points along axis " + std::to_string(axis) +
                                             ", expected at least the " +
                                             std::to_string(b.basis.least_block()) +
                                             " that the basis " + b.basis.name() + " needs");
}

template <class Real> Index Extension<Real>::Impl::period(int block, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const auto place = static_cast<std::size_t>(cartesian.place(block)[axis]);
  return bases[a] ? bases[a]->periods[place] : cartesian.cuts()[a][place];
}

/// Lines along an axis of this rank's block number n: along the axes that come before it the field
/// is extended by then.
template <class Real> Lines<Real> Extension<Real>::Impl::lines(std::size_t n, int axis) const {
  const int block = cartesian.mine()[n];
  const grid::Box box = cartesian.box(block);
  const Period<Real> field = n < fields.size() ? fields[n] : Period<Real>{};
  const Index row = field.pitch, plane = period(block, 1) * row;
  Lines<Real> l;
  l.data = field.data;
  l.n = box.extent(axis);
  if (axis == 2) {
    l.groups = {period(block, 0), period(block, 1)};
    l.group_strides = {plane, row};
    l.inner = l.stride = 1;
    return l;
  }
  l.groups = {1, axis == 1 ? period(block, 0) : box.extent(1)};
  l.group_strides = {0, axis == 1 ? plane : row};
  l.inner = box.extent(2);
  l.stride = axis == 1 ? row : plane;
  return l;
}

template <class Real> void Extension<Real>::Impl::add_stage(int axis) {
  const AxisBasis &basis = *bases[static_cast<std::size_t>(axis)];
  AxisStage<Real> stage;
  stage.axis = axis;
  const std::span<const int> mine = cartesian.mine();
  const int me = cartesian.communicator().rank();
  for (std::vector<typename AxisStage<Real>::Buffers> &buffers : stage.buffers)
    buffers.resize(mine.size());
  for (std::size_t n = 0; n < mine.size(); ++n) {
    const Index gap = period(mine[n], axis) - cartesian.box(mine[n]).extent(axis);
    stage.fills.emplace_back(basis.basis, gap);
    const Index values = lines(n, axis).count() * stage.fills[n].numbers();
    stage.local_values += static_cast<std::size_t>(2 * values);
    for (const Side side : {Side::below, Side::above}) {
      const int neighbour = neighbour_of(mine[n], axis, side);
      const int rank = cartesian.owner(neighbour);
      if (rank == me) continue;
      const auto bytes = values * static_cast<Index>(sizeof(Real));
      stage.with[rank].sent.push_back({neighbour, opposite(side), n, bytes});
      stage.with[rank].received.push_back({mine[n], side, n, bytes});
    }
  }
  for (auto &[rank, items] : stage.with) {
    std::sort(items.sent.begin(), items.sent.end());
    std::sort(items.received.begin(), items.received.end());
  }
  stages.push_back(std::move(stage));
}

template <class Real>
std::vector<grid::Traffic> Extension<Real>::Impl::traffic_of(const AxisStage<Real> &stage) {
  std::vector<grid::Traffic> traffic;
  for (const auto &[rank, items] : stage.with) {
    grid::Traffic t{rank, 0, 0};
    for (const Item &item : items.sent)
      t.sent += item.bytes;
    for (const Item &item : items.received)
      t.received += item.bytes;
    bytes_sent += t.sent;
    traffic.push_back(t);
  }
  return traffic;
}

/// Where blocks pack for other ranks, and find what came from them.
template <class Real> void Extension<Real>::Impl::place_remote(std::size_t s) {
  AxisStage<Real> &stage = stages[s];
  for (const int turn : {0, 1}) {
    auto &buffers = stage.buffers[static_cast<std::size_t>(turn)];
    std::size_t peer = 0;
    for (const auto &[rank, items] : stage.with) {
      std::byte *out = messages->outgoing(s, peer, turn);
      for (const Item &item : items.sent) {
        buffers[item.local].out[index(opposite(item.side))] = reinterpret_cast<Real *>(out);
        out += item.bytes;
      }
      std::byte *in = messages->incoming(s, peer, turn);
      for (const Item &item : items.received) {
        buffers[item.local].in[index(item.side)] = reinterpret_cast<Real *>(in);
        in += item.bytes;
      }
      ++peer;
    }
  }
}

/// The same between blocks of this rank: one packs where the other looks.
template <class Real> void Extension<Real>::Impl::place_local(AxisStage<Real> &stage) const {
  stage.local = Memory(stage.local_values * sizeof(Real), threads);
  Real *next = reinterpret_cast<Real *>(stage.local.data());
  const std::span<const int> mine = cartesian.mine();
  for (std::size_t n = 0; n < mine.size(); ++n)
    for (const Side side : {Side::below, Side::above}) {
      const int neighbour = neighbour_of(mine[n], stage.axis, side);
      const auto found = std::lower_bound(mine.begin(), mine.end(), neighbour);
      if (found == mine.end() || *found != neighbour) continue;
      const auto other = static_cast<std::size_t>(found - mine.begin());
      for (auto &buffers : stage.buffers) {
        buffers[n].out[index(side)] = next;
        buffers[other].in[index(opposite(side))] = next;
      }
      next += lines(n, stage.axis).count() * stage.fills[n].numbers();
    }
}

template <class Real>
int Extension<Real>::Impl::neighbour_of(int block, int axis, Side side) const {
  Index3 step;
  step[axis] = side == Side::below ? -1 : 1;
  return cartesian.neighbour(block, step).value();
}

template <class Real> void Extension<Real>::Impl::send(std::size_t s) {
  const AxisStage<Real> &stage = stages[s];
  const Clock::time_point begin = Clock::now();
  const auto &buffers = stage.buffers[static_cast<std::size_t>(messages->begin(s))];
  for (std::size_t n = 0; n < fields.size(); ++n)
    for (const Side side : {Side::below, Side::above})
      stage.fills[n].pack(lines(n, stage.axis), side, buffers[n].out[index(side)], threads);
  messages->start(s);
  started = Clock::now();
  under_way = true;
  spent(Phase::pack, begin, started);
}

template <class Real>
void Extension<Real>::Impl::spent(Phase phase, Clock::time_point begin, Clock::time_point end) {
  double &total = phase == Phase::pack   ? times.pack
                  : phase == Phase::wait ? times.wait
                                         : times.exchange;
  total += std::chrono::duration<double>(end - begin).count();
  if (observer) observer(phase, begin, end);
}

template <class Real> void Extension<Real>::Impl::poll() {
  if (current == stages.size() || !messages->poll(current) || !under_way) return;
  under_way = false;
  spent(Phase::exchange, started, Clock::now());
}

template <class Real> void Extension<Real>::Impl::receive(std::size_t s) {
  const AxisStage<Real> &stage = stages[s];
  const Clock::time_point begin = Clock::now();
  const auto &buffers = stage.buffers[static_cast<std::size_t>(messages->finish(s))];
  const Clock::time_point received = Clock::now();
  spent(Phase::wait, begin, received);
  if (under_way) spent(Phase::exchange, started, received);
  under_way = false;
  for (std::size_t n = 0; n < fields.size(); ++n)
    stage.fills[n].fill(lines(n, stage.axis), buffers[n].in[index(Side::below)],
                        buffers[n].in[index(Side::above)], threads);
  spent(Phase::pack, received, Clock::now());
}

template <class Real>
Extension<Real>::Extension(const Cartesian &cartesian, const Bases &bases, int threads)
    : impl_(std::make_unique<Impl>(cartesian, bases, threads)) {}
template <class Real> Extension<Real>::~Extension() = default;
template <class Real> Extension<Real>::Extension(Extension &&) noexcept = default;
template <class Real> Extension<Real> &Extension<Real>::operator=(Extension &&) noexcept = default;

template <class Real> void Extension<Real>::start(std::span<const Period<Real>> fields) {
  impl_->fields.assign(fields.begin(), fields.end());
  impl_->current = 0;
  if (!impl_->stages.empty()) impl_->send(0);
}

template <class Real> void Extension<Real>::advance() {
  if (impl_->current == impl_->stages.size()) return;
  impl_->receive(impl_->current);
  if (++impl_->current < impl_->stages.size()) impl_->send(impl_->current);
}

template <class Real> void Extension<Real>::poll() { impl_->poll(); }

template <class Real> void Extension<Real>::finish() {
  while (impl_->current < impl_->stages.size())
    advance();
}

template <class Real> void Extension<Real>::observe(Observer observer) {
  impl_->observer = std::move(observer);
}

template <class Real> auto Extension<Real>::times() const -> const Times & { return impl_->times; }

template <class Real> std::ptrdiff_t Extension<Real>::bytes_sent() const {
  return impl_->bytes_sent;
}

template class Extension<float>;
template class Extension<double>;

} // namespace hybridfft::lfb
