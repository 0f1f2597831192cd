#include "kspace/record/read_sensor.h"

#include "kspace/record/cuboid_mask.h"
#include "kspace/record/index_mask.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

std::vector<std::unique_ptr<SensorMask>> read_sensor(const InputFile &file,
                                                     const Parameters &parameters,
                                                     const LocalGrid &local,
                                                     const grid::Communicator &comm) {
  std::vector<std::unique_ptr<SensorMask>> masks;
  if (parameters.sensor_mask == SensorMaskType::indices) {
    masks.push_back(std::make_unique<IndexMask>(file, local, comm));
    return masks;
  }
  const std::vector<Cuboid> cuboids = read_corners(file, local);
  comm.agree([&] {
    std::size_t number = 0;
    for (const Cuboid &cuboid : cuboids)
      masks.push_back(std::make_unique<CuboidMask>(cuboid, ++number, local));
  });
  return masks;
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
