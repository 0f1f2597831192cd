#include "kspace/medium/grid_metric.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

GridMetric::GridMetric(const InputFile &file, const Parameters &parameters,
                       const LocalGrid &local) {
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!parameters.nonuniform_grid) {
      centred_[a] = AxisProfile(local);
      staggered_[a] = AxisProfile(local);
      continue;
    }
    const std::string x = axis_name(axis);
    const auto read = [&](const std::string &dataset) {
      return AxisProfile(
          file.list(dataset, static_cast<std::size_t>(parameters.n[a]), InputFile::Values::finite),
          axis, local);
    };
    centred_[a] = read("d" + x + "ud" + x + "n");
    staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
