/// The common part of all solvers' checkpoints: when to write them, the identity of the simulation,
/// the time step, the fingerprint of the input, and a checksum.
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

/// Precision of the fields of a simulation, and of the reals in its output and checkpoint.
enum class Precision { single, double_ };

/// Conditions for stopping before the end and writing a checkpoint. A run with the same options
/// continues from the checkpoint.
struct CheckpointOptions {
  std::string file;       ///< file of the checkpoint; empty: no checkpoints
  double interval = 0;    ///< seconds until the run stops; 0: no limit
  std::int64_t steps = 0; ///< time steps of this run until it stops; 0: no limit
  /// Called after each step on every rank; the run stops if it returns true on any rank. May be
  /// empty.
  std::function<bool()> stop_requested;

  bool enabled() const { return !file.empty(); }
  /// True if the run must stop on any rank: clocks and signals differ between ranks. Collective,
  /// except before the first step and without checkpoints.
  /// \param done time steps of this run; none is never enough for a checkpoint
  bool must_stop(std::int64_t done, std::chrono::steady_clock::time_point begin,
                 MPI_Comm comm) const;
};

/// A solver's functions to read numbers of a checkpoint, to format them, and to refuse them.
struct CheckpointNumbers {
  std::function<std::int64_t(const std::string &dataset)> integer;
  std::function<double(const std::string &dataset)> real;
  std::function<std::string(double)> text;
  /// Throws an error with the dataset, the found and the expected value.
  std::function<void(const std::string &dataset, const std::string &found,
                     const std::string &expected)>
      refuse;
};

/// Datasets of a checkpoint and the values they must have.
struct SimulationIdentity {
  std::vector<std::pair<std::string, std::int64_t>> integers;
  std::vector<std::pair<std::string, double>> reals;
};

/// Names of datasets.
inline constexpr const char *checkpoint_step = "t_index";
inline constexpr const char *checkpoint_fingerprint = "input_checksum";
inline constexpr const char *checkpoint_checksum = "checksum";
/// Name of the attribute with the simulation of an output.
inline constexpr const char *simulation_attribute = "simulation_checksum";

/// True if rank 0 finds a file. Collective.
bool exists_at_root(const std::string &path, MPI_Comm comm);

/// Refuses checkpoints of other simulations.
void require_same_simulation(const CheckpointNumbers &file, const SimulationIdentity &identity);
/// Value of simulation_attribute: a checksum of the identity and the fingerprint.
std::string simulation_checksum(const SimulationIdentity &identity, std::int64_t fingerprint);
/// Refuses an output that belongs to another simulation than the checkpoint.
/// \param checkpoint path of the checkpoint, for the message
/// \param expected value of the attribute
/// \param refuse throws with the whole message
void require_own(const File &output, const std::string &checkpoint, const std::string &expected,
                 const std::function<void(const std::string &message)> &refuse);
/// The time step of the checkpoint. Refuses numbers outside 1 to steps - 1.
std::int64_t require_step(const CheckpointNumbers &file, std::int64_t steps);
/// Refuses checkpoints made from other inputs.
/// \param of name of the inputs, for the message
void require_fingerprint(const CheckpointNumbers &file, std::int64_t fingerprint,
                         const std::string &of);
/// Refuses values if their checksum over all ranks differs from the file's.
void require_checksum(const CheckpointNumbers &file, std::int64_t found);

/// The content of a solver's checkpoints.
struct CheckpointFormat {
  const char *name;     ///< dataset with the version
  std::int64_t version; ///< to be incremented by any change of the content
  const char *field;    ///< dataset with the precision of the simulation
};

/// An open checkpoint. All members are collective. Errors are IoError and
/// Error(HFFT_ERROR_ARGUMENT), with file, dataset, found and expected values.
class CheckpointFile {
public:
  /// Opens an existing checkpoint.
  /// \param bytes size of a real of the simulation
  /// \return nothing if there is no file
  /// \throws an error for another version, simulation or precision
  static std::optional<CheckpointFile> find(const std::string &path, const CheckpointFormat &format,
                                            const SimulationIdentity &identity, std::size_t bytes,
                                            MPI_Comm comm);
  const File &file() const { return file_; }
  /// First number of a dataset.
  std::int64_t integer(const std::string &dataset) const {
    return file_.read_all<std::int64_t>(dataset).at(0);
  }
  double real(const std::string &dataset) const { return file_.read_all<double>(dataset).at(0); }
  [[noreturn]] void refuse(const std::string &dataset, const std::string &found,
                           const std::string &expected) const;
  /// Functions for require_step(), require_fingerprint() and require_checksum().
  CheckpointNumbers numbers() const;
  /// Refuses an output without the attribute set by mark_output() for this simulation: its samples
  /// would be lost.
  void require_own(const File &output, const SimulationIdentity &identity) const;

private:
  explicit CheckpointFile(File file) : file_(std::move(file)) {}
  File file_;
};

/// Sets the attribute simulation_attribute of an output.
void mark_output(File &output, const SimulationIdentity &identity, std::int64_t fingerprint);
/// Writes the head of a new checkpoint: version, identity, time step and fingerprint.
void begin_checkpoint(File &file, const CheckpointFormat &format,
                      const SimulationIdentity &identity, const std::string &created_by,
                      std::int64_t step, std::int64_t fingerprint);
/// Writes one number as a dataset of the shape of k-Wave's files, 1 x 1 x 1.
template <class T> void write_number(File &file, const std::string &dataset, T value) {
  file.write_all<T>(dataset, {1, 1, 1}, {value});
}

/// Describes a record that has overflowed.
/// \param found its first infinite or NaN value
/// \param place position of the value, "cell (1, 2, 3)"
std::string describe_overflow(const std::string &dataset, double found, const std::string &place);

/// Runs `step`.
/// \return the message of an IoError; empty if there was none
std::string failure_of(const std::function<void()> &step);
/// Commits an output with the data written before a failure, then throws IoError. Collective.
[[noreturn]] void keep_output(File &output, const std::string &failure);

/// Starts a checksum with the step and the fingerprint, added by rank 0 alone.
/// \param rank rank of the caller
ContentChecksum begin_checkpoint_checksum(std::int64_t step, std::int64_t fingerprint, int rank);

} // namespace hybridfft::io
