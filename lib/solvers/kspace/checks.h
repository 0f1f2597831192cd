/// Checks before a simulation begins: the memory it needs, options, and warnings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "grid/device_messages.h"
#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

// Memory requirements of a simulation and the memory of the machine. Both are compared before the
// allocation.

/// Model name of this machine's processor; "unknown processor" if the system does not report it.
std::string processor_name();

/// Memory of this machine with its swap space in bytes, or the limit of the process's control group
/// if lower.
double machine_memory();

/// Limit of this process's address space (ulimit -v) in bytes; infinity without a limit.
double process_limit();

/// Largest resident memory of this process so far, in bytes.
double peak_memory();

/// Formats bytes as "1.234 GB".
std::string gigabytes(double bytes);

/// Minimum memory of this rank.
struct MemoryNeed {
  std::size_t fields = 0;
  double field_bytes = 0; ///< bytes of one field
  double list_bytes = 0;  ///< bytes of the sources and of the sensor's points
  double bytes() const { return static_cast<double>(fields) * field_bytes + list_bytes; }
};

/// Throws Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks: "INPUT: out of memory: a simulation of Nx
/// x Ny x Nz points takes SIZE, found SIZE on a machine, ...". Collective.
[[noreturn]] void throw_out_of_memory(const std::string &input, const Parameters &parameters,
                                      const MemoryNeed &need, const grid::Communicator &comm);

/// Throws the same error if some machine has less memory than its ranks need, or if some process
/// limit is below the need. Needed because systems overcommit memory and kill processes later.
/// Collective.
void require_memory(const std::string &input, const Parameters &parameters, const MemoryNeed &need,
                    const grid::Communicator &comm);

/// Throws a similar error for device memory: "..., takes SIZE on DEVICE, found SIZE free there,
/// ...". Call it before allocating on the device. Collective.
/// \param bytes device memory that this rank will allocate
void require_device_memory(const std::string &input, const Parameters &parameters, double bytes,
                           const device::Runtime &runtime, const grid::Communicator &comm);

// Checks and warnings before a simulation begins.

/// Returns the file name of the output. Refuses files that would overwrite each other and files
/// that cannot be written, before the simulation begins. Collective. Throws InputError or
/// io::IoError.
std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm);

/// Throws InputError if the output of a checkpoint's simulation is missing. Collective.
void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm);

/// Reads the scalars of the input and replaces the number of time steps by the option's. Checks the
/// shapes of its arrays. Collective. Throws InputError or Unsupported.
template <class Real>
Parameters checked_parameters(const InputFile<Real> &in, const SimulationOptions &options);

/// Warnings for sizes with slow transforms, for unstable time steps or absorption, and for physics
/// with large errors in local bases. Collective. Throws InputError for divergent absorption unless
/// `allow_unstable` is set.
template <class Real>
std::vector<std::string>
warnings_of(const InputFile<Real> &in, const Parameters &parameters, const Medium<Real> &medium,
            const std::optional<Decomposition> &decomposition, const LocalGrid &local,
            grid::Host host, const grid::Communicator &comm, bool allow_unstable);

} // namespace hybridfft::kspace
