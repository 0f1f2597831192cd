#include "plan/group_transposition.h"

#include <algorithm>

namespace hybridfft::plan {

namespace {

/// The axis that a dimension of a grid cuts; nothing where another dimension cuts it, too, or no
/// single axis is cut.
std::optional<int> axis_of(const GridCuts &cuts, const GridDimension &g) {
  const auto at = std::find(cuts.grid.begin(), cuts.grid.end(), g);
  if (at == cuts.grid.end()) return std::nullopt;
  const int axis = cuts.axes[static_cast<std::size_t>(at - cuts.grid.begin())];
  if (std::count(cuts.axes.begin(), cuts.axes.end(), axis) != 1) return std::nullopt;
  return axis;
}

bool cuts_axis(const GridCuts &cuts, int axis) {
  return std::find(cuts.axes.begin(), cuts.axes.end(), axis) != cuts.axes.end();
}

/// The order with `first` directly before `second`, the others where they are.
AxisOrder neighbours(AxisOrder order, int first, int second) {
  order.erase(std::find(order.begin(), order.end(), first));
  order.insert(std::find(order.begin(), order.end(), second), first);
  return order;
}

/// Behind both axes lies the rest of the array.
bool leads(const AxisOrder &order, const IndexBox &box, int a, int b) {
  int found = 0;
  for (const int axis : order) {
    if (axis == a || axis == b)
      ++found;
    else if (found < 2 && box.count[static_cast<std::size_t>(axis)] > 1)
      return false;
  }
  return true;
}

bool transforms(const LayoutStep &s, int axis) {
  return (s.kind == StepKind::planes || s.kind == StepKind::columns) && s.axis == axis;
}

bool is_of_planes(const LayoutStep &s) {
  return s.kind == StepKind::planes && s.lines.extents.size() > 1;
}

std::optional<SplitRows> source_of(const LayoutStep &s, const AxisOrder &order,
                                   const AxisOrder &turned) {
  // Planes need a tight side.
  if (is_of_planes(s) && (order != turned || !s.source.is_tight())) return std::nullopt;
  // Real lines are as they are.
  if (s.kind == StepKind::planes && s.lines.kind == Kind::r2c)
    return order == turned ? std::optional(s.source) : std::nullopt;
  return as_columns(s.from, turned, s.axis);
}

std::optional<SplitRows> destination_of(const LayoutStep &s, const AxisOrder &order,
                                        const AxisOrder &turned) {
  if (is_of_planes(s) && (order != turned || !s.destination.is_tight())) return std::nullopt;
  if (s.kind == StepKind::planes && s.lines.kind == Kind::c2r)
    return order == turned ? std::optional(s.destination) : std::nullopt;
  return as_columns(s.to, turned, s.axis);
}

/// Lines need a tight side.
void set_kind(LayoutStep &s) {
  if (is_of_planes(s) || (s.lines.kind != Kind::c2c && s.kind == StepKind::planes)) return;
  s.kind = s.may_be_lines() ? StepKind::planes : StepKind::columns;
}

} // namespace

std::optional<GroupTransposition> group_transposition(std::ptrdiff_t howmany,
                                                      const Distribution &before, const Leg &after,
                                                      int rank, std::size_t real_bytes) {
  const Extents &n = after.extents;
  const auto from = before.cuts(n);
  const auto to = after.distribution->cuts(n);
  if (!from || !to || from->grid.size() != to->grid.size()) return std::nullopt;
  std::optional<GroupTransposition> found;
  for (const GridDimension &g : from->grid) {
    const auto old_axis = axis_of(*from, g);
    const auto new_axis = axis_of(*to, g);
    if (old_axis && old_axis == new_axis) continue;
    if (found || !old_axis || !new_axis || cuts_axis(*from, *new_axis) || cuts_axis(*to, *old_axis))
      return std::nullopt;
    found = GroupTransposition{*old_axis, *new_axis, g, {}};
  }
  if (!found) return found;
  const auto whole = static_cast<std::size_t>(found->whole);
  const auto cut = static_cast<std::size_t>(found->cut);
  std::ptrdiff_t vec = howmany;
  const IndexBox box = before.box(rank, n);
  for (std::size_t a = 0; a < n.size(); ++a)
    if (a != whole && a != cut) vec *= box.count[a];
  found->matrix = {BlockDistribution(n[whole], found->group.ranks),
                   BlockDistribution(n[cut], found->group.ranks), vec, real_bytes};
  return found;
}

bool admits_transposition(const std::vector<LayoutStep> &steps, std::size_t k,
                          const AxisOrder &order, const GroupTransposition &g) {
  const LayoutStep &exchange = steps[k];
  if (exchange.from.real || !leads(order, exchange.from.box, g.whole, g.cut) ||
      !leads(order, exchange.to.box, g.whole, g.cut))
    return false;
  if (!exchange.from.empty()) {
    if (k == 0 || steps[k - 1].reads_transposition || !transforms(steps[k - 1], g.cut))
      return false;
    if (!source_of(steps[k - 1], order, neighbours(order, g.whole, g.cut))) return false;
  }
  return exchange.to.empty() ||
         (k + 1 < steps.size() && transforms(steps[k + 1], g.whole) &&
          destination_of(steps[k + 1], order, neighbours(order, g.cut, g.whole)));
}

void use_transposition(std::vector<LayoutStep> &steps, std::size_t k, const AxisOrder &order,
                       const GroupTransposition &g,
                       std::shared_ptr<exchange::Exchange> transposition) {
  LayoutStep &exchange = steps[k];
  const std::ptrdiff_t elements =
      std::max({exchange.from.elements, exchange.to.elements, transposition->send().elements(),
                transposition->receive().elements()});
  if (!exchange.from.empty()) {
    LayoutStep &writer = steps[k - 1];
    const AxisOrder turned = neighbours(order, g.whole, g.cut);
    writer.source = *source_of(writer, order, turned);
    writer.reorders = writer.reorders || turned != order;
    writer.destination = transposition->send();
    writer.to.elements = elements;
    set_kind(writer);
  }
  if (!exchange.to.empty()) {
    LayoutStep &reader = steps[k + 1];
    const AxisOrder turned = neighbours(order, g.cut, g.whole);
    reader.destination = *destination_of(reader, order, turned);
    reader.reorders = turned != order;
    reader.source = transposition->receive();
    reader.reads_transposition = true;
    set_kind(reader);
  }
  exchange.from.elements = exchange.to.elements = elements;
  exchange.transposition = std::move(transposition);
}

} // namespace hybridfft::plan
