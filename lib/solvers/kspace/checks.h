/// Checks and warnings before a simulation begins: memory, file names, options, stability and
/// accuracy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grid/device_messages.h"
#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/medium/stability.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

/// Model name of this machine's processor; "unknown processor" if the system does not report it.
std::string processor_name();

/// Bytes of this machine's memory and swap space, or the memory limit of the process's control
/// group if this is lower.
double machine_memory();

/// Limit of this process's address space (ulimit -v) in bytes; infinity without a limit.
double process_limit();

/// Largest resident memory of this process so far, in bytes.
double peak_memory();

/// Formats bytes as "1.234 GB".
std::string gigabytes(double bytes);

/// Memory that this rank needs at least.
struct MemoryNeed {
  std::size_t fields = 0;
  double field_bytes = 0; ///< bytes of one field
  double list_bytes = 0;  ///< bytes of the sources and of the sensor's points
  double bytes() const { return static_cast<double>(fields) * field_bytes + list_bytes; }
};

/// Throws Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks. The message names the input, the size of
/// the grid, the memory needed and the memory found. Collective.
[[noreturn]] void throw_out_of_memory(const std::string &input, const Parameters &parameters,
                                      const MemoryNeed &need, const grid::Communicator &comm);

/// Throws as throw_out_of_memory() if a machine has less memory than its ranks need, or if a
/// process limit is below the need of its rank. The check is necessary because systems overcommit
/// memory and kill processes later. Collective.
void require_memory(const std::string &input, const Parameters &parameters, const MemoryNeed &need,
                    const grid::Communicator &comm);

/// Throws Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if a device has less free memory than its
/// ranks need. Call it before allocating on the device. Collective.
/// \param bytes device memory that this rank will allocate
void require_device_memory(const std::string &input, const Parameters &parameters, double bytes,
                           const device::Runtime &runtime, const grid::Communicator &comm);

/// Returns the file name of the output. Throws InputError or io::IoError if the simulation's files
/// would overwrite each other or cannot be written. Collective.
std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm);

/// Throws InputError if the output of the simulation that wrote the checkpoint is missing.
/// Collective.
void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm);

/// Reads the scalars of the input and checks the shapes of its arrays. An option may replace the
/// number of time steps. Collective. Throws InputError or Unsupported.
Parameters checked_parameters(const InputFile &in, const SimulationOptions &options);

/// Estimated time per point of a step relative to a grid of the next fast sizes.
double expected_slowdown(const Extents &n);

/// Returns one sentence of advice for each axis whose FFTs are slow (hfft_kind_of_length).
std::vector<std::string> size_advice(const Extents &n);

/// Results of checks of the medium.
struct MediumChecks {
  double max_speed;               ///< largest sound speed in m/s
  bool uniform;                   ///< see Medium::uniform()
  AbsorptionStability absorption; ///< by default stable
};

/// Returns warnings about sizes with slow FFTs, unstable time steps or absorption, and physics with
/// large errors in local bases. Collective. Throws InputError for absorption that certainly
/// diverges, unless `allow_unstable` is set.
std::vector<std::string> warnings_of(const InputFile &in, const Parameters &parameters,
                                     const MediumChecks &medium,
                                     const std::optional<Decomposition> &decomposition,
                                     bool allow_unstable);

} // namespace hybridfft::kspace
