/// The header datasets and attributes of an output file, and its description in XDMF.
#pragma once

#include <string>
#include <vector>

#include "elastic/files/recorder.h"

namespace hybridfft::elastic {

/// Writes Nx, Ny, Nz, Nt, dt, dx, dy, dz and attributes as k-Wave's outputs have them. Collective.
void write_header(io::File &file, const Problem &problem, const std::string &created_by);

/// XML of fields of all cells, and of snapshots over time, up to the steps that are done. Positions
/// are in m, the centre of the first cell is at 0; velocities are half a cell ahead along their
/// axes. After time step n velocities are those of (n + 1/2) dt, and the pressure that of (n + 1)
/// dt.
template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::Array> &arrays,
                     const std::string &output);

} // namespace hybridfft::elastic
