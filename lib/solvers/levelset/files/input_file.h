/// Reads and checks the input of a level-set run: an HDF5 file with the grid, the initial front and
/// the motion.
///
/// Arrays are [Nz][Ny][Nx]. All members are collective. They throw io::IoError or
/// Error(HFFT_ERROR_ARGUMENT) on all ranks. Messages name the file, the dataset, the value found
/// and the value expected.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"
#include "io/xdmf_text.h"
#include "solvers/levelset/files/surface.h"
#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

using io::number_text;

/// Converts an extent or an offset to HDF5's unsigned type.
inline std::size_t unsigned_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

/// Sound speed in m/s and density in kg/m^3.
struct FluidProperties {
  double sound_speed = 0, density = 0;
};

/// Media on both sides of a front, and half the width of the smooth edge between them in units of
/// h.
struct Media {
  FluidProperties inside, outside;
  double width = 0.75;
};

/// Scalar settings of a run.
struct FrontSettings {
  Problem problem;
  std::optional<std::int64_t> steps; ///< number of steps; none: run until t_end
  double t_end = std::numeric_limits<double>::infinity(); ///< s
  std::optional<double> dt;                               ///< time step in s; none: chosen by cfl
  double cfl = 0.5, bending = 0; ///< Courant number; factor of the curvature in m^2/s
  int reinitialise = 1;          ///< iterations of reinitialisation after each step
  int redistance = 0;            ///< iterations of reinitialisation before the first step
  std::string flow;              ///< name of a built-in flow: rotation or deformation; empty: none
  double flow_period = 3;        ///< period of the deformation, s
  std::vector<double> flow_time; ///< times of the arrays of the motion, s
};

/// Input file, open for reading.
class InputFile {
public:
  /// Opens the file, then reads and checks all settings.
  /// \param stl STL file of the initial front; empty: the front is in the input file
  InputFile(const std::string &path, const std::string &stl, const grid::Communicator &comm);

  const std::string &path() const { return file_.path(); }
  const FrontSettings &settings() const { return settings_; }
  const std::vector<std::string> &warnings() const { return warnings_; }

  /// Sets the initial phi of a solver. Adds a warning if there is no front.
  template <class Real> void set_front(Solver<Real> &solver);
  bool has(const std::string &dataset) const { return file_.exists(dataset); }
  /// True if the dataset has one element.
  bool is_number(const std::string &dataset) const;
  double number(const std::string &dataset) const;
  /// Number of times of the dataset: its first extent if it has four dimensions, otherwise 1.
  std::size_t times_of(const std::string &dataset) const;
  /// Reads the values of a dataset at one time on this rank's box into a host array. Throws if a
  /// value is not finite.
  /// \param time index of the time; ignored for a single array
  template <class Real>
  void read_points(const std::string &dataset, std::size_t time, const Box &box,
                   Array<Real> &array) const;
  /// Reads the media for the option --medium.
  Media media() const;
  /// Returns a checksum of the arrays read so far. It is the same for any number of ranks.
  std::int64_t fingerprint() const;

  /// Throws Error(HFFT_ERROR_ARGUMENT): "FILE: `what`: found `found`, expected `expected`".
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
  std::string stl_;   ///< STL file; empty: none
  std::string front_; ///< dataset of the initial front; empty: the STL file
  TriangleMesh triangles_;
  std::vector<std::string> warnings_;
  mutable io::ContentChecksum checksum_;
};

} // namespace hybridfft::levelset
