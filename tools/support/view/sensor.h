/// Datasets of one value, or one time series, per point of a sensor mask.
#pragma once

#include <cstdint>

#include "support/view/grid.h"
#include "support/view/mask.h"

namespace hybridfft::tools::view {

/// A dataset of shape [1][1][points] or [1][times][points] at the points of a mask. The Grid is the
/// smallest one that holds them all.
class Sensor final : public Source {
public:
  /// The file must outlive the source. `time_step` selects a row of a series; without it, the
  /// largest value over time is shown. Throws as choose_time_step(), and io::IoError: the mask
  /// points outside of its own grid.
  Sensor(const io::File &file, std::string dataset, const IndexMask &mask, const Spacing &spacing,
         bool magnitude, std::optional<std::int64_t> time_step);
  const Grid &grid() const override { return grid_; }
  void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const override;
  std::size_t times() const override { return times_; }

private:
  std::vector<float> values(std::size_t first, std::size_t count) const;
  void find_grid();

  const io::File &file_;
  std::string dataset_;
  IndexMask mask_;
  bool magnitude_;
  std::size_t times_ = 1;
  std::optional<std::size_t> time_step_;
  Grid grid_;
};

} // namespace hybridfft::tools::view
