#include "plan/rewrites/insert_copies.h"

#include "plan/cells.h"

namespace hybridfft::plan {

namespace {

/// FFTW's kernels spoil the input of c2r unless they work on a copy.
bool may_spoil(const Step &s, const Problem &p, local::Kernel planes) {
  return s.kind == StepKind::planes && s.transform.kind == Kind::c2r &&
         (planes == local::Kernel::fftw || s.transform.extents.size() > 1 || s.source.vec > 1 ||
          !simd_applies(p.isa, p.real_bytes, s.transform.extents.front()));
}

} // namespace

void protect_input(Steps &steps, const Problem &p, local::Kernel planes) {
  if (steps.empty()) return;
  const Step &first = steps.front();
  // Real numbers of one rank's lines overlap where a step in place writes other bytes than it
  // reads.
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

} // namespace hybridfft::plan
