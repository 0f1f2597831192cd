#include "solvers/kspace/base/local_grid.h"

#include <array>

#include "base/memory.h"
#include "hybridfft/hybridfft.hpp"

namespace hybridfft::kspace {

TransposedSpectrum::TransposedSpectrum(const Extents &n, const grid::Communicator &comm)
    : flat_(is_flat(n)) {
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

namespace {

/// Returns the distance in values between rows of n points along x.
std::ptrdiff_t padded(std::ptrdiff_t n, LocalGrid::Rows rows, std::size_t value_bytes) {
  if (rows == LocalGrid::Rows::transformable) return 2 * (n / 2 + 1);
  const auto line = static_cast<std::ptrdiff_t>(alignment / value_bytes);
  return ((n + line - 1) / line | 1) * line;
}

} // namespace

LocalGrid LocalGrid::laid_out(const Extents &n, const grid::Box &box, std::ptrdiff_t pitch) {
  LocalGrid local;
  local.n_ = n;
  local.box_ = {box.extent(0), box.extent(1), box.extent(2)};
  if (!box.empty()) local.start_ = box.lo;
  local.rows_per_plane_ = is_flat(n) ? 1 : n[1];
  local.pitch_ = pitch;
  local.plane_ = box.extent(1) * pitch;
  local.operand_size_ = local.size();
  return local;
}

LocalGrid LocalGrid::slab(const Extents &n, const grid::Communicator &comm, Rows rows,
                          std::size_t value_bytes) {
  const TransposedSpectrum spectrum(n, comm);
  const bool flat = is_flat(n);
  const std::ptrdiff_t first = spectrum.planes_start();
  LocalGrid local =
      laid_out(n, {{{first, 0, 0}}, {{first + spectrum.planes(), flat ? 1 : n[1], n[0]}}},
               padded(n[0], rows, value_bytes));
  local.whole_planes_ = true;
  if (rows == Rows::transformable) local.operand_size_ = spectrum.transform_size();
  return local;
}

LocalGrid LocalGrid::part(const Extents &n, const grid::Box &box, std::size_t value_bytes) {
  return laid_out(n, box, padded(box.extent(2), Rows::aligned, value_bytes));
}

LocalGrid LocalGrid::part(const Extents &n, const grid::Box &box, const LocalGrid &larger) {
  LocalGrid local = laid_out(n, box, larger.pitch_);
  local.plane_ = larger.plane_;
  local.operand_size_ = larger.operand_size_;
  return local;
}

io::Hyperslab LocalGrid::hyperslab() const {
  io::Hyperslab slab{{0, 0, 0}, {1, 1, 1}};
  // Grids of one dimension are distributed along y too, where they have one point.
  for (int axis = 0; axis < (is_flat(n_) ? 2 : 3); ++axis) {
    const auto d = static_cast<std::size_t>(2 - axis);
    slab.offset[d] = static_cast<std::size_t>(start(place(axis)));
    slab.count[d] = static_cast<std::size_t>(box_.extent(place(axis)));
  }
  return slab;
}

std::optional<std::ptrdiff_t> LocalGrid::offset_of(std::int64_t point) const {
  const std::int64_t row = point / n_[0];
  const grid::Index3 at{{row / rows_per_plane_ - start_[0], row % rows_per_plane_ - start_[1],
                         point % n_[0] - start_[2]}};
  for (int a = 0; a < 3; ++a)
    if (at[a] < 0 || at[a] >= box_.extent(a)) return std::nullopt;
  return offset(at[0], at[1]) + at[2];
}

} // namespace hybridfft::kspace
