/// Replaces messages of blocks by reads from shared memory. Applied if all ranks are on one node.
#include "plan/rewrites.h"

#include "base/mpi.h"
#include "exchange/shared_blocks.h"

namespace hybridfft::plan {

namespace {

/// True if a step can read lines with any starts. Planes need a tight side; real planes need a
/// tight source.
bool reads_anywhere(const Step &s) {
  if (s.kind != StepKind::planes) return true;
  if (s.transform.kind == Kind::r2c) return false;
  if (s.transform.kind == Kind::c2c && s.transform.extents.size() == 1) return true;
  return s.destination.is_tight() || s.transform.kind == Kind::c2r;
}

/// Returns the steps with a pass on both sides of each exchange.
Steps with_passes(const Steps &steps) {
  Steps list;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step &s = steps[k];
    if (s.is_exchange() && (list.empty() || list.back().is_exchange()))
      list.emplace_back(StepKind::copy, list.empty() ? s.from : list.back().to, s.from);
    list.push_back(s);
    const bool last = k + 1 == steps.size();
    if (s.is_exchange() && (last || (!steps[k + 1].is_exchange() && !reads_anywhere(steps[k + 1]))))
      list.emplace_back(StepKind::copy, s.to, s.to);
  }
  return list;
}

/// Sets the sources of a step to the blocks in their senders' memory.
void read_blocks(Step &reader, const Step &exchange, const std::vector<std::ptrdiff_t> &distances,
                 std::size_t real_bytes) {
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
  if (reader.kind == StepKind::planes && reader.cells.empty() &&
      reader.transform.kind == Kind::c2c && reader.transform.extents.size() == 1 &&
      !reader.may_be_lines())
    reader.kind = StepKind::columns;
}

} // namespace

bool share_messages(Steps &steps, const std::shared_ptr<exchange::Communicator> &comm,
                    const Problem &p) {
  Steps list;
  std::vector<exchange::SharedBlocksSide> sides;
  mpi::all_or_none(comm->get(), [&] {
    list = with_passes(steps);
    for (const Step &s : list)
      if (s.is_exchange()) sides.push_back({buffer_bytes(s.from, p.real_bytes), s.sent});
  });
  if (sides.empty()) return false;
  const auto blocks = exchange::make_shared_blocks(comm, sides, p.pages);
  if (!blocks) return false;
  mpi::all_or_none(comm->get(), [&] {
    int number = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].is_exchange()) continue;
      const exchange::SharedBlocks &b = (*blocks)[static_cast<std::size_t>(number)];
      read_blocks(list[k + 1], list[k], b.distances, p.real_bytes);
      list[k].exchange = b.exchange;
      list[k].window = number++ % 2;
    }
    steps = std::move(list);
  });
  return true;
}

} // namespace hybridfft::plan
