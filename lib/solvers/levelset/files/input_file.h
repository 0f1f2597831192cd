/// The input of a level-set run: an HDF5 file with the grid, the first front and the motion.
///
/// Arrays are [Nz][Ny][Nx]. All members are collective. They throw io::IoError or
/// Error(HFFT_ERROR_ARGUMENT) on all ranks. Messages name the file, the dataset, the value found
/// and the value expected.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"
#include "solvers/levelset/files/surface.h"
#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Speed of sound in m/s and density in kg/m^3.
struct FluidProperties {
  double sound_speed = 0, density = 0;
};

/// The media on both sides of a front, and half the width of the smooth edge in units of h.
struct Media {
  FluidProperties inside, outside;
  double width = 0.75;
};

/// The scalars of an input.
struct FrontSettings {
  Problem problem;
  std::optional<std::int64_t> steps;
  double t_end = std::numeric_limits<double>::infinity();
  std::optional<double> dt;
  double cfl = 0.5, bending = 0;
  int reinitialise = 1;
  int redistance = 0; ///< iterations before the first step
  std::string flow;   ///< name of a built-in flow: rotation or deformation; empty: none
  double flow_period = 3;
  std::vector<double> flow_time;
};

/// An input file, open for reading.
class InputFile {
public:
  /// \param stl file of the first front's triangles; empty: the front is in the input
  InputFile(const std::string &path, const std::string &stl, const grid::Communicator &comm);

  const std::string &path() const { return file_.path(); }
  const FrontSettings &settings() const { return settings_; }
  const std::vector<std::string> &warnings() const { return warnings_; }

  /// Sets the first phi of a solver.
  template <class Real> void set_front(Solver<Real> &solver);
  bool has(const std::string &dataset) const { return file_.exists(dataset); }
  /// True if the dataset is one number.
  bool is_number(const std::string &dataset) const;
  double number(const std::string &dataset) const;
  /// Number of arrays given for different times; 1 for a single array.
  std::size_t times_of(const std::string &dataset) const;
  /// Reads the points of the solver's block.
  template <class Real>
  void read_points(const std::string &dataset, std::size_t time, const Box &box,
                   Array<Real> &array) const;
  /// The media of `--medium`.
  Media media() const;
  /// A checksum of the input, the same for any number of ranks.
  std::int64_t fingerprint() const;

  [[noreturn]] void refuse(const std::string &what, const std::string &found,
                           const std::string &expected) const;

private:
  std::string kind_of_front() const;
  void read_triangles();
  Index3 read_points_of_grid();
  io::Shape grid_shape(const std::string &dataset) const;
  double number_or(const std::string &dataset, double value) const;
  int iterations(const std::string &dataset, int value) const;
  void read_problem();
  void read_ends();
  void read_times();
  void read_flow();
  void check_moving_arrays() const;
  void warn_of_unknown();
  template <class Real> void read_padded(Solver<Real> &solver, Array<Real> &array) const;
  template <class Real> void set_spheres(Solver<Real> &solver) const;
  template <class Real> void set_triangles(Solver<Real> &solver) const;
  template <class Real> void set_labels(Solver<Real> &solver) const;

  io::File file_;
  grid::Communicator comm_;
  FrontSettings settings_;
  std::string stl_;   ///< file of triangles
  std::string front_; ///< dataset of the first values; empty: triangles
  TriangleMesh triangles_;
  std::vector<std::string> warnings_;
  mutable io::ContentChecksum checksum_;
};

} // namespace hybridfft::levelset
