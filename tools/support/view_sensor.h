/// Datasets of one value, or one time series, per point of a sensor mask.
#pragma once

#include <cstdint>

#include "support/view_grid.h"

namespace hybridfft::tools::view {

/// A dataset of shape [1][1][points] or [1][times][points]; the points are those of
/// sensor_mask_index in `mask`, a k-Wave file. The Grid is the smallest one that holds them all.
class Sensor final : public Source {
public:
  /// Number of points of the mask; nothing when the file has none.
  static std::optional<std::size_t> mask_points(const io::File &mask);

  /// The files must outlive the source. `time_step` selects a row of a series; without it, the
  /// largest value over time is shown. Throws std::invalid_argument: time step out of range, or
  /// given for a dataset without times; io::IoError: the mask points outside of its own grid.
  Sensor(const io::File &file, std::string dataset, const io::File &mask, bool magnitude,
         std::optional<std::int64_t> time_step);
  const Grid &grid() const override { return grid_; }
  void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const override;
  std::string moment() const override;

private:
  std::vector<std::uint64_t> indices(std::size_t first, std::size_t count) const;
  std::vector<float> values(std::size_t first, std::size_t count) const;
  Triple grid_point(std::uint64_t index) const;
  void find_grid();

  const io::File &file_;
  std::string dataset_;
  const io::File &mask_;
  bool magnitude_;
  std::optional<std::size_t> time_step_;
  std::size_t times_ = 1;
  std::size_t points_ = 0;
  Triple sizes_{};
  Grid grid_;
};

} // namespace hybridfft::tools::view
