// Runs a simulation from a file or from the caller's arrays, for the public C++ interface.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/binding.h"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/hybridfft.h"
#include "hybridfft/kspace.hpp"
#include "io/hdf5.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

namespace {

Recording recording_of(const RunOptions &options) {
  Recording recording;
  recording.start = options.record_from;
  const auto all = record_options(recording);
  for (const std::string &name : options.record) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto &o) { return o.name == name; });
    if (found == all.end()) {
      std::string known;
      for (const RecordOption &o : all)
        known += (known.empty() ? "" : ", ") + o.name;
      throw Error(HFFT_ERROR_ARGUMENT,
                  "kspace::RunOptions: record has '" + name + "', expected one of " + known);
    }
    *found->wanted = true;
  }
  return recording;
}

CheckpointOptions checkpoint_of(const RunOptions &options) {
  const bool when = options.checkpoint_interval > 0 || options.checkpoint_steps > 0;
  if (when == options.checkpoint.empty())
    throw Error(HFFT_ERROR_ARGUMENT,
                std::string("kspace::RunOptions: checkpoint is ") +
                    (when ? "empty, expected the name of a file"
                          : "'" + options.checkpoint +
                                "', expected checkpoint_interval or checkpoint_steps above 0"));
  return {options.checkpoint, options.checkpoint_interval, options.checkpoint_steps, {}};
}

void require_range(const char *member, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw Error(HFFT_ERROR_ARGUMENT, std::string("kspace::RunOptions: ") + member + " is " +
                                       std::to_string(value) + ", expected " +
                                       std::to_string(least) + " to " + std::to_string(most));
}

SimulationOptions simulation_options(const RunOptions &options) {
  require_range("compression", options.compression, 0, 9);
  require_range("threads", options.threads, 0, max_threads());
  SimulationOptions s;
  s.recording = recording_of(options);
  s.precision = options.double_precision ? Precision::double_ : Precision::single;
  if (options.local_basis) s.basis.kind = BasisOptions::Selection::local;
  if (!options.local_basis && !(options.blocks + options.overlap).empty())
    throw Error(HFFT_ERROR_ARGUMENT, "kspace::RunOptions: blocks is '" + options.blocks +
                                         "' and overlap '" + options.overlap +
                                         "', expected neither without local_basis");
  s.basis.grid = options.blocks;
  s.basis.overlap = options.overlap;
  s.device.gpu = options.gpu;
  s.xdmf = options.xdmf;
  s.copy_sensor_mask = options.copy_sensor_mask;
  s.compression = options.compression;
  s.steps = options.steps;
  s.effort = options.measure ? Effort::measure : Effort::estimate;
  s.allow_unstable = options.allow_unstable;
  if (!options.checkpoint.empty() || options.checkpoint_interval > 0 ||
      options.checkpoint_steps > 0)
    s.checkpoint = checkpoint_of(options);
  return s;
}

/// Returns a new file name in the folder of the output, for the temporary input file that stores
/// the caller's arrays. All ranks get the same name. Collective.
std::string name_beside(const std::string &output, const grid::Communicator &comm) {
  constexpr std::int64_t smallest = std::int64_t{1} << 32;
  std::int64_t number = 0;
  comm.agree([&] {
    if (comm.rank() == 0) number = smallest + std::random_device()();
  });
  number = comm.max(number);
  std::string path = output + "." + std::to_string(number) + ".input";
  comm.agree([&] {
    if (comm.rank() == 0 && std::filesystem::exists(path))
      throw Error(HFFT_ERROR_ARGUMENT,
                  "kspace::Run: '" + path + "' exists, expected room for the arrays");
  });
  return path;
}

/// Temporary input file, written from the caller's arrays. Its destructor removes the file on rank
/// 0.
class InputOnDisk {
public:
  InputOnDisk(const Input &input, std::string path, const grid::Communicator &comm)
      : path_(std::move(path)), remove_(comm.rank() == 0) {
    input.write(path_, comm.handle());
  }
  ~InputOnDisk() {
    std::error_code none;
    if (remove_) std::filesystem::remove(path_, none);
  }
  InputOnDisk(const InputOnDisk &) = delete;
  InputOnDisk &operator=(const InputOnDisk &) = delete;

private:
  std::string path_;
  bool remove_;
};

} // namespace

struct Run::Implementation {
  Implementation(std::string name, const RunOptions &o, MPI_Comm c)
      : comm(c), output(std::move(name)) {
    comm.agree([&] { options = simulation_options(o); });
    options.threads = o.threads > 0 ? o.threads : default_threads(comm.handle());
  }
  void open(const std::string &path) {
    simulation = Simulation::open(path, output, options, comm.handle());
  }

  grid::Communicator comm;
  std::string output;
  SimulationOptions options;
  std::optional<InputOnDisk> input; ///< temporary input file; empty if the user names an input file
  std::unique_ptr<Simulation> simulation;
};

Run::Run(const std::string &input, const std::string &output, const RunOptions &options,
         MPI_Comm comm) {
  with_public_errors([&] {
    implementation_ = std::make_unique<Implementation>(output, options, comm);
    implementation_->open(input);
  });
}

Run::Run(const Input &input, const std::string &output, const RunOptions &options, MPI_Comm comm) {
  with_public_errors([&] {
    implementation_ = std::make_unique<Implementation>(output, options, comm);
    const std::string path = name_beside(output, implementation_->comm);
    implementation_->input.emplace(input, path, implementation_->comm);
    implementation_->open(path);
  });
}

Run::Run(Run &&other) noexcept = default;
Run &Run::operator=(Run &&other) noexcept = default;
Run::~Run() = default;

void Run::execute(const std::function<void(std::int64_t)> &progress) {
  with_public_errors([&] {
    Simulation &s = *implementation_->simulation;
    s.prepare();
    s.load();
    s.run(progress ? progress : [](std::int64_t) {});
    s.finish(std::string("libhybridfft_kspace ") + hfft_version());
  });
}

std::int64_t Run::steps() const { return implementation_->simulation->parameters().steps; }
std::int64_t Run::steps_done() const { return implementation_->simulation->steps_done(); }
bool Run::complete() const { return steps_done() == steps(); }
bool Run::diverged() const { return implementation_->simulation->diverged(); }
const std::vector<std::string> &Run::warnings() const {
  return implementation_->simulation->warnings();
}
RunTimes Run::times() const {
  const Timings &t = implementation_->simulation->timings();
  return {t.loading, t.preparing, t.simulating, t.postprocessing};
}

std::vector<std::size_t> Run::shape(const std::string &dataset) const {
  return with_public_errors([&] {
    return io::File::open(implementation_->output, implementation_->comm.handle())
        .info(dataset)
        .shape;
  });
}

std::vector<double> Run::read(const std::string &dataset) const {
  return with_public_errors([&] {
    return io::File::open(implementation_->output, implementation_->comm.handle())
        .read_all<double>(dataset);
  });
}

} // namespace hybridfft::kspace
