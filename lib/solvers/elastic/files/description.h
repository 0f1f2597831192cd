/// Metadata of an output: header datasets in k-Wave's format, and the XDMF description for viewers.
#pragma once

#include <string>
#include <vector>

#include "solvers/elastic/files/recorder.h"

namespace hybridfft::elastic {

/// Writes Nx, Ny, Nz, Nt, dt, dx, dy, dz and attributes in the format of k-Wave's outputs.
/// Collective.
void write_header(io::File &file, const Problem &problem, const std::string &created_by);

/// Returns XDMF text for the fields of all cells and for snapshots, up to `done` time steps.
/// Positions are in m; the centre of the first cell is at 0. Velocities are half a cell further
/// along their axes. After time step n, velocities belong to time (n + 1/2) dt and the pressure to
/// (n + 1) dt.
template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::RecordedArray> &arrays,
                     const std::string &output);

} // namespace hybridfft::elastic
