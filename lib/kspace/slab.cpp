#include "kspace/slab.h"

#include "hybridfft/hybridfft.hpp"

namespace hybridfft::kspace {

Slab::Slab(const Extents &n, const grid::Communicator &comm) : n_(n) {
  Options options;
  options.comm = comm.handle();
  options.transposed_out = true;
  const std::array<std::ptrdiff_t, 3> extents{n[2], n[1], n[0]};
  const LocalSizes sizes = local_sizes<float, Kind::r2c>(extents, options);
  real_ = {sizes.in.count(0), n[1], n[0]};
  spectral_ = {sizes.out.count(1), n[2], n[0] / 2 + 1};
  first_z_ = sizes.in.start(0);
  first_y_ = sizes.out.start(1);
  transform_size_ = sizes.allocate_in;
}

double Slab::points() const {
  return static_cast<double>(n_[0]) * static_cast<double>(n_[1]) * static_cast<double>(n_[2]);
}

std::size_t Slab::real_size() const {
  return static_cast<std::size_t>(real_.n0 * real_.n1 * pitch());
}

io::Hyperslab Slab::box() const {
  const auto planes = static_cast<std::size_t>(real_.n0);
  // An empty box must still lie inside the dataset.
  const auto first = planes == 0 ? 0 : static_cast<std::size_t>(first_z_);
  return {{first, 0, 0},
          {planes, static_cast<std::size_t>(real_.n1), static_cast<std::size_t>(real_.n2)}};
}

io::MemoryLayout Slab::memory() const {
  return {{static_cast<std::size_t>(real_.n0), static_cast<std::size_t>(real_.n1),
           static_cast<std::size_t>(pitch())}};
}

std::optional<std::ptrdiff_t> Slab::offset_of(std::int64_t point) const {
  const std::ptrdiff_t row = point / n_[0];
  const std::ptrdiff_t first_row = first_z_ * n_[1];
  if (row < first_row || row >= first_row + real_.n0 * n_[1]) return std::nullopt;
  return (row - first_row) * pitch() + point % n_[0];
}

} // namespace hybridfft::kspace
