/// Writes the metadata of an output file, which does not depend on the recorded quantities:
/// scalars, sensor mask and attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

/// A dataset of one number in outputs and checkpoints.
template <class T> struct Scalar {
  std::string dataset;
  T value;
  bool in_output = true; ///< false: only in checkpoints
};
/// The scalars of an input but the number of time steps: the grid, the PML, and the flags of the
/// physics, the sources and the sensor.
struct Scalars {
  std::vector<Scalar<std::int64_t>> integers;
  std::vector<Scalar<double>> reals;
};
Scalars scalars_of(const Parameters &parameters);

/// Writes the scalars of an output, and the number of completed steps as t_index.
void write_scalars(OutputFile &out, const Parameters &parameters, std::int64_t t_index);

/// Copies the sensor mask from the input: sensor_mask_type, and sensor_mask_index or
/// sensor_mask_corners, with one-based indices.
void copy_sensor_mask(OutputFile &out, const InputFile &in, const Parameters &parameters,
                      const LocalGrid &local, const grid::Communicator &comm);

/// Reads from an output's attributes how long earlier runs of the same simulation took.
Timings read_timings(const OutputFile &out);

/// Writes the root attributes: program, date, host and times. Collective.
void write_attributes(OutputFile &out, const Parameters &parameters, const std::string &created_by,
                      const Timings &timings, double total_memory, int threads,
                      const grid::Communicator &comm);

} // namespace hybridfft::kspace
