/// Where the values of a dataset lie on a grid, and their way into a picture.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::tools::view {

using Triple = std::array<std::size_t, 3>; ///< x, y, z

/// A box of values: value i of an axis lies at grid point first + i * step.
struct Grid {
  Triple points{1, 1, 1};
  Triple first{0, 0, 0};
  Triple step{1, 1, 1};
  std::array<std::optional<double>, 3> spacing; ///< of grid points in m, if the file says it
};

/// Takes a value and its place, counted in values of the Grid.
using Sink = std::function<void(const Triple &place, float value)>;

/// Values of a box of a dataset of 2 or 3 dimensions, in file order. Complex data becomes its
/// magnitude, and so does any other when `magnitude` is set.
std::vector<float> read_values(const io::File &file, const std::string &dataset,
                               const io::Hyperslab &box, bool magnitude);

/// Sizes of the grid that a k-Wave file describes: Nx, Ny, Nz; nothing when it does not say them.
std::optional<Triple> file_grid(const io::File &file);
/// dx, dy, dz of a k-Wave file, as far as it has them.
std::array<std::optional<double>, 3> file_spacing(const io::File &file);

/// A dataset as a source of values; bounded memory.
class Source {
public:
  virtual ~Source() = default;
  virtual const Grid &grid() const = 0;
  /// Sends all values to the sink; with `axis` 0..2 at least those whose place along it is `at`.
  virtual void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const = 0;
  /// What of a time series is shown, for a title; empty without one.
  virtual std::string moment() const { return {}; }
};

} // namespace hybridfft::tools::view
