/// Sampler copies values of fields at listed points to the host. SensorRecords writes the records
/// at the sensor: time series, and their maxima, minima and rms values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/list_exchange.hpp"
#include "io/hdf5.h"
#include "solvers/elastic/files/simulation.h"
#include "solvers/elastic/point_kernels.h"
#include "solvers/elastic/solver.h"

namespace hybridfft::elastic {

/// Stands for the pressure where the number of a field is expected.
constexpr int pressure = -1;

/// Returns the kernel argument for a velocity or for the pressure.
template <class Real> kernels::Quantity<Real> quantity_of(Solver<Real> &solver, int field) {
  const auto origin = [&](int f) -> const Real * { return solver.field(f).view().origin(); };
  if (field == pressure) return {origin(sxx), origin(syy), origin(szz)};
  return {origin(field)};
}

/// Gathers values at points of this rank. The solver must outlive it.
template <class Real> class Sampler {
public:
  /// \param points points of this rank's block, in indices of the grid
  Sampler(Solver<Real> &solver, const std::vector<Index3> &points) : solver_(&solver) {
    const grid::Lattice lattice(solver.field(0).view());
    std::vector<Index> offsets;
    for (const Index3 &p : points)
      offsets.push_back(lattice.at(p[0], p[1], p[2]));
    offsets_ = List<Index>(offsets, solver.exec());
    values_ = List<Real>(offsets_.size(), solver.exec());
  }

  /// Copies the current value of a quantity at each point to `values`, in the memory used by exec.
  /// On a device the copy is enqueued after earlier work.
  void gather(int field, Real *values) const {
    for_points(solver_->exec(), grid::Box(1, 1, offsets_.size()),
               kernels::Gather<Real>{quantity_of(*solver_, field), offsets_.data(), values});
  }
  /// Copies the current value of a quantity at each point to host memory, and waits for the values.
  void take(int field, Real *values) {
    const ElasticExec &exec = solver_->exec();
    if (!exec.device) return gather(field, values);
    if (offsets_.size() == 0) return;
    gather(field, values_.data());
    exec.device->copy(values, values_.data(),
                      static_cast<std::size_t>(offsets_.size()) * sizeof(Real));
  }

private:
  Solver<Real> *solver_;
  List<Index> offsets_;
  List<Real> values_;
};

/// Converts a number of points or rows to the type of numbers in io::Shape.
inline std::size_t size(grid::Index n) { return static_cast<std::size_t>(n); }

/// Writes time series [1][steps][points] during the run, and reductions [1][1][points] at its end,
/// with k-Wave's names. Collective members throw io::IoError on all ranks.
template <class Real> class SensorRecords {
public:
  /// \param sensor numbers of cells, counted from 0 with x fastest
  /// \param first time step of the first record; if it is above 0, the datasets exist already
  SensorRecords(const ElasticRecording &recording, io::File &file, Solver<Real> &solver,
                const std::vector<std::int64_t> &sensor, const grid::Communicator &comm,
                std::int64_t first);

  /// Records the state after a time step.
  void sample();
  /// Writes all buffered samples. Collective.
  void flush();
  /// Writes the reductions after the last step.
  /// \return a description of each dataset with infinite or NaN values
  std::vector<std::string> finish();
  /// Creates the datasets of finish(), for io::File::reserve().
  void create_at_end();

  /// A reduction over time at this rank's points. Checkpoints store it.
  struct Reduction {
    enum class ReductionKind { max, min, rms };
    std::string dataset;
    int field;
    ReductionKind kind;
    std::vector<double> values; ///< current values; for rms the sums of squares
  };
  std::vector<Reduction> &reductions() { return reductions_; }
  /// Positions of this rank's points in the sensor's list, ascending.
  const std::vector<std::int64_t> &places() const { return places_; }
  std::int64_t points() const { return total_; }
  /// Creates a dataset with one value for each point, and writes it. Collective.
  template <class Value>
  void write_list(io::File &file, const std::string &dataset, const io::Shape &shape,
                  const std::vector<double> &values);

private:
  /// A sampled quantity and its buffered rows, one row per time step.
  struct Samples {
    int field;
    std::string series; ///< dataset of the time series; empty: none
    std::vector<Real> rows;
    List<Real> on_device; ///< rows in device memory; only flush() waits for them
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
  std::int64_t first_row_; ///< time step of the first buffered row
  std::int64_t rows_ = 0;  ///< number of buffered rows
  std::int64_t max_rows_ = 1;
  std::vector<Index3> points_; ///< this rank's points, in indices of the grid
  std::vector<std::int64_t> places_;
  std::vector<Samples> samples_;
  std::vector<Reduction> reductions_;
  std::optional<Sampler<Real>> sampler_;
  std::optional<grid::ListExchange<Real>> exchange_;
};

} // namespace hybridfft::elastic
