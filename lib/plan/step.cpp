#include "plan/step.h"

#include <algorithm>
#include <utility>

namespace hybridfft::plan {

namespace {

std::ptrdiff_t numbers(const Storage &s) { return s.box.points() * (s.real ? 1 : 2); }

} // namespace

Step::Step(StepKind of_kind, Storage source_storage, Storage destination_storage)
    : kind(of_kind), from(std::move(source_storage)), to(std::move(destination_storage)),
      reads(numbers(from)), writes(numbers(to)) {}

Step::Step(StepKind of_kind, SplitRows source_rows, SplitRows destination_rows)
    : kind(of_kind), source(std::move(source_rows)), destination(std::move(destination_rows)),
      reads(2 * source.stored_elements()), writes(2 * destination.stored_elements()) {
  from.elements = source.span();
  to.elements = destination.span();
}

Step::Step(std::shared_ptr<exchange::Exchange> transposition)
    : Step(StepKind::exchange, transposition->send(), transposition->receive()) {
  // An exchange may use either of its buffers for both sides.
  from.elements = to.elements = std::max(from.elements, to.elements);
  exchange = std::move(transposition);
}

bool Step::may_be_in_place() const {
  if (!cells.empty()) return false;
  switch (kind) {
  case StepKind::whole:
    return true;
  case StepKind::planes:
    // A line of reals without padding has less room than its spectrum.
    return !pruned && source.is_tight() && destination.is_tight() &&
           source.vec == destination.vec && to.reals() <= from.reals();
  case StepKind::columns:
    return !pruned && source == destination;
  case StepKind::exchange:
    return uses_window();
  case StepKind::copy:
    return false;
  }
  return false;
}

bool Step::may_be_lines() const {
  // Bins without a mode are gaps.
  const bool reads_gaps = pruned && pruned->spectrum_in;
  const bool writes_gaps = pruned && !pruned->spectrum_in;
  if (source.vec != 1 || !cells.empty()) return false;
  if (!pruned) return has_runs(source) && has_runs(destination);
  return (source.is_tight() && !reads_gaps) || (destination.is_tight() && !writes_gaps);
}

bool has_runs(const SplitRows &m) {
  return std::all_of(m.pieces.begin(), m.pieces.end(),
                     [](const Piece &p) { return p.count == 1 || p.column_stride == 1; });
}

Step copy_of(const Storage &s) { return {StepKind::copy, s, s}; }

std::size_t element_bytes(const Storage &s, std::size_t real_bytes) {
  return s.real ? real_bytes : 2 * real_bytes;
}

std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes) {
  return static_cast<std::size_t>(s.elements) * element_bytes(s, real_bytes);
}

} // namespace hybridfft::plan
