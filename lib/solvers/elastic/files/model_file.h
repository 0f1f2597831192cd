/// Reads the input of a simulation: an HDF5 file with k-Wave's names of quantities.
///
/// Arrays are [Nz][Ny][Nx], like k-Wave's. Quantities have alternative names; the first one found
/// in the file is used. All members are collective. They throw io::IoError or
/// Error(HFFT_ERROR_ARGUMENT) on all ranks, with a message that names file, dataset, and the values
/// found and expected.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"
#include "solvers/elastic/files/text.h"
#include "solvers/elastic/medium.h"
#include "solvers/elastic/sources.h"

namespace hybridfft::elastic {

/// Command-line options that override the file.
struct ModelOptions {
  std::optional<Surface> surface;
  std::int64_t steps = 0;             ///< 0: from the file
  bool allow_negative_lambda = false; ///< allows vp < sqrt(2) vs
};

/// An input file open for reading.
class ModelFile {
public:
  /// Reads the scalars. cells() sets the time step if the file has none.
  ModelFile(const std::string &path, const grid::Communicator &comm, const ModelOptions &options);

  const std::string &path() const { return file_.path(); }
  const Problem &problem() const { return problem_; }

  /// Reads vp, vs and rho of a block, and checks them. Checks the time step; if the file has none,
  /// it is 0.9 of the maximum stable one.
  template <class Real>
  Cells<Real> cells(const grid::Box &box, const grid::Widths &ghosts, int threads);
  /// Reads /source, /force and k-Wave's sources of pressure and velocity.
  Sources sources() const;
  /// Returns the numbers i + Nx (j + Ny k) of the sensor's cells, in the order of the file. The
  /// list is empty if the file has no sensor. Throws if the sensor has no cells.
  std::vector<std::int64_t> sensor() const;

  /// fastest(): largest vp of all cells; slowest(): smallest speed of S waves (P waves in fluids).
  double fastest() const { return fastest_; }
  double slowest() const { return slowest_; }
  /// Warnings about reduced accuracy, collected by cells().
  const std::vector<std::string> &warnings() const { return warnings_; }
  /// A checksum of medium, sources and sensor, equal on all ranks and for any number of them.
  std::int64_t fingerprint() const;

private:
  using Names = std::initializer_list<const char *>;
  std::optional<std::string> find(Names names) const;
  std::string require(Names names) const;
  double number(const std::string &dataset) const;
  Index count(const std::string &dataset) const;
  std::optional<double> attribute(const char *name) const;
  [[noreturn]] void refuse(const std::string &what, const std::string &found,
                           const std::string &expected) const;
  io::Shape shape_of_cells() const;
  /// Returns a hint for the error message if a shape has reversed axes, else an empty text.
  std::string hint_of_axes(const io::Shape &found) const;

  Index3 read_extents() const;
  void read_options(const ModelOptions &options);
  void read_quality();
  template <class Real>
  void read_array(Names names, const grid::Box &cells, grid::Array<Real> &array) const;
  template <class Real> void check_cells(const Cells<Real> &cells, const grid::Box &inside);
  template <class Real, class Bad>
  void check_array(const char *name, const grid::Array<Real> &array, const grid::Box &inside,
                   const Bad &bad, const std::string &expected) const;
  template <class Real> void check_ratio(const Cells<Real> &cells, const grid::Box &inside) const;
  template <class Real>
  void require_smooth_surface(const Cells<Real> &cells, const grid::Box &inside) const;
  void settle_time_step(double fastest);
  template <class Real>
  double largest_ratio(const Cells<Real> &cells, const grid::Box &box, double softest) const;
  template <class Real>
  double smallest_rigidity(const Cells<Real> &cells, const grid::Box &box) const;
  double quality_factor(const char *name, bool &in_cells) const;
  template <class Real> void read_qualities(Cells<Real> &cells, const grid::Box &inside);
  template <class Real> void check_quality(const Cells<Real> &cells, const grid::Box &inside);
  template <class Real> void check_qualities(const Cells<Real> &cells, const grid::Box &inside);
  template <class Real>
  double fastest_at_once(const Cells<Real> &cells, const grid::Box &inside) const;
  void warn_of_quality();

  std::vector<Index3> read_cells(const std::string &dataset) const;
  std::vector<Index3> read_indices(const std::string &dataset) const;
  Index3 cell_of(const std::string &dataset, double x, double y, double z) const;
  std::vector<double> table(const std::string &dataset, std::size_t rows,
                            std::size_t columns) const;
  Index add_signals(Sources &sources, std::size_t points, const std::string &dataset,
                    bool points_first) const;
  void add_moments(Sources &sources) const;
  void add_forces(Sources &sources) const;
  void add_kwave(Sources &sources) const;
  bool replaces(const std::string &dataset) const;
  bool has_kwave_source(const std::string &source) const;
  void refuse_others() const;

  io::File file_;
  grid::Communicator comm_;
  Problem problem_;
  bool allow_negative_lambda_;
  double fastest_ = 0, slowest_ = 0;
  std::vector<std::string> warnings_;
  mutable io::ContentChecksum checksum_; ///< checksum of the data read so far
};

template <class Real, class Bad>
void ModelFile::check_array(const char *name, const grid::Array<Real> &array,
                            const grid::Box &inside, const Bad &bad,
                            const std::string &expected) const {
  grid::Communicator::ArgMin mine;
  const grid::View<const Real> v = array.view();
  const Index3 &n = problem_.cells;
  const Index top = problem_.planes_above();
  const std::uint64_t salt = io::ContentChecksum::hash(name);
  for (Index i = inside.lo[0]; i < inside.hi[0]; ++i)
    for (Index j = inside.lo[1]; j < inside.hi[1]; ++j)
      for (Index k = inside.lo[2]; k < inside.hi[2]; ++k) {
        const std::int64_t where = i + n[0] * (j + n[1] * (k - top));
        checksum_.add(salt, v(i, j, k), where);
        if (bad(v(i, j, k), i, j, k) && where < mine.where)
          mine = {where, static_cast<double>(v(i, j, k))};
      }
  const grid::Communicator::ArgMin found = comm_.argmin(mine);
  if (!found.found()) return;
  refuse(std::string(name) + " of cell (" + std::to_string(found.where % n[0]) + ", " +
             std::to_string(found.where / n[0] % n[1]) + ", " +
             std::to_string(found.where / n[0] / n[1]) + ")",
         number_text(found.value), expected);
}

} // namespace hybridfft::elastic
