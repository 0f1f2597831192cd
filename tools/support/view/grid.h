/// The grid points of a dataset's values, and the reading of values for a picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::tools::view {

using Triple = std::array<std::size_t, 3>; ///< x, y, z
using Spacing =
    std::array<std::optional<double>, 3>; ///< distances of grid points in m, as far as known

/// A box of values: value i of an axis lies at grid point first + i * step.
struct Grid {
  Triple points{1, 1, 1};
  Triple first{0, 0, 0};
  Triple step{1, 1, 1};
  Spacing spacing;
  std::array<bool, 3> placed{true, true, true}; ///< false: `first` is not known along that axis
};

/// Takes a value and its place, counted in values of the Grid.
using Sink = std::function<void(const Triple &place, float value)>;

/// Values of a box of a dataset, in file order. Complex data becomes its magnitude, and so does any
/// other when `magnitude` is set.
std::vector<float> read_values(const io::File &file, const std::string &dataset,
                               const io::Hyperslab &box, bool magnitude);

/// Parameters of a simulation in k-Wave's files.
struct Simulation {
  std::optional<Triple> sizes;      ///< Nx, Ny, Nz
  Spacing spacing;                  ///< dx, dy, dz; of a uniform grid only
  std::optional<double> dt;         ///< s
  std::optional<std::size_t> steps; ///< Nt
  Triple pml{0, 0, 0};              ///< points of the PML on each side
  bool axisymmetric = false;        ///< y is the radius: the PML is at its outer end alone

  bool flat() const { return sizes && (*sizes)[2] == 1; } ///< true in two dimensions
};

/// One plane of a dataset of the whole grid, [Nz][Ny][Nx]: the values at
/// the grid points whose place along `axis` is `at`, rows of the first other axis. Nothing when
/// the file has no such dataset, or one of another shape.
std::optional<std::vector<float>> read_grid_plane(const io::File &file, const std::string &dataset,
                                                  const Triple &sizes, std::size_t axis,
                                                  std::size_t at);

/// Takes each item from `file`, or from `other` where `file` lacks it. Throws io::IoError: an item
/// that is no positive number, or files of grids of different sizes.
Simulation read_simulation(const io::File &file, const io::File &other);

/// "12.8 mm" for a grid point along an axis of known spacing, else "32".
std::string coordinate_text(std::size_t point, const std::optional<double> &spacing);

/// "3 x 4 x 5".
std::string shape_text(const io::Shape &shape);

/// Checks --time-step against a series of `times` rows; nothing when it was not given. Throws
/// std::invalid_argument: out of range, or given for a dataset without times (times == 1).
std::optional<std::size_t> choose_time_step(const std::string &dataset, std::size_t times,
                                            std::optional<std::int64_t> time_step);

/// The time step, from 0, of the first of `times` rows of a series that ends with the simulation's
/// last time step.
std::size_t first_step(const Simulation &simulation, std::size_t times);

/// The time steps, from 0, after which the rows of a series were recorded.
struct Steps {
  std::size_t first = 0;
  std::size_t interval = 1;
  double offset = 0.; ///< of the rows' times, in time steps
  std::size_t of(std::size_t row) const { return first + row * interval; }
  double time(std::size_t row, double dt) const {
    return (static_cast<double>(of(row)) + offset) * dt;
  }
};

/// The steps of a dataset's `times` rows: those of its attributes first_step and step_interval, at
/// times that are time_offset later; else the simulation's last ones, which sensors record. Nothing
/// for planes and volumes over time without these attributes. Throws io::IoError: an attribute that
/// is no number.
std::optional<Steps> steps_of(const io::File &file, const std::string &dataset,
                              const Simulation &simulation, std::size_t times);

/// A string attribute of a dataset that holds a whole number; nothing without it. Throws
/// io::IoError: anything else.
std::optional<std::size_t> whole_number(const io::File &file, const std::string &dataset,
                                        const std::string &attribute);

/// Number of values that a source reads at a time.
constexpr std::size_t values_at_once = std::size_t{1} << 24;

/// A dataset as a source of values; bounded memory.
class Source {
public:
  virtual ~Source() = default;
  virtual const Grid &grid() const = 0;
  /// Sends all values to the sink; with `axis` 0..2 at least those whose place along it is `at`.
  virtual void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const = 0;
  /// Rows of a time series; 1 without one.
  virtual std::size_t times() const { return 1; }
};

} // namespace hybridfft::tools::view
