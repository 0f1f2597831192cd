/// Describes the machine of the calling rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/processor_use.h"

namespace hybridfft::tools {

/// Model and relevant instruction sets of the processor, such as "AMD EPYC 7543, 64 processors:
/// sse2 avx avx2 fma".
std::string cpu_description();

/// List of processors available to this process, such as "0-3,8".
std::string processor_set();

/// Environment variables of OpenMP and HybridFFT as lines "NAME=VALUE", sorted by name.
std::string relevant_environment();

/// Processors of this process's control group with their cores: all processors of this host
/// available to the job, whatever the binding of this process. Empty if the system does not report
/// them.
std::vector<Processor> job_processors();

/// Network cards and their nearest processors, one card per line: "mlx5_0: NUMA node 1, processors
/// 16-31; distance 10 (21 from processors 0-15)". Each port counts as a card. Virtual cards are
/// omitted. `system` is the root of Linux's device tree.
std::string network_cards(const std::string &system = "/sys");

/// Limit of processor time set by the control group, in processors; 0: no limit.
double container_limit();

/// Environment variables set on every rank by the launchers of Open MPI, MPICH and Slurm.
inline constexpr std::array<const char *, 3> launcher_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                                "SLURM_PROCID"};

} // namespace hybridfft::tools
