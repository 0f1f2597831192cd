/// Host of this process, and its available CPUs.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// Returns the ascending numbers of the CPUs available to any of `threads` OpenMP threads. An
/// OpenMP runtime with bound threads gives each thread a part of the process's CPUs. Empty if the
/// system does not report them.
std::vector<int> allowed_cpus(int threads);

/// Returns the host's name; "unknown" if the system does not report it.
std::string host_name();

} // namespace hybridfft
