/// The machine of the calling rank.
#pragma once

#include <string>

namespace hybridfft::tools {

/// "AMD EPYC 7543, 64 processors: sse2 avx avx2 fma": the model and those instruction sets that
/// matter here.
std::string cpu_description();

/// Processors that this process may run on, "0-3,8".
std::string processor_set();

/// "NAME=VALUE", one per line, in the order of names: variables that OpenMP and HybridFFT read.
std::string relevant_environment();

std::string host_name();

} // namespace hybridfft::tools
