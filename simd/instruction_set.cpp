#include "simd/instruction_set.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace hybridfft::simd {

namespace {

bool less_preferred(Isa a, Isa b) { return a->preference < b->preference; }

std::string names_of_supported(std::span<const Isa> sets) {
  std::string names;
  for (const Isa isa : sets)
    if (supported(isa)) names += (names.empty() ? "" : ", ") + std::string(name(isa));
  return names;
}

Isa find(std::span<const Isa> sets, std::string_view wanted) {
  const auto at = std::find_if(sets.begin(), sets.end(), [&](Isa i) { return i->name == wanted; });
  return at != sets.end() ? *at : nullptr;
}

} // namespace

Isa find(std::string_view name) { return find(instruction_sets(), name); }

Isa select(std::span<const Isa> sets, const char *requested) {
  if (requested == nullptr || *requested == '\0') {
    Isa best = sets.front();
    for (const Isa isa : sets)
      if (supported(isa)) best = std::max(best, isa, less_preferred);
    return best;
  }
  const Isa named = find(sets, requested);
  if (supported(named)) return named;
  throw Failure(HFFT_ERROR_ENVIRONMENT, "HFFT_SIMD=" + std::string(requested) +
                                            (named != nullptr ? " is not supported by this machine"
                                                              : " is no instruction set") +
                                            "; expected one of " + names_of_supported(sets));
}

Isa active() {
  static const Isa isa = select(instruction_sets(), std::getenv("HFFT_SIMD"));
  return isa;
}

bool can_replace(Isa mine, Isa other) {
  return other == mine || (less_preferred(other, mine) && supported(other));
}

} // namespace hybridfft::simd
