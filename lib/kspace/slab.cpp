#include "kspace/slab.h"

#include "base/memory.h"
#include "hybridfft/hybridfft.hpp"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

std::ptrdiff_t padded(std::ptrdiff_t n, Slab::Rows rows) {
  if (rows == Slab::Rows::transformable) return 2 * (n / 2 + 1);
  constexpr auto line = static_cast<std::ptrdiff_t>(alignment / sizeof(Real));
  return ((n + line - 1) / line | 1) * line;
}

} // namespace

Slab::Slab(const Extents &n, const grid::Communicator &comm, Rows rows)
    : n_(n), pitch_(padded(n[0], rows)) {
  Options options;
  options.comm = comm.handle();
  options.transposed_out = true;
  const LocalSizes sizes = local_sizes<Real, Kind::r2c>(transform_extents(), options);
  const bool flat = dimensions() == 2;
  real_ = {sizes.in.count(0), flat ? 1 : n[1], n[0]};
  spectral_ = {sizes.out.count(1), flat ? 1 : n[2], flat ? n[1] : n[0] / 2 + 1};
  real_start_ = sizes.in.start(0);
  spectral_start_ = sizes.out.start(1);
  transform_size_ = rows == Rows::transformable ? sizes.allocate_in : real_size();
}

std::vector<std::ptrdiff_t> Slab::transform_extents() const {
  if (dimensions() == 2) return {n_[1], n_[0]};
  return {n_[2], n_[1], n_[0]};
}

double Slab::points() const {
  return static_cast<double>(n_[0]) * static_cast<double>(n_[1]) * static_cast<double>(n_[2]);
}

int Slab::real_place(int axis) const {
  constexpr std::array<int, 3> flat{2, 0, 1};
  return dimensions() == 2 ? flat[static_cast<std::size_t>(axis)] : 2 - axis;
}

int Slab::spectral_place(int axis) const {
  constexpr std::array<int, 3> flat{0, 2, 1};
  constexpr std::array<int, 3> deep{2, 0, 1};
  return (dimensions() == 2 ? flat : deep)[static_cast<std::size_t>(axis)];
}

std::size_t Slab::real_size() const {
  return static_cast<std::size_t>(real_.extent(0) * real_.extent(1) * pitch());
}

io::Hyperslab Slab::box() const {
  const auto planes = static_cast<std::size_t>(real_.extent(0));
  const auto first = static_cast<std::size_t>(real_start());
  const auto ny = static_cast<std::size_t>(n_[1]);
  const auto nx = static_cast<std::size_t>(n_[0]);
  if (dimensions() == 2) return {{0, first, 0}, {1, planes, nx}};
  return {{first, 0, 0}, {planes, ny, nx}};
}

io::MemoryLayout Slab::memory() const {
  io::MemoryLayout layout{box().count};
  layout.extent[2] = static_cast<std::size_t>(pitch());
  return layout;
}

std::optional<std::ptrdiff_t> Slab::offset_of(std::int64_t point) const {
  const std::ptrdiff_t row = point / n_[0] - real_start_ * real_.extent(1);
  if (row < 0 || row >= real_.extent(0) * real_.extent(1)) return std::nullopt;
  return row * pitch() + point % n_[0];
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
