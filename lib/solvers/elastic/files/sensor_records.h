/// Records at the sensor: samples of each step, and their maxima, minima and rms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/list_exchange.hpp"
#include "io/hdf5.h"
#include "solvers/elastic/files/sampler.h"
#include "solvers/elastic/files/simulation.h"

namespace hybridfft::elastic {

/// A number of points in HDF5's type.
inline std::size_t size(grid::Index n) { return static_cast<std::size_t>(n); }

/// Writes [1][steps][points] continuously, and [1][1][points] at the end, with k-Wave's names.
/// Collective members throw io::IoError on all ranks alike.
template <class Real> class SensorRecords {
public:
  /// \param sensor numbers of cells, x first
  /// \param first  time step of the first record; above 0 the datasets exist already
  SensorRecords(const ElasticRecording &recording, io::File &file, Solver<Real> &solver,
                const std::vector<std::int64_t> &sensor, const grid::Communicator &comm,
                std::int64_t first);

  /// Records the state after a time step.
  void sample();
  /// Writes all samples in memory. Collective.
  void flush();
  /// Writes the records completed by the last step.
  /// \return a description of each one with infinite or NaN values
  std::vector<std::string> finish();
  /// Creates the datasets of finish(), for io::File::reserve().
  void create_at_end();

  /// Reductions over time at this rank's points, stored in checkpoints.
  struct Reduction {
    enum class ReductionKind { max, min, rms };
    std::string dataset;
    int field;
    ReductionKind kind;
    std::vector<double> values; ///< recorded values; for rms the sums of squares
  };
  std::vector<Reduction> &reductions() { return reductions_; }
  /// Positions of this rank's points in the list of the sensor, ascending.
  const std::vector<std::int64_t> &places() const { return places_; }
  std::int64_t points() const { return total_; }
  /// Creates a dataset of `file` with a value for each point, and writes it. Collective.
  template <class Value>
  void write_list(io::File &file, const std::string &dataset, const io::Shape &shape,
                  const std::vector<double> &values);

private:
  /// A sampled quantity and its rows since the last flush().
  struct Samples {
    int field;
    std::string series; ///< dataset of values over time; empty: none
    std::vector<Real> rows;
    List<Real> on_device; ///< rows in the memory of a device; only flush() waits for it
  };
  void find_points(const std::vector<std::int64_t> &sensor);
  void create(const std::string &dataset, std::size_t rows);
  template <class Value>
  static void create_list(io::File &file, const std::string &dataset, const io::Shape &shape);
  void add_reductions(const Records &records, const std::string &name, int field);
  void fetch_rows();
  void reduce_rows();

  io::File &file_;
  io::WriteBy writer_;
  Solver<Real> &solver_;
  grid::Communicator comm_;
  std::int64_t total_;
  std::int64_t first_row_; ///< number of the first row in memory
  std::int64_t rows_ = 0;  ///< number of rows in memory
  std::int64_t max_rows_ = 1;
  std::vector<Index3> points_; ///< this rank's points, in indices of the grid
  std::vector<std::int64_t> places_;
  std::vector<Samples> samples_;
  std::vector<Reduction> reductions_;
  std::optional<Sampler<Real>> sampler_;
  std::optional<grid::ListExchange<Real>> exchange_;
};

} // namespace hybridfft::elastic
