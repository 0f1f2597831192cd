/// Datasets of one value, or one time series, per point of a box of the grid.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "support/view/grid.h"

namespace hybridfft::tools::view {

/// A grid point, x, y, z; nothing along axes where it is not known.
using Origin = std::array<std::optional<std::size_t>, 3>;

/// A dataset of shape [Ny][Nx], [Nz][Ny][Nx] or [times][Nz][Ny][Nx].
class Volume final : public Source {
public:
  /// The file must outlive the source. `first` is the grid point of the first value, as far as it
  /// is known. `time_step` selects a row of a series; without it, the largest value over time is
  /// shown. Throws as choose_time_step().
  Volume(const io::File &file, std::string dataset, const Origin &first, const Spacing &spacing,
         bool magnitude, std::optional<std::int64_t> time_step);
  const Grid &grid() const override { return grid_; }
  void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const override;
  std::size_t times() const override { return times_; }

private:
  std::vector<float> values(const Triple &first, const Triple &count, std::size_t time) const;
  std::vector<float> shown_values(const Triple &first, const Triple &count) const;

  const io::File &file_;
  std::string dataset_;
  bool magnitude_;
  std::size_t dimensions_;
  std::size_t times_ = 1;
  std::optional<std::size_t> time_step_;
  Grid grid_;
};

} // namespace hybridfft::tools::view
