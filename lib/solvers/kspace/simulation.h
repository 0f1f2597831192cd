/// The k-space pseudospectral simulation of acoustic waves, from the input file to the output file.
/// Programs use this interface; it hides precision, basis and device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grid/device_messages.h"
#include "hybridfft/hybridfft.hpp"
#include "io/checkpoint.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

/// Options of simulations on GPUs.
struct DeviceOptions {
  bool gpu = false;        ///< use GPUs instead of processors
  bool processors = false; ///< with gpu: ranks beyond the number of GPUs compute on processors
  /// Transport of messages between GPUs of different ranks.
  grid::Transport transport = grid::Transport::automatic;
  bool timed = false; ///< wait for each kernel and measure its time
};

using io::CheckpointOptions, io::Precision;

/// Condition for the end of a simulation with periodic sources: the largest pressure of a period at
/// each sensor point differs from that of the period before by less than a share of the largest
/// one. Periods are counted back from the last time step. Records combined over time (p_max) are
/// those of the last period, also if the state never becomes steady.
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
  bool xdmf = false;                ///< also describe the output in XDMF (see xdmf.h)
  bool copy_sensor_mask = false;    ///< also write the sensor mask to the output
  int compression = 0;              ///< deflate level of the output, 0..9
  Writer writer = Writer::together; ///< writer of the output at the sensor
  std::int64_t steps = 0;           ///< number of time steps; 0: the number in the input file
  int threads = 1;                  ///< OpenMP threads per rank
  Effort effort = Effort::measure;
  bool allow_unstable = false; ///< only warn of unstable absorption
  CheckpointOptions checkpoint;
  SteadyOptions steady; ///< not together with checkpoints and intensities
};

/// Seconds of each phase on the slowest rank.
struct Timings {
  double loading = 0;        ///< opening the files, reading
  double preparing = 0;      ///< allocation, operators, planning
  double simulating = 0;     ///< time steps with their sampling
  double postprocessing = 0; ///< writing records that are complete only at the end
  double total() const { return loading + preparing + simulating + postprocessing; }
};

/// A simulation. On processors with the same instruction set the recorded values are bitwise
/// reproducible. They do not depend on the number of ranks and threads, on the plans and exchanges
/// of the transforms, or on interruptions with checkpoints.
///
/// Call the phases in the order of their declaration. All are collective over the communicator.
/// They throw InputError, Unsupported, io::IoError, hybridfft::Error or Failure on all ranks alike,
/// and then leave no file with the output's name. One exception: after an IoError during the time
/// steps the data written so far keep the output's name.
/// when time steps have been done, the output with all that was written before has that name.
class Simulation {
public:
  /// Reads and checks the scalars of the input, and creates the output. Collective; throws as the
  /// phases.
  static std::unique_ptr<Simulation> open(const std::string &input, const std::string &output,
                                          const SimulationOptions &options, MPI_Comm comm);
  virtual ~Simulation() = default;

  /// Allocates the fields, computes the operators and plans the transforms.
  virtual void prepare() = 0;
  /// Reads medium, source and sensor.
  virtual void load() = 0;
  /// Runs all time steps, or stops at a checkpoint or in a steady state. Calls progress(completed
  /// steps) after each step on every rank.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Writes the rest of the output and gives it its name. Before the last time step it writes the
  /// records so far and the checkpoint.
  /// \param created_by value of the output's attribute of this name
  virtual void finish(const std::string &created_by) = 0;

  /// Parameters of the input, with the number of time steps replaced by the option's, and by that
  /// of a steady state.
  virtual const Parameters &parameters() const = 0;
  /// Warnings for the user, one sentence each. Complete after load(); finish() adds more for
  /// diverged fields.
  virtual const std::vector<std::string> &warnings() const = 0;
  /// True after finish() if the fields contain numbers that are not finite. The output is complete.
  virtual bool diverged() const = 0;
  virtual const Timings &timings() const = 0;
  /// Sum of the peak memory of all ranks in bytes. Collective.
  virtual double total_memory() const = 0;
  /// Number of time steps before this run.
  virtual std::int64_t first_step() const = 0;
  /// Number of completed time steps.
  virtual std::int64_t steps_done() const = 0;
  /// Change of the last period relative to the largest pressure; 1 before two periods.
  virtual double steady_change() const = 0;
  virtual int threads() const = 0;
  virtual int ranks() const = 0;
  /// Number of grid points of this rank.
  virtual double points_of_rank() const = 0;
  /// Seconds of the slowest rank in each kind of stage of the time steps. Collective.
  virtual std::vector<std::pair<std::string, double>> stage_times() const = 0;
  /// Exchanges of a field with neighbours. Times are seconds of the slowest rank for packing, for
  /// waiting, and with messages in flight. `bytes` are sent by all ranks in a step.
  struct AxisExchangeTime {
    std::string field;
    double pack = 0, wait = 0, exchange = 0, bytes = 0;
  };
  /// Empty for the global basis. Collective.
  virtual std::vector<AxisExchangeTime> exchange_times() const = 0;
  /// Device kernel: launches by this rank, bytes read from and written to device memory, and
  /// seconds of the slowest rank. The seconds need DeviceOptions::timed.
  struct KernelCount {
    std::string name;
    std::int64_t launches = 0;
    double bytes = 0, seconds = 0;
  };
  /// Empty if processors compute. Collective.
  virtual std::vector<KernelCount> kernels() const = 0;
  /// Describes this rank's device, the ranks sharing it, and the transport to other ranks; empty
  /// for processors.
  virtual std::string device() const = 0;
  /// Describes the basis of derivatives, and the reason of an automatic choice.
  virtual std::string basis() const = 0;
  /// Describes the plans, after prepare().
  virtual std::string plans() const = 0;
};

} // namespace hybridfft::kspace
