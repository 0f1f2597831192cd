#include "kspace/record/sensor.h"

#include <algorithm>

#include "kspace/record/record_kernels.h"

namespace hybridfft::kspace {

template <class Real> void SensorMask<Real>::prepare(const Exec &exec) {
  if (exec.device != nullptr && device_offsets_.size() == 0)
    device_offsets_ = ExecArray<std::ptrdiff_t>(offsets_, exec);
}

template <class Real>
void SensorMask<Real>::sample(const Exec &exec, const Field<Real> &field, Real *values,
                              const Combined &combined) const {
  const std::ptrdiff_t *offsets = exec.device != nullptr ? device_offsets_.data() : offsets_.data();
  kernels::SampleAtPoints<Real> kernel{field.data(), offsets, nullptr, {}};
  kernel.values = values;
  std::ranges::copy(combined, kernel.combined);
  for_each_index(exec, static_cast<std::ptrdiff_t>(offsets_.size()), kernel);
}

template class SensorMask<float>;
template class SensorMask<double>;

} // namespace hybridfft::kspace
