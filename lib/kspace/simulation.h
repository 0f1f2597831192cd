/// A simulation from the input file to the output file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grid/device_messages.h"
#include "hybridfft/hybridfft.hpp"
#include "kspace/base/errors.h"
#include "kspace/base/parameters.h"
#include "kspace/operators/basis_options.h"
#include "kspace/record/recording.h"

namespace hybridfft::kspace {

/// The options of simulations on GPUs.
struct DeviceOptions {
  bool gpu = false;        ///< else the processors
  bool processors = false; ///< with gpu: also processors, on ranks beyond the number of GPUs
  /// The transport of messages between GPUs of different ranks.
  grid::Transport transport = grid::Transport::automatic;
  bool timed = false; ///< waits for each kernel and measures its time
};

/// Conditions on which a simulation stops before its end and writes a checkpoint, from which a run
/// with the same options continues.
struct CheckpointOptions {
  std::string file;       ///< empty: never
  double interval = 0;    ///< after so many seconds; 0: never
  std::int64_t steps = 0; ///< after so many time steps of this run; 0: never
  /// Called after each step, on every rank; true on one of them is enough. May be empty.
  std::function<bool()> stop_requested;

  bool enabled() const { return !file.empty(); }
};

/// Precision of the fields, of all computation, and of the reals in output and checkpoint.
enum class Precision { single, double_ };

/// The options of a simulation; the defaults record nothing.
struct SimulationOptions {
  Recording recording;
  Precision precision = Precision::single;
  BasisOptions basis;
  DeviceOptions device;
  bool xdmf = false;                ///< also describe the output in XDMF (see xdmf.h)
  bool copy_sensor_mask = false;    ///< also write the sensor mask to the output
  int compression = 0;              ///< deflate level of the output, 0..9
  Writer writer = Writer::together; ///< writer of the output at the sensor
  std::int64_t steps = 0;           ///< time steps instead of those of the file; 0: the file's
  int threads = 1;                  ///< OpenMP threads per rank
  Effort effort = Effort::measure;
  bool allow_unstable = false; ///< warn of absorption that makes the scheme unstable, go on
  CheckpointOptions checkpoint;
};

/// Seconds that each phase took, on the slowest rank.
struct Timings {
  double loading = 0;        ///< opening the files, reading
  double preparing = 0;      ///< allocation, operators, planning
  double simulating = 0;     ///< time steps with their sampling
  double postprocessing = 0; ///< writing records that are complete at the end only
  double total() const { return loading + preparing + simulating + postprocessing; }
};

/// On processors with the same instruction set the recorded values have the same bits for any
/// number of ranks and threads, any plans and exchanges of transforms, and any interruptions with
/// checkpoints.
///
/// The phases are to be called in the order of their declaration; all are collective over the
/// communicator. They throw InputError, Unsupported, io::IoError, hybridfft::Error or Failure, on
/// all ranks alike; then nothing stands under the name of the output. After an IoError that comes
/// when time steps have been done, the output with all that was written before has that name.
class Simulation {
public:
  /// Reads and checks the scalars of the input, and creates the output. Collective; throws the
  /// same.
  static std::unique_ptr<Simulation> open(const std::string &input, const std::string &output,
                                          const SimulationOptions &options, MPI_Comm comm);
  virtual ~Simulation() = default;

  /// Allocates the fields, computes the operators and plans the transforms.
  virtual void prepare() = 0;
  /// Reads medium, source and sensor.
  virtual void load() = 0;
  /// Runs all time steps, or up to a checkpoint; calls progress(steps done) after each, on every
  /// rank.
  virtual void run(const std::function<void(std::int64_t)> &progress) = 0;
  /// Writes the rest of the output and gives it its name; before the last time step, the records so
  /// far, and the checkpoint.
  /// \param created_by goes into the output's attribute of that name
  virtual void finish(const std::string &created_by) = 0;

  /// The options' number of time steps put in.
  virtual const Parameters &parameters() const = 0;
  /// Warnings for the user, a sentence each; after load(), and more after finish() when the fields
  /// have diverged.
  virtual const std::vector<std::string> &warnings() const = 0;
  /// True after finish() if the fields hold numbers that are not finite. The output is complete.
  virtual bool diverged() const = 0;
  virtual const Timings &timings() const = 0;
  /// Peak memory of all ranks together, in bytes, at this call. Collective.
  virtual double total_memory() const = 0;
  /// Time steps that were done before this run, and that are done now.
  virtual std::int64_t first_step() const = 0;
  virtual std::int64_t steps_done() const = 0;
  virtual int threads() const = 0;
  virtual int ranks() const = 0;
  /// Points of the grid that this rank has.
  virtual double points_of_rank() const = 0;
  /// Seconds of the slowest rank in each kind of stage of the time steps. Collective.
  virtual std::vector<std::pair<std::string, double>> stage_times() const = 0;
  /// Exchanges of a field with neighbours: seconds of the slowest rank in packing, in waiting, and
  /// with messages under way; and bytes that all ranks send for it in a step.
  struct ExchangeTime {
    std::string field;
    double pack = 0, wait = 0, exchange = 0, bytes = 0;
  };
  /// Empty for the global basis. Collective.
  virtual std::vector<ExchangeTime> exchange_times() const = 0;
  /// Kernels of a device: launches of this rank, bytes of the device's memory that they read and
  /// write, and seconds of the slowest rank, if DeviceOptions::timed is set.
  struct KernelCount {
    std::string name;
    std::int64_t launches = 0;
    double bytes = 0, seconds = 0;
  };
  /// Empty where the processors compute. Collective.
  virtual std::vector<KernelCount> kernels() const = 0;
  /// The device of this rank, who shares it, and how others are reached; empty for processors.
  virtual std::string device() const = 0;
  /// Description of the basis of derivatives, and the reason where it was to be chosen.
  virtual std::string basis() const = 0;
  /// Description of the plans, after prepare().
  virtual std::string plans() const = 0;
};

} // namespace hybridfft::kspace
