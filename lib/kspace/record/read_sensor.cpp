#include "kspace/record/read_sensor.h"

#include "kspace/record/cuboid_mask.h"
#include "kspace/record/index_mask.h"

namespace hybridfft::kspace {

template <class Real>
std::vector<std::unique_ptr<SensorMask<Real>>>
read_sensor(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm) {
  std::vector<std::unique_ptr<SensorMask<Real>>> masks;
  if (parameters.sensor_mask == SensorMaskType::indices) {
    masks.push_back(std::make_unique<IndexMask<Real>>(file, local, comm));
    return masks;
  }
  const std::vector<Cuboid> cuboids = read_corners(file, local);
  comm.agree([&] {
    std::size_t number = 0;
    for (const Cuboid &cuboid : cuboids)
      masks.push_back(std::make_unique<CuboidMask<Real>>(cuboid, ++number, local));
  });
  return masks;
}

template std::vector<std::unique_ptr<SensorMask<float>>>
read_sensor(const InputFile<float> &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);
template std::vector<std::unique_ptr<SensorMask<double>>>
read_sensor(const InputFile<double> &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);

} // namespace hybridfft::kspace
