#include "simd/instruction_set.h"

#include <algorithm>
#include <string>

#include "base/environment.h"

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

Isa select(std::span<const Isa> sets, std::string_view requested) {
  if (requested.empty()) {
    Isa best = sets.front();
    for (const Isa isa : sets)
      if (supported(isa)) best = std::max(best, isa, less_preferred);
    return best;
  }
  const Isa named = find(sets, requested);
  if (supported(named)) return named;
  throw wrong_variable("HFFT_SIMD", std::string(requested),
                       "one of " + names_of_supported(sets) + ", which this machine has");
}

Isa active() {
  static const Isa isa = select(instruction_sets(), environment_value("HFFT_SIMD"));
  return isa;
}

bool can_replace(Isa mine, Isa other) {
  return other == mine || (less_preferred(other, mine) && supported(other));
}

} // namespace hybridfft::simd
