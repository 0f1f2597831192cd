/// Judges how the ranks of a job use the processors. Finds idle cores, and suggests an option that
/// uses them.
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

/// Processors of a rank and of its host.
struct RankPlace {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< processors available to the rank; empty: unknown
  /// processors available to the job on the host; empty: unknown
  std::vector<Processor> processors;
  double limit = 0; ///< limit of a container, in processors; 0: none
};

/// How the job was started.
struct Start {
  bool threads_chosen = false; ///< chosen by the user, not by default
  bool launched = false;       ///< started by mpirun or similar, which may have bound the ranks
};

struct ProcessorUse {
  std::string text;   ///< one line
  bool wrong = false; ///< true if time is lost: threads share processors, or cores idle by mistake
};

/// Judges the ranks of a job, host by host, and describes the worst host.
ProcessorUse judge_processor_use(std::span<const RankPlace> ranks, const Start &start);

/// Does the same for the ranks of `comm` with `threads` threads each. Only rank 0 returns a result.
/// Collective.
ProcessorUse processor_use(MPI_Comm comm, int threads, bool threads_chosen);

/// Prints a line on standard error, on rank 0, if processors are used badly. Collective.
void warn_of_processor_use(const char *program, MPI_Comm comm, int threads, bool threads_chosen);

/// True if OMP_NUM_THREADS is set.
bool threads_chosen_by_environment();

} // namespace hybridfft::tools
