/// Reports the host of this process and the CPUs available to it. Reports of binding and keys of
/// wisdom use them.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// Returns the numbers of the CPUs available to any of `threads` OpenMP threads, in ascending
/// order. With bound threads each thread has a part of the process's CPUs, so the parts of all
/// threads are joined. Empty if the system does not report CPUs.
std::vector<int> allowed_cpus(int threads);

/// Returns the name of the host, or "unknown" if the system does not report it.
std::string host_name();

} // namespace hybridfft
