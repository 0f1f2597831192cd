/// The common part of all solvers' checkpoints: numbers that identify the simulation, the step, the
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

/// A solver's functions to read the numbers of a checkpoint, to write them in messages, and to
/// refuse them.
struct CheckpointNumbers {
  std::function<std::int64_t(const std::string &dataset)> integer;
  std::function<double(const std::string &dataset)> real;
  std::function<std::string(double)> text;
  /// Throws, with the dataset, the value found and the value expected.
  std::function<void(const std::string &dataset, const std::string &found,
                     const std::string &expected)>
      refuse;
};

/// Datasets, and the values that they have to have.
struct CheckpointIdentity {
  std::vector<std::pair<std::string, std::int64_t>> integers;
  std::vector<std::pair<std::string, double>> reals;
};

/// Names of datasets.
inline constexpr const char *checkpoint_step = "t_index";
inline constexpr const char *checkpoint_fingerprint = "input_checksum";
inline constexpr const char *checkpoint_checksum = "checksum";
/// Name of the attribute with which an output tells the simulation that it is of.
inline constexpr const char *simulation_attribute = "simulation_checksum";

/// True if there is a file, as rank 0 sees it. Collective.
bool exists_at_root(const std::string &path, MPI_Comm comm);

/// Refuses checkpoints of other simulations.
void require_same_simulation(const CheckpointNumbers &file, const CheckpointIdentity &identity);
/// That attribute's value: a checksum of the identity and the fingerprint.
std::string simulation_checksum(const CheckpointIdentity &identity, std::int64_t fingerprint);
/// Refuses an output that is not of the checkpoint's simulation.
/// \param checkpoint its path, for the message
/// \param expected value of the attribute
/// \param refuse throws, with the whole message
void require_own(const File &output, const std::string &checkpoint, const std::string &expected,
                 const std::function<void(const std::string &message)> &refuse);
/// The step that a checkpoint of a simulation of `steps` steps was written after.
std::int64_t require_step(const CheckpointNumbers &file, std::int64_t steps);
/// Refuses checkpoints of other inputs. \param of names the inputs of the fingerprint, for the
/// message
void require_fingerprint(const CheckpointNumbers &file, std::int64_t fingerprint,
                         const std::string &of);
/// Refuses values whose checksum, over all ranks, is not the file's.
void require_checksum(const CheckpointNumbers &file, std::int64_t found);

/// Describes a record that has overflowed. \param found its first value that is not finite
/// \param place of that value, "cell (1, 2, 3)"
std::string describe_overflow(const std::string &dataset, double found, const std::string &place);

/// The message of the IoError that a step throws; empty without one.
std::string failure_of(const std::function<void()> &step);
/// Commits an output with all that was written before a failure, and throws IoError. Collective.
[[noreturn]] void keep_output(File &output, const std::string &failure);

/// A checksum with the step and the fingerprint, which count once. \param rank of the caller
Checksum begin_checkpoint_checksum(std::int64_t step, std::int64_t fingerprint, int rank);

} // namespace hybridfft::io
