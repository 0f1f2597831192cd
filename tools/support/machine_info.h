/// The machine of the calling rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/processor_use.h"

namespace hybridfft::tools {

/// "AMD EPYC 7543, 64 processors: sse2 avx avx2 fma": the model and those instruction sets that
/// matter here.
std::string cpu_description();

/// Processors that this process may run on, "0-3,8".
std::string processor_set();

/// "NAME=VALUE", one per line, in the order of names: variables that OpenMP and HybridFFT read.
std::string relevant_environment();

/// The processors that a job may use here, also where this process is bound to some of them: those
/// of its control group, with their cores. Empty if the system does not provide them.
std::vector<Processor> job_processors();

/// Network cards with the processors that are nearest to them, one per line:
/// "mlx5_0: NUMA node 1, processors 16-31; distance 10 (21 from processors 0-15)". `system` is the
/// place of Linux's tree of devices. Ports of one card count as cards. Virtual cards have no line.
std::string network_cards(const std::string &system = "/sys");

/// Processor time that the control group allows, in processors; 0: all.
double container_limit();

/// Set for every rank by Open MPI, MPICH and Slurm.
inline constexpr std::array<const char *, 3> launcher_variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                                "SLURM_PROCID"};

} // namespace hybridfft::tools
