// Halo exchange of uniform blocks on the host, axis by axis or with all neighbours at once.
#include "hybridfft/grid/halo.hpp"

#include <algorithm>
#include <array>

#include "grid/halo_plan.h"
#include "hybridfft/grid/regions.hpp"

namespace hybridfft::grid::detail {

namespace {

/// The copies of one stage: `pack` to messages and `unpack` from messages, each for turn 0 and 1 of
/// the message buffers, and `local` between arrays of this rank.
struct Stage {
  std::array<RowCopies, 2> pack, unpack;
  RowCopies local;
};

/// Halo exchange of arrays of the host.
class HostHalo final : public HaloExchange::Impl {
public:
  HostHalo(const Cartesian &cartesian, const HaloPlan &plan, int threads)
      : Impl(plan), messages_(cartesian.communicator(), plan.traffic(), threads),
        threads_(threads) {
    cartesian.communicator().agree([&] {
      stages_.resize(plan.stages());
      for (std::size_t s = 0; s < plan.stages(); ++s)
        for (const int turn : {0, 1})
          place(plan, s, turn);
    });
  }

  void start() override {
    current_ = 0;
    if (!stages_.empty()) start(0);
  }
  bool test() override {
    for (; current_ + 1 < stages_.size(); next())
      if (!messages_.poll(current_)) return false;
    return current_ >= stages_.size() || messages_.poll(current_);
  }
  void finish() override {
    while (current_ < stages_.size())
      next();
  }
  Index bytes_shared() const override { return messages_.bytes_shared(); }

private:
  /// Adds the copies of stage s, with messages in the buffers of turn `turn`.
  void place(const HaloPlan &plan, std::size_t s, int turn) {
    Stage &stage = stages_[s];
    plan.for_copies(
        s, [&](std::size_t n) { return messages_.outgoing(s, n, turn); },
        [&](std::size_t n) { return messages_.incoming(s, n, turn); },
        [&](HaloPlan::Copy kind, const RowCopy &copy) {
          if (kind == HaloPlan::Copy::pack)
            stage.pack[static_cast<std::size_t>(turn)].add(copy);
          else if (kind == HaloPlan::Copy::unpack)
            stage.unpack[static_cast<std::size_t>(turn)].add(copy);
          else if (turn == 0)
            stage.local.add(copy);
        });
  }
  void start(std::size_t s) {
    {
      const Stopwatch watch(times.pack);
      const int turn = messages_.begin(s);
      stages_[s].pack[static_cast<std::size_t>(turn)].run(threads_);
      messages_.start(s);
    }
    const Stopwatch watch(times.copies);
    stages_[s].local.run(threads_);
  }
  /// Completes the current stage and starts the next one.
  void next() {
    const int turn = wait(current_);
    {
      const Stopwatch watch(times.copies);
      stages_[current_].unpack[static_cast<std::size_t>(turn)].run(threads_);
    }
    if (++current_ < stages_.size()) start(current_);
  }
  int wait(std::size_t s) {
    const Stopwatch watch(times.wait);
    return messages_.finish(s);
  }

  std::vector<Stage> stages_;
  std::size_t current_ = 0; ///< stage in flight; the number of stages if there is none
  NeighbourMessages messages_;
  int threads_;
};

} // namespace

HaloExchange::HaloExchange(const Cartesian &cartesian, std::span<const HaloArray> arrays,
                           std::size_t widths_given, std::size_t value_bytes, Schedule schedule,
                           int threads)
    : impl_(std::make_unique<HostHalo>(
          cartesian, HaloPlan(cartesian, arrays, widths_given, value_bytes, schedule),
          std::max(threads, 1))) {}

HaloExchange::~HaloExchange() = default;
HaloExchange::HaloExchange(HaloExchange &&) noexcept = default;
HaloExchange &HaloExchange::operator=(HaloExchange &&) noexcept = default;

void HaloExchange::start() { impl_->start(); }
bool HaloExchange::test() { return impl_->test(); }
void HaloExchange::finish() { impl_->finish(); }
Index HaloExchange::bytes_sent() const { return impl_->bytes_sent; }
Index HaloExchange::messages_sent() const { return impl_->messages_sent; }
Index HaloExchange::bytes_shared() const { return impl_->bytes_shared(); }
HaloTimes HaloExchange::times() const { return impl_->times; }

} // namespace hybridfft::grid::detail

namespace hybridfft::grid {

Regions regions(const Box &box, const Widths &widths) {
  Regions parts;
  parts.interior = box;
  Box &rest = parts.interior;
  const auto take = [&](const Box &piece) {
    if (!piece.empty()) parts.boundary.push_back(piece);
  };
  // Along each axis, cuts a boundary layer off both ends of the box that remains from earlier axes.
  for (int a = 0; a < 3; ++a) {
    const Index below = std::min(rest.lo[a] + widths.below[a], rest.hi[a]);
    const Index above = std::max(rest.hi[a] - widths.above[a], below);
    Box piece = rest;
    piece.hi[a] = below;
    take(piece);
    piece = rest;
    piece.lo[a] = above;
    take(piece);
    rest.lo[a] = below;
    rest.hi[a] = above;
  }
  if (rest.empty()) rest = Box();
  return parts;
}

std::vector<Box> boxes_between_exchanges(const Cartesian &cartesian, int block,
                                         const Widths &widths, int steps) {
  const Box own = cartesian.box(block);
  const Box domain = cartesian.domain();
  std::vector<Box> boxes;
  for (int step = steps - 1; step >= 0; --step) {
    Box box = grown(own, widths.times(step));
    for (int a = 0; a < 3; ++a) {
      if (cartesian.periodic()[static_cast<std::size_t>(a)]) continue;
      box.lo[a] = std::max(box.lo[a], domain.lo[a]);
      box.hi[a] = std::min(box.hi[a], domain.hi[a]);
    }
    boxes.push_back(box);
  }
  return boxes;
}

} // namespace hybridfft::grid
