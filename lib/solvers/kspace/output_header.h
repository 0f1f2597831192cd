/// The metadata of an output file: scalars, sensor mask and attributes, independent of the recorded
/// quantities.
#pragma once

#include <string>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

/// Writes the scalars: the grid, the PML, the flags of the physics, and t_index, the number of
/// completed steps.
template <class Real>
void write_scalars(OutputFile<Real> &out, const Parameters &parameters, std::int64_t t_index);

/// Copies sensor_mask_type and sensor_mask_index or sensor_mask_corners from the input, one-based.
template <class Real>
void copy_sensor_mask(OutputFile<Real> &out, const InputFile<Real> &in,
                      const Parameters &parameters, const LocalGrid &local,
                      const grid::Communicator &comm);

/// Reads the times of earlier runs of the same simulation from the attributes of its output.
template <class Real> Timings read_timings(const OutputFile<Real> &out);

/// Writes the root attributes: creating program, date, host and times. Collective.
template <class Real>
void write_attributes(OutputFile<Real> &out, const Parameters &parameters,
                      const std::string &created_by, const Timings &timings, double total_memory,
                      int threads, const grid::Communicator &comm);

} // namespace hybridfft::kspace
