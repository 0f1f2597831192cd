/// \file kspace.hpp
/// The k-space pseudospectral solver as a library. Choose it instead of the program
/// hybridfft-kspace to pass input in arrays as well as in files, and to read records in memory as
/// well as from files.
///
/// It solves the first-order k-space pseudospectral equations of acoustics (Tabei, Mast and Waag,
/// J. Acoust. Soc. Am. 111 (2002) 53; Treeby, Jaros, Rendell and Cox, J. Acoust. Soc. Am. 131
/// (2012) 4324, equations 17 to 20) on a grid distributed over MPI ranks. Link hybridfft::kspace.
#ifndef HYBRIDFFT_KSPACE_HPP
#define HYBRIDFFT_KSPACE_HPP

#include "hybridfft/require_cxx20.h"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/export.h"

namespace hybridfft::kspace {

/// Grid points in space and time. Point (i, j, k) has the number i + Nx (j + Ny k), from 0 on: x is
/// fastest, as in k-Wave.
struct Grid {
  std::array<std::int64_t, 3> points{};   ///< Nx, Ny, Nz; Nz = 1 is a plane, Ny = Nz = 1 a line
  std::array<double, 3> spacing{};        ///< dx, dy, dz in m; unused along axes of one point
  double dt = 0;                          ///< time step in s
  std::int64_t steps = 0;                 ///< number of time steps
  std::array<std::int64_t, 3> pml_size{}; ///< points of the perfectly matched layer on each side
  double pml_alpha = 2;                   ///< absorption of the layer in Np per grid point
};

/// Properties of the medium. Each vector has one value for all points, or one value for each point
/// in the grid's order.
struct Medium {
  std::vector<float> sound_speed{1500}; ///< in m/s
  std::vector<float> density{1000};     ///< in kg/m^3; interpolated linearly between points
  std::vector<float> nonlinearity{};    ///< B/A; empty: the equations are linear
  std::vector<float> absorption{};      ///< in dB/(MHz^y cm); empty: the medium is lossless
  double absorption_power = 1.5;        ///< y, at least 0, below 3 and not 1
};

/// A signal emitted by some points of the grid.
struct Source {
  /// Effect of the source's values on the field.
  enum class Mode {
    dirichlet, ///< replace the values of the field
    additive,  ///< add to the field
    corrected  ///< add with the k-space correction, to preserve the source strength
  };
  std::vector<std::uint64_t>
      points;             ///< numbers of the points, from 0 on; empty: there is no source
  bool one_signal = true; ///< true: all points emit the same signal; false: each has its own
  /// Values of the first time step, then of the next ones. A step has one value for all points, or
  /// one value for each point. The signal may have fewer steps than the simulation.
  std::vector<float> signal{};
  Mode mode = Mode::additive; ///< effect on the field
};

/// The sensor: points, or cuboids. Each cuboid has its own datasets (p/1, p/2, ...).
struct Sensor {
  std::vector<std::uint64_t> points{}; ///< numbers of the points, from 0 on, in any order
  /// First and last point of each cuboid along x, y, z, from 0 on: {i0, j0, k0, i1, j1, k1}.
  std::vector<std::array<std::int64_t, 6>> cuboids{};
};

/// A simulation described by arrays. All ranks pass the same values.
struct Input {
  Grid grid;                             ///< points in space and time
  Medium medium;                         ///< properties at all points
  std::vector<float> initial_pressure{}; ///< in Pa, a value for each point; empty: none
  Source pressure;                       ///< in Pa
  std::array<Source, 3> velocity{};      ///< in m/s, along x, y, z; all of the same points and mode
  Sensor sensor;                         ///< points or cuboids, not both

  /// Writes the input in k-Wave's format 1.2, with sources scaled as in k-Wave's toolbox.
  /// Collective.
  /// \throws Error HFFT_ERROR_ARGUMENT names the member, its size or value and the expected one, or
  ///   the unwritable file
  HFFT_EXPORT void write(const std::string &path, MPI_Comm comm) const;
};

/// Options of a run, as for the program hybridfft-kspace.
struct RunOptions {
  /// Quantities to record, as the program's options without dashes: "p_raw", "p_max_all", "u_rms",
  /// "I_avg" and so on.
  std::vector<std::string> record{"p_raw"};
  std::int64_t record_from = 1;  ///< first recorded time step, from 1 on
  bool double_precision = false; ///< compute and record in double precision
  int threads = 0;          ///< OpenMP threads of each rank; 0: OMP_NUM_THREADS, or an equal share
                            ///< of the machine's processors
  std::int64_t steps = 0;   ///< time steps; 0: the number of the input
  int compression = 0;      ///< deflate level of the output, 0 to 9
  bool measure = true;      ///< plan transforms by measurement, else by estimate
  bool gpu = false;         ///< compute on GPUs, one for each rank
  bool local_basis = false; ///< Fourier bases of blocks instead of one basis of the grid
  std::string blocks{};     ///< blocks of local bases along x, y, z: "2x2x1"; empty: the solver
                            ///< chooses them
  std::string overlap{};    ///< overlap of the blocks, as in --overlap; empty: the solver chooses
                            ///< it
  bool xdmf = false;        ///< describe the output in XDMF as well
  bool copy_sensor_mask = false;  ///< write the sensor to the output as well
  bool allow_unstable = false;    ///< continue if absorption makes the scheme unstable
  std::string checkpoint{};       ///< file to continue a run from, see Run::complete(); empty: none
  double checkpoint_interval = 0; ///< seconds until the run stops with a checkpoint; 0: none
  std::int64_t checkpoint_steps = 0; ///< time steps until the run stops with a checkpoint; 0: none
};

/// Seconds of the slowest rank in the phases of a run.
struct RunTimes {
  double loading = 0;        ///< reading the input
  double preparing = 0;      ///< allocating and planning
  double simulating = 0;     ///< time steps
  double postprocessing = 0; ///< writing records completed only at the end
};

/// A simulation from its input to its records. Recorded values have the same bits for any number of
/// ranks and threads. All members are collective unless documented otherwise. They throw Error on
/// all ranks alike. The message names the file, dataset or member, the value found and the value
/// expected. HFFT_ERROR_ARGUMENT: invalid inputs or options, unreadable or unwritable files.
/// HFFT_ERROR_UNSUPPORTED: the input needs a feature that this version lacks. Other codes are
/// HFFT_ERROR_OUT_OF_MEMORY and HFFT_ERROR_MPI.
class HFFT_EXPORT Run {
public:
  /// Reads and checks the scalars of a k-Wave input file, and creates the output. The output gets
  /// its name only when it is complete. The communicator must outlive this object.
  Run(const std::string &input, const std::string &output, const RunOptions &options = {},
      MPI_Comm comm = MPI_COMM_WORLD);
  /// Creates a run from arrays. A temporary file in the folder of the output holds the arrays; all
  /// ranks need access to this folder. The file's name is the output's name with a number and
  /// ".input" appended. The destructor removes the file.
  Run(const Input &input, const std::string &output, const RunOptions &options = {},
      MPI_Comm comm = MPI_COMM_WORLD);
  /// Moves a run. Not collective.
  Run(Run &&other) noexcept;
  /// Moves a run.
  Run &operator=(Run &&other) noexcept;
  /// Destroys the run. Unless execute() has finished, no file has the output's name.
  ~Run();

  /// Plans, reads the arrays, computes all time steps (or up to a checkpoint), and writes the
  /// output.
  /// \param progress called with the number of completed steps after each, on every rank; may be
  ///   empty
  void execute(const std::function<void(std::int64_t)> &progress = {});

  /// Returns the number of time steps of the simulation. Not collective.
  std::int64_t steps() const;
  /// Returns the number of completed time steps. Not collective.
  std::int64_t steps_done() const;
  /// Returns true if all steps are done; else a run with the same arguments continues from the
  /// checkpoint. Not collective.
  bool complete() const;
  /// Returns true if the fields contained non-finite numbers after the last step. Not collective.
  bool diverged() const;
  /// Returns warnings, one sentence each. Not collective.
  const std::vector<std::string> &warnings() const;
  /// Returns the seconds of the phases. Not collective.
  RunTimes times() const;

  /// Returns the extents of a record as in HDF5, slowest first. They are {1, steps, points} for a
  /// series at points, {steps, nz, ny, nx} for a cuboid and {Nz, Ny, Nx} for the complete grid.
  /// Call it after execute().
  std::vector<std::size_t> shape(const std::string &dataset) const;
  /// Returns all values of a record on every rank. Call it after execute().
  /// \param dataset name in the output: "p", "p_max", "p_final", "ux/1"
  std::vector<double> read(const std::string &dataset) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace hybridfft::kspace

#endif
