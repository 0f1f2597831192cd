/// The common part of all solvers' checkpoints: the identity of the simulation, the time step, the
/// fingerprint of the input, and a checksum.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/checksum.h"
#include "io/hdf5.h"

namespace hybridfft::io {

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

/// Datasets and the values required in them.
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
/// Refuses an output of another simulation than the checkpoint's.
/// \param checkpoint path of the checkpoint, for the message
/// \param expected value of the attribute
/// \param refuse throws with the whole message
void require_own(const File &output, const std::string &checkpoint, const std::string &expected,
                 const std::function<void(const std::string &message)> &refuse);
/// The time step of the checkpoint. Refuses numbers outside 1 to steps - 1.
std::int64_t require_step(const CheckpointNumbers &file, std::int64_t steps);
/// Refuses checkpoints of other inputs.
/// \param of name of the inputs, for the message
void require_fingerprint(const CheckpointNumbers &file, std::int64_t fingerprint,
                         const std::string &of);
/// Refuses values if their checksum over all ranks differs from the file's.
void require_checksum(const CheckpointNumbers &file, std::int64_t found);

/// Describes a record that has overflowed.
/// \param found its first infinite or NaN value
/// \param place position of the value, "cell (1, 2, 3)"
std::string describe_overflow(const std::string &dataset, double found, const std::string &place);

/// Runs `step`.
/// \return the message of an IoError; empty without one
std::string failure_of(const std::function<void()> &step);
/// Commits an output with all data written before a failure, then throws IoError. Collective.
[[noreturn]] void keep_output(File &output, const std::string &failure);

/// Starts a checksum with the step and the fingerprint, added by rank 0 alone.
/// \param rank rank of the caller
ContentChecksum begin_checkpoint_checksum(std::int64_t step, std::int64_t fingerprint, int rank);

} // namespace hybridfft::io
