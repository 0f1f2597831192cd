#include "kspace/record/sensor.h"

#include "kspace/base/point_kernels.h"
#include "kspace/record/cuboid_mask.h"
#include "kspace/record/index_mask.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

void SensorMask::prepare(const Exec &exec) {
  if (exec.device != nullptr && device_offsets_.size() == 0)
    device_offsets_ = ExecArray<std::ptrdiff_t>(offsets_, exec);
}

void SensorMask::sample(const Exec &exec, const Field &field, Real *values,
                        const Reductions &reductions) const {
  const std::ptrdiff_t *offsets = exec.device != nullptr ? device_offsets_.data() : offsets_.data();
  for_each_index(exec, static_cast<std::ptrdiff_t>(offsets_.size()),
                 kernels::SampleAtPoints{field.data(), offsets, values, reductions.squares,
                                         reductions.largest, reductions.smallest});
}

std::vector<std::unique_ptr<SensorMask>> read_sensor(const InputFile &file,
                                                     const Parameters &parameters,
                                                     const LocalGrid &local,
                                                     const grid::Communicator &comm) {
  std::vector<std::unique_ptr<SensorMask>> masks;
  if (parameters.sensor_mask == SensorMaskType::indices) {
    masks.push_back(std::make_unique<IndexMask>(file, local, comm));
    return masks;
  }
  std::size_t number = 0;
  for (const Cuboid &cuboid : read_corners(file, local))
    masks.push_back(std::make_unique<CuboidMask>(cuboid, ++number, local));
  return masks;
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
