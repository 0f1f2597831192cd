#include "kspace/base/state.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

State::State(const LocalGrid &local, const Exec &exec) : pressure(local.operand_size(), exec) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(local.dimensions()); ++a) {
    velocity[a] = Field(local.operand_size(), exec);
    density[a] = Field(local.size(), exec);
  }
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
