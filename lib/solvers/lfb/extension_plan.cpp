#include "solvers/lfb/extension_plan.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"

namespace hybridfft::lfb {

namespace {

using grid::Cartesian;
using grid::Index3;

/// Section of a message: the values for one side of a block. Sender and receiver sort the sections
/// in the same order.
struct Item {
  int to = 0; ///< receiving block
  AxisSide side = AxisSide::below;
  std::size_t local = 0; ///< local number of the sending or receiving block
  Index values = 0;

  bool operator<(const Item &other) const {
    return std::pair(to, side) < std::pair(other.to, other.side);
  }
};

/// Sections of the messages to and from another rank.
struct Items {
  std::vector<Item> sent, received;
};

/// Returns the local number of a block on its rank.
std::size_t number_on_rank(const Cartesian &cartesian, int block) {
  std::size_t number = 0;
  for (int before = 0; before < block; ++before)
    number += cartesian.owner(before) == cartesian.owner(block) ? 1 : 0;
  return number;
}

/// Returns the opposite side. A block receives values for the upper end of its gap from the
/// neighbour above, which packs them at its lower end.
AxisSide opposite(AxisSide side) {
  return side == AxisSide::below ? AxisSide::above : AxisSide::below;
}

} // namespace

template <class Real>
ExtensionPlan<Real>::ExtensionPlan(const Cartesian &cartesian, const Bases &bases,
                                   MessageUnit messages)
    : cartesian_(cartesian), bases_(bases) {
  for (int block = 0; messages == MessageUnit::of_block && block < cartesian_.blocks(); ++block)
    parts_ = std::max(parts_, number_on_rank(cartesian_, block) + 1);
  // Axis 0 comes first, because callers can compute its outermost planes before all others.
  for (const int axis : {0, 1, 2})
    if (bases_[static_cast<std::size_t>(axis)]) check(axis);
  for (const int axis : {0, 1, 2})
    if (bases_[static_cast<std::size_t>(axis)]) add_stage(axis);
}

template <class Real> void ExtensionPlan<Real>::check(int axis) const {
  const AxisBasis &b = *bases_[static_cast<std::size_t>(axis)];
  for (const Index n : cartesian_.cuts()[static_cast<std::size_t>(axis)])
    if (n < b.basis.min_block())
      throw Failure(HFFT_ERROR_ARGUMENT, "a block has " + std::to_string(n) +
                                             " points along axis " + std::to_string(axis) +
                                             ", expected at least the " +
                                             std::to_string(b.basis.min_block()) +
                                             " that the basis " + b.basis.name() + " needs");
}

template <class Real> Index ExtensionPlan<Real>::period(int block, int axis) const {
  const auto a = static_cast<std::size_t>(axis);
  const auto place = static_cast<std::size_t>(cartesian_.place(block)[axis]);
  return bases_[a] ? bases_[a]->periods[place] : cartesian_.cuts()[a][place];
}

template <class Real>
int ExtensionPlan<Real>::neighbour_of(int block, int axis, AxisSide side) const {
  Index3 step;
  step[axis] = side == AxisSide::below ? -1 : 1;
  return cartesian_.neighbour(block, step).value();
}

/// Returns the lines of a block along an axis. The field is already extended along earlier axes, so
/// there are also lines through the gaps along these axes.
template <class Real>
Lines<Real> ExtensionPlan<Real>::lines(int axis, std::size_t n, const Period<Real> &field) const {
  const int block = cartesian_.mine()[n];
  const grid::Box box = cartesian_.box(block);
  const Index row = field.pitch, plane = period(block, 1) * row;
  if (axis == 2)
    return {field.data, {{period(block, 0), plane}, {period(block, 1), row}}, 1, 1, box.extent(2)};
  const typename Lines<Real>::Loop rows = axis == 1
                                              ? typename Lines<Real>::Loop{period(block, 0), plane}
                                              : typename Lines<Real>::Loop{box.extent(1), row};
  return {field.data, {{1, 0}, rows}, box.extent(2), axis == 1 ? row : plane, box.extent(axis)};
}

template <class Real> void ExtensionPlan<Real>::add_stage(int axis) {
  ExtensionStage &stage = stages_.emplace_back();
  stage.axis = axis;
  stage.basis = &bases_[static_cast<std::size_t>(axis)]->basis;
  const std::span<const int> mine = cartesian_.mine();
  for (const int block : mine)
    stage.gaps.push_back(period(block, axis) - cartesian_.box(block).extent(axis));
  stage.packed.resize(mine.size());
  stage.received.resize(mine.size());
  stage.traffic.resize(parts_);
  stage.first_part = parts_ * (stages_.size() - 1);
  place_remote(stage);
  place_local(stage);
}

template <class Real> void ExtensionPlan<Real>::place_remote(ExtensionStage &stage) const {
  std::map<std::pair<std::size_t, int>, Items> with; // key: part and rank
  const std::span<const int> mine = cartesian_.mine();
  for (std::size_t n = 0; n < mine.size(); ++n)
    for (const AxisSide side : sides) {
      const int neighbour = neighbour_of(mine[n], stage.axis, side);
      const int rank = cartesian_.owner(neighbour);
      if (rank == cartesian_.communicator().rank()) continue;
      with[{part_of(n), rank}].sent.push_back({neighbour, opposite(side), n, values(stage, n)});
      with[{part_of(number_on_rank(cartesian_, neighbour)), rank}].received.push_back(
          {mine[n], side, n, values(stage, n)});
    }
  for (auto &[key, items] : with) {
    const auto &[part, rank] = key;
    std::vector<grid::Traffic> &traffic = stage.traffic[part];
    std::sort(items.sent.begin(), items.sent.end());
    std::sort(items.received.begin(), items.received.end());
    Index sent = 0, received = 0;
    for (const Item &item : items.sent) {
      stage.packed[item.local][index(opposite(item.side))] = {traffic.size(), sent, part};
      sent += item.values;
    }
    for (const Item &item : items.received) {
      stage.received[item.local][index(item.side)] = {traffic.size(), received, part};
      received += item.values;
    }
    constexpr auto bytes = static_cast<Index>(sizeof(Real));
    traffic.push_back({rank, sent * bytes, received * bytes});
  }
}

/// Assigns memory to values exchanged within this rank. Sender and receiver share one slot.
template <class Real> void ExtensionPlan<Real>::place_local(ExtensionStage &stage) const {
  const std::span<const int> mine = cartesian_.mine();
  for (std::size_t n = 0; n < mine.size(); ++n)
    for (const AxisSide side : sides) {
      const int neighbour = neighbour_of(mine[n], stage.axis, side);
      const auto found = std::lower_bound(mine.begin(), mine.end(), neighbour);
      if (found == mine.end() || *found != neighbour) continue;
      const auto other = static_cast<std::size_t>(found - mine.begin());
      const MessageSlot slot{std::nullopt, stage.local_values, 0};
      stage.packed[n][index(side)] = slot;
      stage.received[other][index(opposite(side))] = slot;
      stage.local_values += values(stage, n);
    }
}

template <class Real> std::vector<std::vector<grid::Traffic>> ExtensionPlan<Real>::traffic() const {
  std::vector<std::vector<grid::Traffic>> all;
  for (const ExtensionStage &stage : stages_)
    all.insert(all.end(), stage.traffic.begin(), stage.traffic.end());
  return all;
}

template <class Real> Index ExtensionPlan<Real>::bytes_sent() const {
  Index bytes = 0;
  for (const std::vector<grid::Traffic> &part : traffic())
    for (const grid::Traffic &t : part)
      bytes += t.sent;
  return bytes;
}

template <class Real> Index ExtensionPlan<Real>::bytes_of_buffers() const {
  Index bytes = 0;
  for (const ExtensionStage &stage : stages_)
    bytes += stage.local_values * static_cast<Index>(sizeof(Real));
  for (const std::vector<grid::Traffic> &part : traffic())
    for (const grid::Traffic &t : part)
      bytes += t.sent + t.received;
  return bytes;
}

template class ExtensionPlan<float>;
template class ExtensionPlan<double>;

} // namespace hybridfft::lfb
