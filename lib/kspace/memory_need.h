/// Properties of the machine, and the memory of a simulation, computed before its allocation.
#pragma once

#include <cstddef>
#include <string>

#include "grid/rank_device.h"
#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/parameters.h"

namespace hybridfft::kspace {

/// Model of this machine's processor, "unknown processor" when the system does not name it.
std::string processor_name();

/// Memory of this machine with its swap space, or its control group's limit of it, in bytes.
double machine_memory();

/// Address space that this process may have (ulimit -v), in bytes; infinity without a limit.
double process_limit();

/// Largest resident memory of this process so far, in bytes.
double peak_memory();

/// "1.234 GB".
std::string gigabytes(double bytes);

/// The memory that this rank cannot do without.
struct MemoryNeed {
  std::size_t fields = 0;
  double field_bytes = 0; ///< bytes of one field
  double list_bytes = 0;  ///< bytes of the sources and of the sensor's points
  double bytes() const { return static_cast<double>(fields) * field_bytes + list_bytes; }
};

/// Throws Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks: "INPUT: out of memory: a simulation of
/// Nx x Ny x Nz points takes SIZE, found SIZE on a machine, ...". Collective.
[[noreturn]] void throw_out_of_memory(const std::string &input, const Parameters &parameters,
                                      const MemoryNeed &need, const grid::Communicator &comm);

/// Throws the same when some machine has less than its ranks need, or some process may not have it.
/// A system promises memory that it does not have, and ends processes when they use it. Collective.
void require_memory(const std::string &input, const Parameters &parameters, const MemoryNeed &need,
                    const grid::Communicator &comm);

/// The same for the `bytes` that this rank takes of its device: "..., takes SIZE on DEVICE, found
/// SIZE free there, ...". To be called before any of it is taken. Collective.
void require_device_memory(const std::string &input, const Parameters &parameters, double bytes,
                           const device::Runtime &runtime, const grid::Communicator &comm);

} // namespace hybridfft::kspace
