/// Runs a k-space pseudospectral simulation of acoustic waves from an input file and writes the
/// output file. Programs use this interface, which hides precision, basis and device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grid/device_messages.h"
#include "hybridfft/hybridfft.hpp"
#include "io/checkpoint.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

/// Options of simulations on GPUs.
struct DeviceOptions {
  bool gpu = false;        ///< use GPUs instead of processors
  bool processors = false; ///< with gpu: ranks without a GPU of their own compute on processors
  /// How GPUs of different ranks exchange messages.
  grid::Transport transport = grid::Transport::automatic;
  bool timed = false; ///< wait for each kernel to measure its time
};

using io::CheckpointOptions, io::Precision;

/// Ends a simulation with periodic sources in a steady state: at each sensor point, the maximum
/// pressure of a period differs from the previous period's by less than a share of the largest
/// maximum. Periods are counted backwards from the last time step. Quantities combined over time
/// (p_max) are those of the last period, also if the state never becomes steady.
struct SteadyOptions {
  double change = 0;       ///< the share
  std::int64_t period = 0; ///< time steps of a period; 0: simulate all time steps

  bool enabled() const { return period > 0; }
};

/// Options of a simulation. The defaults record nothing.
struct SimulationOptions {
  Recording recording;
  Precision precision = Precision::single;
  BasisOptions basis;
  DeviceOptions device;
  bool xdmf = false;                ///< also write an XDMF description of the output (see xdmf.h)
  bool copy_sensor_mask = false;    ///< also write the sensor mask to the output
  int compression = 0;              ///< deflate level of the output, 0..9
  Writer writer = Writer::together; ///< how sensor values are written
  std::int64_t steps = 0;           ///< number of time steps; 0: the number in the input file
  int threads = 1;                  ///< OpenMP threads per rank
  Effort effort = Effort::measure;
  bool allow_unstable = false; ///< warn of unstable absorption instead of refusing it
  CheckpointOptions checkpoint;
  SteadyOptions steady; ///< not available with checkpoints or intensities
};

/// Seconds of each phase on the slowest rank.
struct Timings {
  double loading = 0;        ///< opening the files, reading
  double preparing = 0;      ///< allocation, operators, plans
  double simulating = 0;     ///< time steps with their sampling
  double postprocessing = 0; ///< writing data that are complete only at the end
  double total() const { return loading + preparing + simulating + postprocessing; }
};

/// A simulation. On processors with the same instruction set, recorded values are bitwise
/// reproducible. They do not depend on the number of ranks and threads, on the plans and exchanges
/// of FFTs, or on interruptions with checkpoints.
///
/// Call the phases in the order of their declaration. All are collective over the communicator.
/// They throw InputError, Unsupported, io::IoError, hybridfft::Error or Failure on all ranks alike,
/// and then leave no file with the output's name, with one exception: after an IoError during the
/// time steps, the data written so far keep the output's name.
class Simulation {
public:
  /// Reads and checks the scalars, the sources and the sensor of the input. Creates the output, or
  /// continues it from a checkpoint. Collective. Throws as the phases do.
  static std::unique_ptr<Simulation> open(const std::string &input, const std::string &output,
                                          const SimulationOptions &options, MPI_Comm comm);
  virtual ~Simulation() = default;

  /// Allocates the fields, computes the operators and plans the transforms.
  virtual void prepare() = 0;
  /// Reads the medium and the initial pressure.
  virtual void load() = 0;
  /// Runs all time steps, or stops at a checkpoint or in a steady state. Calls progress(completed
  /// steps) after each step on every rank.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Completes the output and gives it its name. If the simulation stops before its last time step,
  /// also writes the checkpoint and the partial records.
  /// \param created_by value of the output's attribute of this name
  virtual void finish(const std::string &created_by) = 0;

  /// Parameters of the input. An option or a steady state may have replaced the number of time
  /// steps.
  virtual const Parameters &parameters() const = 0;
  /// Warnings for the user, one sentence each. Complete after load(), except that finish() adds
  /// warnings about diverged fields.
  virtual const std::vector<std::string> &warnings() const = 0;
  /// True after finish() if fields contain numbers that are not finite. The output is complete even
  /// so.
  virtual bool diverged() const = 0;
  virtual const Timings &timings() const = 0;
  /// Sum of the peak memory of all ranks in bytes. Collective.
  virtual double total_memory() const = 0;
  /// Number of time steps completed before this run.
  virtual std::int64_t first_step() const = 0;
  /// Number of completed time steps.
  virtual std::int64_t steps_done() const = 0;
  /// Change between the last two periods, relative to the largest pressure; 1 before there are two.
  virtual double steady_change() const = 0;
  virtual int threads() const = 0;
  virtual int ranks() const = 0;
  /// Number of grid points of this rank.
  virtual double points_of_rank() const = 0;
  /// Seconds of the slowest rank for each kind of work in the time steps. Collective.
  virtual std::vector<StageTime> stage_times() const = 0;
  /// Returns the times of the exchanges of each field on the slowest rank, and the bytes sent by
  /// all ranks in a step; empty in the global basis. Collective.
  virtual std::vector<ExchangeTime> exchange_times() const = 0;
  /// Returns the statistics of each device kernel: launches and bytes of this rank, and seconds of
  /// the slowest rank, which need DeviceOptions::timed. Empty on processors. Collective.
  virtual DeviceLedger::Entries kernels() const = 0;
  /// Describes this rank's device, the number of ranks that share it, and the transport to other
  /// ranks; empty on processors.
  virtual std::string device() const = 0;
  /// Describes the basis of derivatives, and why it was chosen if the choice was automatic.
  virtual std::string basis() const = 0;
  /// Describes the plans, after prepare().
  virtual std::string plans() const = 0;
};

} // namespace hybridfft::kspace
