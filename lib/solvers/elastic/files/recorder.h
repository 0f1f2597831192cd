/// Records a simulation to its output: time series at the sensor, snapshots of planes, and fields
/// of all cells. Also makes the output's metadata: header datasets in k-Wave's format, and an XDMF
/// description for viewers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "solvers/elastic/files/sensor_records.h"

namespace hybridfft::elastic {

/// Writes the datasets of SensorRecords, snapshots [frames][Nz][Ny][Nx] with one cell along the
/// plane's axis, and fields [Nz][Ny][Nx]. Collective members throw io::IoError on all ranks.
template <class Real> class Recorder {
public:
  /// A dataset with values of all cells of the grid or of a plane, for the description in XDMF.
  struct RecordedArray {
    std::string quantity, dataset;
    io::Shape shape;    ///< three dimensions for the grid; four for snapshots, time first
    Index3 first;       ///< first cell along x, y, z
    double time_offset; ///< after time step n, values belong to time (n + time_offset) dt
  };

  /// \param first time step of the first record; if it is above 0, the datasets exist already
  Recorder(const ElasticRecording &recording, io::File &file, Solver<Real> &solver,
           const std::vector<std::int64_t> &sensor, const grid::Communicator &comm,
           std::int64_t first);

  /// Records the state after time step n.
  void sample(std::int64_t n);
  /// Writes all buffered samples. Collective.
  void flush() { sensor_.flush(); }
  /// Writes fields of all cells, and records that are complete after the last step. Collective.
  void finish();
  /// Creates the datasets of finish(), for io::File::reserve().
  void create_at_end();

  /// The records at the sensor, for checkpoints.
  SensorRecords<Real> &sensor() { return sensor_; }
  /// A maximum or minimum over time at all points. Checkpoints store it.
  struct Extremes {
    enum class ExtremeKind { max, min, peak_speed };
    std::string dataset;
    int field;
    ExtremeKind kind;
    /// Extremes so far, in the memory used by the solver's exec. For peak_speed they are squared
    /// speeds.
    grid::Array<Real> values;
  };
  std::vector<Extremes> &extremes() { return extremes_; }
  const std::vector<RecordedArray> &arrays() const { return arrays_; }
  /// A text such as "dataset u_peak: found inf at cell (3, 4, 5) ..." for each dataset of finish()
  /// with infinite or NaN values.
  const std::vector<std::string> &not_finite() const { return not_finite_; }

private:
  void create_extremes(const Records &records, int field);
  void add_extremes(const std::string &dataset, int field, typename Extremes::ExtremeKind kind);
  void sample_extremes();
  void create_snapshots(bool create);
  void write_plane(std::size_t number, std::size_t frame);
  void create_cells(const std::string &dataset);
  void write_final(int field);
  void write_cells(const std::string &dataset, int field, grid::Array<Real> &array,
                   bool square_root);

  struct PlaneRecord {
    Plane plane;
    grid::Box part; ///< this rank's part, in indices of the grid
    Sampler<Real> sampler;
  };

  ElasticRecording recording_;
  io::File &file_;
  Solver<Real> &solver_;
  grid::Communicator comm_;
  grid::Lattice lattice_;
  SensorRecords<Real> sensor_;
  std::vector<Extremes> extremes_;
  std::vector<PlaneRecord> planes_;
  std::vector<RecordedArray> arrays_;
  std::vector<std::string> not_finite_;
};

/// Writes Nx, Ny, Nz, Nt, dt, dx, dy, dz and attributes in the format of k-Wave's outputs.
/// Collective.
void write_header(io::File &file, const Problem &problem, const std::string &created_by);

/// Returns XDMF text for the fields of all cells and for snapshots, after `done` time steps.
/// Positions are in m; the centre of the first cell is at 0. Velocities are half a cell further
/// along their axes. After time step n, velocities belong to time (n + 1/2) dt and the pressure to
/// (n + 1) dt.
template <class Real>
std::string describe(const Problem &problem, std::int64_t snapshot_interval, std::int64_t done,
                     const std::vector<typename Recorder<Real>::RecordedArray> &arrays,
                     const std::string &output);

} // namespace hybridfft::elastic
