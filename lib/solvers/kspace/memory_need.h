/// Memory requirements of a simulation and the memory of the machine. Both are compared before the
/// allocation.
#pragma once

#include <cstddef>
#include <string>

#include "grid/rank_device.h"
#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

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

} // namespace hybridfft::kspace
