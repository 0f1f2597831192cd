#include "kspace/medium/grid_metric.h"

namespace hybridfft::kspace {

template <class Real>
GridMetric<Real>::GridMetric(const InputFile<Real> &file, const Parameters &parameters,
                             const LocalGrid &local) {
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!parameters.nonuniform_grid) {
      this->centred_[a] = AxisProfile<Real>(local);
      this->staggered_[a] = AxisProfile<Real>(local);
      continue;
    }
    const std::string x = axis_name(axis);
    const auto read = [&](const std::string &dataset) {
      return AxisProfile<Real>(
          file.list(dataset, static_cast<std::size_t>(parameters.n[a]), Values::finite), axis,
          local);
    };
    this->centred_[a] = read("d" + x + "ud" + x + "n");
    this->staggered_[a] = read("d" + x + "ud" + x + "n_sg" + x);
  }
}

template class GridMetric<float>;
template class GridMetric<double>;

} // namespace hybridfft::kspace
