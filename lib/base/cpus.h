/// The machine that this process runs on, and its CPUs that it may use.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// Ascending numbers of the CPUs that any of `threads` OpenMP threads may run on: a runtime that
/// binds its threads leaves each a part of the process's CPUs. Empty if the system does not provide
/// them.
std::vector<int> allowed_cpus(int threads);

/// The host's name; "unknown" if the system does not provide it.
std::string host_name();

} // namespace hybridfft
