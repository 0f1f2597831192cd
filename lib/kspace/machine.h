/// Properties of the machine that a simulation needs and writes to its output.
#pragma once

#include <string>

namespace hybridfft::kspace {

/// Model of this machine's processor, "unknown processor" when the system does not name it.
std::string processor_name();

/// Memory of this machine with its swap space, or its control group's limit of it, in bytes.
double machine_memory();

/// Address space that this process may have (ulimit -v), in bytes; infinity without a limit.
double process_limit();

/// Largest resident memory of this process so far, in bytes.
double peak_memory();

} // namespace hybridfft::kspace
