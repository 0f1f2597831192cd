/// What a simulation writes of its fields: at the sensor, in planes, and in all cells.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "elastic/files/simulation.h"
#include "grid/list_exchange.h"
#include "io/checksum.h"

namespace hybridfft::elastic {

/// A value in cell (i, j, k) of the grid.
template <class Real> using ValueAt = std::function<Real(Index, Index, Index)>;

/// Writes [1][steps][points] at the sensor, snapshots [frames][Nz][Ny][Nx] with one cell along the
/// plane's axis, and [Nz][Ny][Nx]. Collective members throw io::IoError on all ranks alike.
template <class Real> class Recorder {
public:
  /// A dataset with a cell of the grid for each value, for the description in XDMF.
  struct Array {
    std::string quantity, dataset;
    io::Shape shape; ///< four dimensions for those over time
    Index3 first;    ///< first cell along x, y, z
  };

  /// \param first time step with which records begin: datasets before it are there already
  Recorder(const Recording &recording, io::File &file, Solver<Real> &solver,
           const std::vector<std::int64_t> &sensor, const grid::Communicator &comm, int threads,
           std::int64_t first);

  /// Records the state after time step n.
  void sample(std::int64_t n);
  /// Writes what is still held.
  void flush();
  /// Writes fields of all cells.
  void finish();
  /// The largest |velocity| so far, squared; nullptr when it is not recorded.
  grid::Array<Real> *peak() { return peak_ ? &*peak_ : nullptr; }
  const std::vector<Array> &arrays() const { return arrays_; }

private:
  struct Series {
    std::string dataset;
    int field; ///< of velocity, or -1: pressure
    std::vector<Real> rows;
  };
  void create_series(const std::vector<std::int64_t> &sensor);
  void create_snapshots();
  void sample_peak();
  void write_plane(const Plane &plane, std::size_t frame);
  void write_cells(const std::string &dataset, const ValueAt<Real> &value);
  Real value(int field, Index i, Index j, Index k) const;
  Real pressure(Index i, Index j, Index k) const;

  Recording recording_;
  io::File &file_;
  Solver<Real> &solver_;
  grid::Communicator comm_;
  grid::Host host_;
  bool create_;
  std::int64_t first_row_; ///< of what is held
  std::int64_t rows_ = 0;  ///< held
  std::int64_t most_rows_ = 1;
  std::vector<Index3> points_; ///< of this rank, by the grid's indices
  std::vector<Series> series_;
  std::optional<grid::ListExchange<Real>> exchange_;
  std::optional<grid::Array<Real>> peak_;
  std::vector<Array> arrays_;
};

} // namespace hybridfft::elastic
