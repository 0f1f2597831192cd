/// The sensor of an input file.
#pragma once

#include <memory>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Makes the masks of the file: one list of points for sensor_mask_index, a cuboid for each pair of
/// opposite corners of sensor_mask_corners. Throws InputError. Collective.
template <class Real>
std::vector<std::unique_ptr<SensorMask<Real>>>
read_sensor(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);

} // namespace hybridfft::kspace
