/// What the output says about the machine that made it.
#pragma once

#include <string>

namespace hybridfft::kspace {

/// Model of this machine's processor, "unknown processor" when the system does not tell.
std::string processor_name();

/// Largest resident memory of this process so far, in bytes.
double peak_memory();

} // namespace hybridfft::kspace
