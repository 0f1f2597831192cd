/// The host of this process, and the CPUs that it may use.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// Returns the numbers of the CPUs, ascending, that any of `threads` OpenMP threads may use. An
/// OpenMP runtime that binds threads gives each one a part of the process's CPUs. Empty if the
/// system does not report them.
std::vector<int> allowed_cpus(int threads);

/// Returns the host's name; "unknown" if the system does not report it.
std::string host_name();

} // namespace hybridfft
