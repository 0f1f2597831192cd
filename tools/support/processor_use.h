/// Checks the use of processors by the ranks of a job, finds idle cores, and suggests an option
/// against them.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace hybridfft::tools {

/// A processor (a hardware thread) and its core.
struct Processor {
  int cpu = 0;
  int core = 0;
};

/// A rank's share of its host.
struct RankPlace {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< processors available to the rank; empty: unknown
  /// processors available to the job on the host; empty: unknown
  std::vector<Processor> processors;
  double limit = 0; ///< limit of a container, in processors; 0: none
};

/// The start of a job.
struct Start {
  bool threads_chosen = false; ///< chosen by the user, not by default
  bool launched = false;       ///< started by mpirun or similar, which may have bound the ranks
};

struct ProcessorUse {
  std::string text;   ///< one line
  bool wrong = false; ///< time is lost: threads share processors, or cores idle by mistake
};

/// Judges the ranks of a job, host by host, and describes the worst host.
ProcessorUse judge_processor_use(std::span<const RankPlace> ranks, const Start &start);

/// The same for the ranks of `comm` with `threads` threads each. The result is on rank 0, other
/// ranks return nothing. Collective.
ProcessorUse processor_use(MPI_Comm comm, int threads, bool threads_chosen);

/// Prints a line on standard error, on rank 0, if processors are used badly. Collective.
void warn_of_processor_use(const char *program, MPI_Comm comm, int threads, bool threads_chosen);

/// True if OMP_NUM_THREADS is set.
bool threads_chosen_by_environment();

} // namespace hybridfft::tools
