/// A sensor mask that is a box of grid points.
#pragma once

#include <array>

#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

/// First and last point along x, y and z, zero-based and both inside.
struct Cuboid {
  std::array<std::ptrdiff_t, 3> first{}, last{};
};

/// The cuboids of the dataset sensor_mask_corners, [1][cuboids][6]: x1 y1 z1 x2 y2 z2, one-based.
/// Throws InputError for corners outside of the grid or in the wrong order. Collective.
template <class Real>
std::vector<Cuboid> read_corners(const InputFile<Real> &file, const LocalGrid &local);

/// Datasets are NAME/1, NAME/2, ... for the cuboids, of shape [z][y][x], or [rows][z][y][x]. Each
/// rank's part is a box itself.
template <class Real> class CuboidMask final : public SensorMask<Real> {
public:
  /// \param number of the cuboid in its file, from 1
  CuboidMask(const Cuboid &cuboid, std::size_t number, const LocalGrid &local);

  std::int64_t points() const override;
  void create(OutputFile<Real> &out, const std::string &dataset) const override;
  void create_series(OutputFile<Real> &out, const std::string &dataset,
                     std::size_t rows) const override;
  void write(OutputFile<Real> &out, const std::string &dataset,
             std::span<const Real> values) override;
  void write_series(OutputFile<Real> &out, const std::string &dataset, std::size_t first_row,
                    std::size_t rows, std::span<const Real> values) override;
  void read(const InputFile<Real> &file, const std::string &dataset,
            std::span<Real> values) const override;
  void reserve(std::ptrdiff_t) override {}
  std::int64_t written_points() const override {
    return static_cast<std::int64_t>(this->offsets().size());
  }

private:
  io::Shape shape_;   ///< [z][y][x]
  io::Hyperslab own_; ///< this rank's part of it
};

} // namespace hybridfft::kspace
