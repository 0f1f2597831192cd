/// Sensors: the recorded points, given as a list or as cuboids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/list_exchange.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

/// First and last point along x, y and z, zero-based and inclusive.
struct Cuboid {
  std::array<std::ptrdiff_t, 3> first{}, last{};
};

/// A set of grid points, distributed over the ranks, and the layout of their values in the output.
///
/// A list has points in any order, with repetitions. The output keeps the order of the list:
/// datasets are [1][1][points] and [1][rows][points]. Ranks send their values to the writers of the
/// corresponding part of the list. Datasets of a cuboid are NAME/1, NAME/2, ... of shape [z][y][x]
/// or [rows][z][y][x]. Each rank's part is a box.
template <class Real> class SensorMask {
public:
  /// Reads a list, the dataset sensor_mask_index. Collective. Throws InputError.
  SensorMask(const InputFile<Real> &file, const LocalGrid &local, const grid::Communicator &comm);
  /// \param number number of the cuboid in its file, from 1
  SensorMask(const Cuboid &cuboid, std::size_t number, const LocalGrid &local);

  /// Dataset name: "p", or "p/2" for the second of several masks.
  std::string dataset(const std::string &quantity) const { return quantity + suffix_; }
  /// This rank's points as offsets in a field.
  std::span<const std::ptrdiff_t> offsets() const { return offsets_; }
  /// Positions of this rank's points among all points of the mask.
  std::span<const std::int64_t> places() const { return places_; }
  /// Arrays of combined values, one value per point, by the rows of `quantities`; nullptr for rows
  /// that are not recorded.
  using Combined = std::array<Real *, quantity_count>;
  /// Copies the offsets to the device of exec, if it has one. Call it before sampling on a device.
  /// Throws hybridfft::Error.
  void prepare(const Exec &exec);
  /// Samples a field: values[i] = field at offsets()[i]. values = nullptr computes only the
  /// combined values. All arrays are in the memory of exec. A device runs the work asynchronously
  /// in its stream.
  void sample(const Exec &exec, const Field<Real> &field, Real *values,
              const Combined &combined) const;
  void sample(const Exec &exec, const Field<Real> &field, Real *values) const {
    sample(exec, field, values, Combined());
  }
  /// Number of points of the whole mask.
  std::int64_t points() const;

  /// Create a dataset with one value per point, or a series of them.
  void create(OutputFile<Real> &out, const std::string &dataset) const;
  void create_series(OutputFile<Real> &out, const std::string &dataset, std::size_t rows) const;
  /// Write this rank's values, rows x offsets().size() for a series. Collective.
  void write(OutputFile<Real> &out, const std::string &dataset, std::span<const Real> values);
  void write_series(OutputFile<Real> &out, const std::string &dataset, std::size_t first_row,
                    std::size_t rows, std::span<const Real> values);
  /// Reads values written by write(). Collective. Throws InputError.
  void read(const InputFile<Real> &file, const std::string &dataset, std::span<Real> values) const;
  /// Prepares for series of at most `rows` rows per write. Collective. Throws hybridfft::Error.
  void reserve(std::ptrdiff_t rows);
  /// Number of points written by this rank, after reserve().
  std::int64_t written_points() const;
  /// Bytes of this rank's lists of points.
  std::size_t bytes() const {
    return offsets_.size() * sizeof(offsets_[0]) + places_.size() * sizeof(places_[0]);
  }

private:
  /// The exchange between this rank's points and the writers of a list.
  struct List {
    grid::Communicator comm;
    std::int64_t total; ///< entries of the list
    std::ptrdiff_t reserved = 0;
    std::optional<grid::ListExchange<Real>> exchange{};
    std::vector<Real> piece{};
  };

  std::string suffix_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::int64_t> places_;
  ExecArray<std::ptrdiff_t> device_offsets_;
  std::optional<List> list_; ///< set for lists only
  io::Shape shape_;          ///< [z][y][x] of a cuboid
  io::Hyperslab own_;        ///< this rank's part of the cuboid
};

/// Reads the cuboids of the dataset sensor_mask_corners, [1][cuboids][6]: x1 y1 z1 x2 y2 z2,
/// one-based. Collective. Throws InputError for corners outside the grid or in descending order.
template <class Real>
std::vector<Cuboid> read_corners(const InputFile<Real> &file, const LocalGrid &local);

/// Reads the masks of the file: one list of points for sensor_mask_index, or one cuboid per pair of
/// opposite corners in sensor_mask_corners. Collective. Throws InputError.
template <class Real>
std::vector<std::unique_ptr<SensorMask<Real>>>
read_sensor(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);

} // namespace hybridfft::kspace
