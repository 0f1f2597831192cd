#include "plan/shared_messages.h"

#include "base/mpi.h"
#include "exchange/shared_blocks.h"
#include "plan/layout_pass.h"

namespace hybridfft::plan {

namespace {

bool is_exchange(const LayoutStep &s) { return s.kind == StepKind::exchange; }

/// Whether a step can read lines that begin anywhere: planes need a tight side, and real ones a
/// tight source.
bool reads_anywhere(const LayoutStep &s) {
  if (s.kind != StepKind::planes) return true;
  if (s.lines.kind == Kind::r2c) return false;
  if (s.lines.kind == Kind::c2c && s.lines.extents.size() == 1) return true;
  return s.destination.is_tight() || s.lines.kind == Kind::c2r;
}

/// The steps with passes on both sides of each exchange.
std::vector<LayoutStep> with_passes(const std::vector<LayoutStep> &steps) {
  std::vector<LayoutStep> list;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const LayoutStep &s = steps[k];
    if (is_exchange(s) && (list.empty() || is_exchange(list.back())))
      list.emplace_back(StepKind::copy, list.empty() ? s.from : list.back().to, s.from);
    list.push_back(s);
    const bool last = k + 1 == steps.size();
    if (is_exchange(s) && (last || (!is_exchange(steps[k + 1]) && !reads_anywhere(steps[k + 1]))))
      list.emplace_back(StepKind::copy, s.to, s.to);
  }
  return list;
}

/// Lets a step read the blocks of an exchange where their senders have written them.
void read_blocks(LayoutStep &reader, const LayoutStep &exchange,
                 const std::vector<std::ptrdiff_t> &distances, std::size_t real_bytes) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes(exchange.to, real_bytes));
  Storage from = reader.from;
  SplitRows source = reader.source;
  for (const exchange::RankBytes &b : exchange.received) {
    const std::ptrdiff_t base = b.first / element;
    const std::ptrdiff_t there = distances[static_cast<std::size_t>(b.rank)] / element;
    for (std::size_t i = 0; i < from.boxes.size(); ++i)
      if (reader.from.boxes[i].base == base) from.boxes[i].base = there;
    for (std::size_t i = 0; i < source.pieces.size(); ++i)
      if (reader.source.pieces[i].base == base) source.pieces[i].base = there;
  }
  reader.from = std::move(from);
  reader.source = std::move(source);
  if (reader.kind == StepKind::planes && reader.lines.kind == Kind::c2c &&
      reader.lines.extents.size() == 1 && !reader.may_be_lines())
    reader.kind = StepKind::columns;
}

} // namespace

bool share_messages(std::vector<LayoutStep> &steps,
                    const std::shared_ptr<exchange::Communicator> &comm, std::size_t real_bytes,
                    Pages pages, std::array<std::shared_ptr<exchange::Exchange>, 2> &windows) {
  std::vector<LayoutStep> list;
  std::vector<exchange::SharedBlocksSide> sides;
  mpi::all_or_none(comm->get(), [&] {
    list = with_passes(steps);
    for (const LayoutStep &s : list)
      if (is_exchange(s)) sides.push_back({buffer_bytes(s.from, real_bytes), s.sent});
  });
  if (sides.empty()) return false;
  const auto blocks = exchange::make_shared_blocks(comm, sides, pages);
  if (!blocks) return false;
  mpi::all_or_none(comm->get(), [&] {
    std::size_t number = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!is_exchange(list[k])) continue;
      const exchange::SharedBlocks &b = (*blocks)[number];
      read_blocks(list[k + 1], list[k], b.distances, real_bytes);
      list[k].transposition = b.exchange;
      windows[number++ % 2] = b.exchange;
    }
    steps = std::move(list);
  });
  return true;
}

} // namespace hybridfft::plan
