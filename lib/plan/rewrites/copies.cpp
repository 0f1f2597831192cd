/// Inserts the copies needed for correctness, and removes copies of a rank's own block. Applied to
/// every plan.
#include "plan/lowering.h"

#include <algorithm>

#include "plan/cells.h"

namespace hybridfft::plan {

namespace {

/// True if a step may overwrite its input. FFTW's kernels for c2r do this unless they work on a
/// copy.
bool may_spoil(const Step &s, const Problem &p, local::Kernel planes) {
  return s.kind == StepKind::planes && s.transform.kind == Kind::c2r &&
         (planes == local::Kernel::fftw || s.transform.extents.size() > 1 || s.source.vec > 1 ||
          !simd_applies(p.isa, p.real_bytes, s.transform.extents.front()));
}

auto block_of(std::vector<exchange::RankBytes> &blocks, int rank) {
  return std::find_if(blocks.begin(), blocks.end(),
                      [rank](const exchange::RankBytes &b) { return b.rank == rank; });
}

} // namespace

void protect_input(Steps &steps, const Problem &p, local::Kernel planes) {
  if (steps.empty()) return;
  const Step &first = steps.front();
  // A single in-place step would overwrite numbers before it reads them.
  const bool overlaps = p.in_place && steps.size() == 1 && !first.may_be_in_place();
  const bool spoils = !p.in_place && !p.may_destroy_input && may_spoil(first, p, planes);
  if (!overlaps && !spoils) return;
  const Step copy = copy_of(first.from);
  steps.insert(steps.begin(), copy);
}

void part_exchanges(Steps &steps) {
  const auto exchanges = [&](std::size_t k) {
    return steps[k].is_exchange() && !steps[k].to.empty();
  };
  for (std::size_t k = steps.size(); k-- > 1;)
    if (exchanges(k - 1) && exchanges(k))
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(k), copy_of(steps[k].from));
}

void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes(writer.to, real_bytes));
  const auto sent = block_of(exchange.sent, rank);
  const auto received = block_of(exchange.received, rank);
  if (sent == exchange.sent.end() || received == exchange.received.end()) return;
  const std::ptrdiff_t there = distance + received->first;
  // Matrices of planes count complex numbers, also for the real data of r2c and c2r.
  const auto number = writer.reals_of_result() * static_cast<std::ptrdiff_t>(real_bytes);
  if (there % number != 0 && !writer.destination.pieces.empty()) return;
  for (StoredBox &b : writer.to.boxes)
    if (b.base * element == sent->first) b.base = there / element;
  for (Piece &p : writer.destination.pieces)
    if (p.base * number == sent->first) p.base = there / number;
  exchange.sent.erase(sent);
  exchange.received.erase(received);
}

} // namespace hybridfft::plan
