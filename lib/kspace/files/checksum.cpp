#include "kspace/files/checksum.h"

#include <limits>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t Checksum::mix(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 30U)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27U)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31U);
}

std::uint64_t Checksum::hash(const std::string &name) {
  std::uint64_t h = 0;
  for (const char c : name)
    h = mix(h ^ static_cast<unsigned char>(c));
  return h;
}

void Checksum::add(const std::string &name, const Field &field, const LocalGrid &local) {
  const std::uint64_t salt = hash(name);
  const grid::View<Real> v = field.view(local);
  const grid::Box box = local.box();
  for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
    for (std::ptrdiff_t j = 0; j < box.extent(1); ++j)
      for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
        add(salt, v(i, j, k), local.point(i, j, k));
}

std::int64_t Checksum::total(const grid::Communicator &comm) const {
  return static_cast<std::int64_t>(
      comm.sum(sum_) & static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
