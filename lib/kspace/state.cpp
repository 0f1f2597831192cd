#include "kspace/state.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

State::State(const LocalGrid &local, grid::Host host)
    : pressure(local.operand_size(), host.threads) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(local.dimensions()); ++a) {
    velocity[a] = Field(local.operand_size(), host.threads);
    density[a] = Field(local.size(), host.threads);
  }
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
