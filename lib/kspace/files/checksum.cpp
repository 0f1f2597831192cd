#include "kspace/files/checksum.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

void Checksum::add(const std::string &name, const Field &field, const LocalGrid &local) {
  const std::uint64_t salt = hash(name);
  const grid::View<Real> v = field.view(local);
  const grid::Box box = local.box();
  for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
    for (std::ptrdiff_t j = 0; j < box.extent(1); ++j)
      for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
        add(salt, v(i, j, k), local.point(i, j, k));
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
