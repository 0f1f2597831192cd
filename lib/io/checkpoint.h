/// The parts that checkpoints of all solvers share: the decision to stop, the identity of the
/// simulation, the time step, the fingerprint (a checksum) of the input, and a checksum of the
/// values.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// Precision of a simulation's fields, and of reals in its output and checkpoint.
enum class Precision { single, double_ };

/// When a run stops early and writes a checkpoint. A run with the same options continues from the
/// checkpoint.
struct CheckpointOptions {
  std::string file;       ///< file of the checkpoint; empty: no checkpoints
  double interval = 0;    ///< seconds until the run stops; 0: no limit
  std::int64_t steps = 0; ///< time steps of this run until it stops; 0: no limit
  /// Called after each step on every rank. The run stops if it returns true on any rank. May be
  /// empty.
  std::function<bool()> stop_requested;

  bool enabled() const { return !file.empty(); }
  /// Returns true on all ranks if any rank must stop. Clocks and signals differ between ranks, so
  /// the function is collective. Without checkpoints and for done == 0 it returns false at once.
  /// \param done number of time steps of this run so far
  bool must_stop(std::int64_t done, std::chrono::steady_clock::time_point begin,
                 MPI_Comm comm) const;
};

/// Functions of a solver that read numbers of a checkpoint, format them, and report wrong ones.
struct CheckpointNumbers {
  std::function<std::int64_t(const std::string &dataset)> integer;
  std::function<double(const std::string &dataset)> real;
  std::function<std::string(double)> text;
  /// Throws an error that names the dataset, the value found and the value expected.
  std::function<void(const std::string &dataset, const std::string &found,
                     const std::string &expected)>
      refuse;
};

/// Datasets that identify a simulation, with their values.
struct SimulationIdentity {
  std::vector<std::pair<std::string, std::int64_t>> integers;
  std::vector<std::pair<std::string, double>> reals;
};

/// Names of datasets in checkpoints.
inline constexpr const char *checkpoint_step = "t_index";
inline constexpr const char *checkpoint_fingerprint = "input_checksum";
inline constexpr const char *checkpoint_checksum = "checksum";
/// Name of the output's attribute that identifies the simulation.
inline constexpr const char *simulation_attribute = "simulation_checksum";

/// True if the file exists for rank 0. Collective.
bool exists_at_root(const std::string &path, MPI_Comm comm);

/// Throws if the checkpoint belongs to another simulation.
void require_same_simulation(const CheckpointNumbers &file, const SimulationIdentity &identity);
/// Returns the value of simulation_attribute: a checksum of the identity and the fingerprint.
std::string simulation_checksum(const SimulationIdentity &identity, std::int64_t fingerprint);
/// Throws if the output belongs to another simulation than the checkpoint.
/// \param checkpoint path of the checkpoint, for the message
/// \param expected value of the attribute
/// \param refuse throws an error with the given message
void require_own(const File &output, const std::string &checkpoint, const std::string &expected,
                 const std::function<void(const std::string &message)> &refuse);
/// Returns the time step of the checkpoint. Throws if it is not in 1 to steps - 1.
std::int64_t require_step(const CheckpointNumbers &file, std::int64_t steps);
/// Throws if the checkpoint was made with another input.
/// \param of name of the input, for the message
void require_fingerprint(const CheckpointNumbers &file, std::int64_t fingerprint,
                         const std::string &of);
/// Throws if the checksum of the restored values over all ranks differs from the file's.
void require_checksum(const CheckpointNumbers &file, std::int64_t found);

/// Version and datasets of a solver's checkpoints.
struct CheckpointFormat {
  const char *name;     ///< dataset with the version
  std::int64_t version; ///< increment it with every change of the content
  const char *field;    ///< a dataset whose element size gives the simulation's precision
};

/// A checkpoint open for reading. All members are collective. They throw IoError or
/// Error(HFFT_ERROR_ARGUMENT) with file, dataset, value found and value expected.
class CheckpointFile {
public:
  /// Opens a checkpoint.
  /// \param bytes size of a real of the simulation
  /// \return nothing if there is no file
  /// \throws an error for another version, simulation or precision
  static std::optional<CheckpointFile> find(const std::string &path, const CheckpointFormat &format,
                                            const SimulationIdentity &identity, std::size_t bytes,
                                            MPI_Comm comm);
  const File &file() const { return file_; }
  /// Returns the first number of a dataset.
  std::int64_t integer(const std::string &dataset) const {
    return file_.read_all<std::int64_t>(dataset).at(0);
  }
  double real(const std::string &dataset) const { return file_.read_all<double>(dataset).at(0); }
  [[noreturn]] void refuse(const std::string &dataset, const std::string &found,
                           const std::string &expected) const;
  /// Returns the functions for require_step(), require_fingerprint() and require_checksum().
  CheckpointNumbers numbers() const;
  /// Throws unless mark_output() has marked the output as one of this simulation. Continuing would
  /// overwrite the samples of another simulation.
  void require_own(const File &output, const SimulationIdentity &identity) const;

private:
  explicit CheckpointFile(File file) : file_(std::move(file)) {}
  File file_;
};

/// Sets simulation_attribute of an output.
void mark_output(File &output, const SimulationIdentity &identity, std::int64_t fingerprint);
/// Writes the datasets with which a checkpoint begins: version, identity, time step and
/// fingerprint.
void begin_checkpoint(File &file, const CheckpointFormat &format,
                      const SimulationIdentity &identity, const std::string &created_by,
                      std::int64_t step, std::int64_t fingerprint);
/// Writes one number as a dataset of shape 1 x 1 x 1, as in k-Wave's files.
template <class T> void write_number(File &file, const std::string &dataset, T value) {
  file.write_all<T>(dataset, {1, 1, 1}, {value});
}

/// Returns the message about a recorded dataset that has overflowed.
/// \param found its first infinite or NaN value
/// \param place position of this value, such as "cell (1, 2, 3)"
std::string describe_overflow(const std::string &dataset, double found, const std::string &place);

/// Calls step().
/// \return the message of the IoError that it throws; empty if it throws none
std::string failure_of(const std::function<void()> &step);
/// Commits an output with the data written before a failure, and then throws IoError. Collective.
[[noreturn]] void keep_output(File &output, const std::string &failure);

/// Returns a new checksum. On rank 0 it includes the step and the fingerprint; on other ranks it is
/// empty.
/// \param rank the caller's rank
ContentChecksum begin_checkpoint_checksum(std::int64_t step, std::int64_t fingerprint, int rank);

} // namespace hybridfft::io
