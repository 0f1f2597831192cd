/// Header datasets and attributes of an output file, and its description in XDMF.
#pragma once

#include <string>
#include <vector>

#include "solvers/elastic/files/recorder.h"

namespace hybridfft::elastic {

/// Writes Nx, Ny, Nz, Nt, dt, dx, dy, dz and attributes in the format of k-Wave's outputs.
/// Collective.
void write_header(io::File &file, const Problem &problem, const std::string &created_by);

/// XML of fields of all cells, and of snapshots over time, up to `done` time steps. Positions are
/// in m, with the centre of the first cell at 0. Velocities are half a cell ahead along their axes.
/// After time step n velocities have the time (n + 1/2) dt, and the pressure (n + 1) dt.
template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::RecordedArray> &arrays,
                     const std::string &output);

} // namespace hybridfft::elastic
