/// The parts of an output file that are the same for every recording.
#pragma once

#include <string>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/files/output_file.h"
#include "kspace/simulation.h"

namespace hybridfft::kspace {

/// Scalars: the grid, the PML, the flags of the physics, and t_index, the steps completed.
template <class Real>
void write_scalars(OutputFile<Real> &out, const Parameters &parameters, std::int64_t t_index);

/// sensor_mask_type and sensor_mask_index or sensor_mask_corners of the input, one-based.
template <class Real>
void copy_sensor_mask(OutputFile<Real> &out, const InputFile<Real> &in,
                      const Parameters &parameters, const LocalGrid &local,
                      const grid::Communicator &comm);

/// The times of earlier runs of the same simulation, from the attributes of its output.
template <class Real> Timings read_timings(const OutputFile<Real> &out);

/// Root attributes: the program that made the file, date, host and times. Collective.
template <class Real>
void write_attributes(OutputFile<Real> &out, const Parameters &parameters,
                      const std::string &created_by, const Timings &timings, double total_memory,
                      int threads, const grid::Communicator &comm);

} // namespace hybridfft::kspace
