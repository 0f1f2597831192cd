/// Datasets of one value per grid point.
#pragma once

#include "support/view_grid.h"

namespace hybridfft::tools::view {

/// A dataset of shape [Nz][Ny][Nx] or [Ny][Nx].
class Volume final : public Source {
public:
  /// The file must outlive the source. `spacing` as in Grid.
  Volume(const io::File &file, std::string dataset, bool magnitude,
         const std::array<std::optional<double>, 3> &spacing);
  const Grid &grid() const override { return grid_; }
  void read(std::optional<std::size_t> axis, std::size_t at, const Sink &sink) const override;

private:
  void read_box(const Triple &first, const Triple &count, const Sink &sink) const;

  const io::File &file_;
  std::string dataset_;
  bool magnitude_;
  bool flat_ = false;
  Grid grid_;
};

} // namespace hybridfft::tools::view
