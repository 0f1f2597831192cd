/// Where the fields are recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kspace/input_file.h"

namespace hybridfft::kspace {

/// A mask of grid points by index, in any order, points more than once allowed. Each rank keeps
/// the entries whose points it has.
class Sensor {
public:
  /// Reads sensor_mask_index. Throws InputError. Collective.
  Sensor(const InputFile &file, const Slab &slab);

  /// Entries of the whole mask.
  std::ptrdiff_t total() const { return total_; }
  /// This rank's entries of the mask, zero-based and ascending.
  std::span<const std::int64_t> positions() const { return positions_; }
  /// values[i] = field at the point of positions()[i].
  void sample(const Field &field, grid::Host host, std::span<float> values) const;

private:
  std::ptrdiff_t total_ = 0;
  std::vector<std::int64_t> positions_;
  std::vector<std::ptrdiff_t> offsets_;
};

} // namespace hybridfft::kspace
