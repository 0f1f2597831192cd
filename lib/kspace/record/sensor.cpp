#include "kspace/record/sensor.h"

#include <algorithm>

#include "kspace/record/record_kernels.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

void SensorMask::prepare(const Exec &exec) {
  if (exec.device != nullptr && device_offsets_.size() == 0)
    device_offsets_ = ExecArray<std::ptrdiff_t>(offsets_, exec);
}

void SensorMask::sample(const Exec &exec, const Field &field, Real *values,
                        const Combined &combined) const {
  const std::ptrdiff_t *offsets = exec.device != nullptr ? device_offsets_.data() : offsets_.data();
  kernels::SampleAtPoints kernel{field.data(), offsets, nullptr, {}};
  kernel.values = values;
  std::ranges::copy(combined, kernel.combined);
  for_each_index(exec, static_cast<std::ptrdiff_t>(offsets_.size()), kernel);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
