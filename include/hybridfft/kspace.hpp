/// \file kspace.hpp
/// The k-space pseudospectral solver for programs: what hybridfft-kspace does, with the input from
/// a file or from arrays, and the records in a file and in memory.
///
/// The first-order k-space pseudospectral equations of acoustics (Tabei, Mast and Waag, J. Acoust.
/// Soc. Am. 111 (2002) 53; Treeby, Jaros, Rendell and Cox, J. Acoust. Soc. Am. 131 (2012) 4324,
/// equations 17 to 20) on a grid that is spread over MPI ranks. Link hybridfft::kspace.
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

/// The grid points in space and time. Point (i, j, k) has the number i + Nx (j + Ny k), from 0 on:
/// in the order of k-Wave, x runs fastest.
struct Grid {
  std::array<std::int64_t, 3> points{};   ///< Nx, Ny, Nz; Nz = 1 is a plane
  std::array<double, 3> spacing{};        ///< dx, dy, dz in m; dz is not used where Nz is 1
  double dt = 0;                          ///< time step in s
  std::int64_t steps = 0;                 ///< number of time steps
  std::array<std::int64_t, 3> pml_size{}; ///< points of the absorbing layer on each side
  double pml_alpha = 2;                   ///< its absorption in Np per grid point
};

/// Properties of the medium. Each has one value, or one for each point of the grid in its order.
struct Medium {
  std::vector<float> sound_speed{1500}; ///< in m/s
  std::vector<float> density{1000};     ///< in kg/m^3; between points it is interpolated linearly
  std::vector<float> nonlinearity{};    ///< B/A; empty: the equations are linear
  std::vector<float> absorption{};      ///< in dB/(MHz^y cm); empty: the medium is lossless
  double absorption_power = 1.5;        ///< y, at least 0, below 3 and not 1
};

/// A signal that some points of the grid emit.
struct Source {
  /// The way in which the source's values act on the field.
  enum class Mode {
    dirichlet, ///< they replace the field's
    additive,  ///< they are added
    corrected  ///< they are added with the k-space correction, which keeps their strength
  };
  std::vector<std::uint64_t>
      points;             ///< numbers of the points, from 0 on; empty: there is no source
  bool one_signal = true; ///< all points emit the same; else each has a signal of its own
  /// Values of the time steps from the first on: one for all points in each, or one for each point.
  /// There may be fewer steps than the simulation has.
  std::vector<float> signal{};
  Mode mode = Mode::additive; ///< the way it acts on the field
};

/// The sensor: points, or cuboids, whose records are datasets of their own (p/1, p/2, ...).
struct Sensor {
  std::vector<std::uint64_t> points{}; ///< numbers of the points, from 0 on, in any order
  /// First and last point of each cuboid along x, y, z, from 0 on: {i0, j0, k0, i1, j1, k1}.
  std::vector<std::array<std::int64_t, 6>> cuboids{};
};

/// A simulation that is described by arrays. All ranks give the same values.
struct Input {
  Grid grid;                             ///< the grid
  Medium medium;                         ///< the medium
  std::vector<float> initial_pressure{}; ///< in Pa, a value for each point; empty: none
  Source pressure;                       ///< in Pa
  std::array<Source, 3> velocity{};      ///< in m/s, along x, y, z; all of the same points and mode
  Sensor sensor;                         ///< points or cuboids, not both

  /// Writes it in k-Wave's format 1.2, with sources scaled as k-Wave's toolbox scales them.
  /// Collective. Throws Error: HFFT_ERROR_ARGUMENT names the member, its size or value, and what
  /// was expected, or the file that cannot be written.
  HFFT_EXPORT void write(const std::string &path, MPI_Comm comm) const;
};

/// Options of a run, as those of hybridfft-kspace.
struct RunOptions {
  /// The quantities to record, as the program's options without their dashes: "p_raw", "p_max_all",
  /// "u_rms", "I_avg" and so on.
  std::vector<std::string> record{"p_raw"};
  std::int64_t record_from = 1;  ///< first time step that is recorded, from 1 on
  bool double_precision = false; ///< compute and record in double precision
  int threads = 0;          ///< OpenMP threads of each rank; 0: OMP_NUM_THREADS, or an even share
  std::int64_t steps = 0;   ///< time steps; 0: those of the input
  int compression = 0;      ///< deflate level of the output, 0 to 9
  bool measure = true;      ///< plan transforms by measuring them, else by estimates
  bool gpu = false;         ///< compute on GPUs, one for each rank
  bool local_basis = false; ///< Fourier bases of blocks instead of one of the whole grid
  std::string blocks{};     ///< blocks of local bases along x, y, z: "2x2x1"; empty: chosen
  std::string overlap{};    ///< their overlap, as --overlap has it; empty: chosen
  bool xdmf = false;        ///< describe the output in XDMF, too
  bool copy_sensor_mask = false; ///< write the sensor to the output, too
  bool allow_unstable = false;   ///< go on where absorption makes the scheme unstable
  std::string checkpoint{}; ///< file of a run that is continued, see Run::complete(); empty: none
  double checkpoint_interval = 0;    ///< seconds until the run stops with a checkpoint; 0: none
  std::int64_t checkpoint_steps = 0; ///< time steps until then; 0: none
};

/// Seconds of the slowest rank in the phases of a run.
struct RunTimes {
  double loading = 0;        ///< reading the input
  double preparing = 0;      ///< allocating and planning
  double simulating = 0;     ///< time steps
  double postprocessing = 0; ///< writing records that are complete at the end only
};

/// A simulation from its input to its records. The recorded values have the same bits on any number
/// of ranks and threads. All members are collective unless their comments say otherwise; they throw
/// Error on all ranks alike, with a message that names the file, dataset or member, the value found
/// and the value expected: HFFT_ERROR_ARGUMENT for inputs or options that are wrong and for files
/// that cannot be read or written, HFFT_ERROR_UNSUPPORTED for what this version does not compute,
/// HFFT_ERROR_OUT_OF_MEMORY, HFFT_ERROR_MPI.
class HFFT_EXPORT Run {
public:
  /// Reads and checks the scalars of a k-Wave input file, and creates the output, which has its
  /// name only when it is complete. The communicator has to be there as long as this object.
  Run(const std::string &input, const std::string &output, const RunOptions &options = {},
      MPI_Comm comm = MPI_COMM_WORLD);
  /// The same of arrays. They are written to a file in the folder of the output, which all ranks
  /// see, under its name with a number and ".input" behind it. It is removed with this object.
  Run(const Input &input, const std::string &output, const RunOptions &options = {},
      MPI_Comm comm = MPI_COMM_WORLD);
  /// Takes a run over. Not collective.
  Run(Run &&other) noexcept;
  /// Takes a run over.
  Run &operator=(Run &&other) noexcept;
  /// Leaves nothing under the output's name unless execute() has come to its end.
  ~Run();

  /// Plans, reads the arrays, computes all time steps, or up to a checkpoint, and writes the
  /// output. \param progress called with the number of steps done after each, on every rank; may be
  /// empty
  void execute(const std::function<void(std::int64_t)> &progress = {});

  /// Number of time steps of the simulation. Not collective.
  std::int64_t steps() const;
  /// Number of time steps done so far. Not collective.
  std::int64_t steps_done() const;
  /// True if all of them are done; else a run with the same arguments goes on from the checkpoint.
  /// Not collective.
  bool complete() const;
  /// True if the fields held numbers that are not finite after the last step. Not collective.
  bool diverged() const;
  /// Warnings, a sentence each. Not collective.
  const std::vector<std::string> &warnings() const;
  /// Seconds in the phases. Not collective.
  RunTimes times() const;

  /// Number of values of a record, as HDF5 has it, slowest first: of a series at points
  /// {1, steps, points}, of a cuboid {steps, nz, ny, nx}, of the whole grid {Nz, Ny, Nx}. After
  /// execute().
  std::vector<std::size_t> shape(const std::string &dataset) const;
  /// The values of a record, whole, on every rank, after execute().
  /// \param dataset its name in the output: "p", "p_max", "p_final", "ux/1"
  std::vector<double> read(const std::string &dataset) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

} // namespace hybridfft::kspace

#endif
