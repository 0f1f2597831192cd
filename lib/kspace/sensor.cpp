#include "kspace/sensor.h"

#include "base/threads.h"
#include "kspace/cuboid_mask.h"
#include "kspace/index_mask.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

void SensorMask::sample(const Field &field, grid::Host host, std::span<Real> values) const {
  const Real *from = field.data();
  parallel_ranges(static_cast<std::ptrdiff_t>(offsets_.size()), host.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    for (auto i = static_cast<std::size_t>(first);
                         i < static_cast<std::size_t>(last); ++i)
                      values[i] = from[offsets_[i]];
                  });
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
