#include "kspace/base/transposed_spectrum.h"

#include <array>

#include "hybridfft/hybridfft.hpp"

namespace hybridfft::kspace {

std::vector<std::ptrdiff_t> TransposedSpectrum::transform_extents(const Extents &n) {
  if (dimensions(n) == 2) return {n[1], n[0]};
  return {n[2], n[1], n[0]};
}

TransposedSpectrum::TransposedSpectrum(const Extents &n, const grid::Communicator &comm)
    : flat_(dimensions(n) == 2) {
  Options options;
  options.comm = comm.handle();
  options.transposed_out = true;
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(transform_extents(n), options);
  box_ = {sizes.out.count(1), flat_ ? 1 : n[2], flat_ ? n[1] : n[0] / 2 + 1};
  start_ = box_.extent(0) > 0 ? sizes.out.start(1) : 0;
  planes_ = sizes.in.count(0);
  planes_start_ = planes_ > 0 ? sizes.in.start(0) : 0;
  transform_size_ = sizes.allocate_in;
}

int TransposedSpectrum::place(int axis) const {
  constexpr std::array<int, 3> flat{0, 2, 1};
  constexpr std::array<int, 3> deep{2, 0, 1};
  return (flat_ ? flat : deep)[static_cast<std::size_t>(axis)];
}

} // namespace hybridfft::kspace
