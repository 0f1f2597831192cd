/// Describes the machine of the calling rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/processor_use.h"

namespace hybridfft::tools {

/// The model and the relevant instruction sets, "AMD EPYC 7543, 64 processors: sse2 avx avx2 fma".
std::string cpu_description();

/// Processors available to this process, "0-3,8".
std::string processor_set();

/// Variables of OpenMP and HybridFFT, "NAME=VALUE", one per line, sorted by name.
std::string relevant_environment();

/// Processors of this process's control group with their cores, regardless of binding: a job may
/// use them on this host. Empty if the system does not report them.
std::vector<Processor> job_processors();

/// Network cards with the nearest processors, one per line: "mlx5_0: NUMA node 1, processors 16-31;
/// distance 10 (21 from processors 0-15)". Each port of a card counts as a card. Virtual cards are
/// omitted. `system` is the folder of Linux's tree of devices.
std::string network_cards(const std::string &system = "/sys");

/// Processor time granted by the control group, in processors; 0: no limit.
double container_limit();

/// Variables set on every rank by the launchers of Open MPI, MPICH and Slurm.
inline constexpr std::array<const char *, 3> launcher_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                                "SLURM_PROCID"};

} // namespace hybridfft::tools
