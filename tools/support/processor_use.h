/// Checks how the ranks of a job use the processors. Finds idle or overloaded cores, and suggests
/// an option.
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

/// The processors available to a rank, and its host.
struct RankPlace {
  std::string host;
  int threads = 1;
  std::vector<int> cpus; ///< processors available to the rank; empty: unknown
  /// Processors of this host available to the job; empty: unknown.
  std::vector<Processor> processors;
  double limit = 0; ///< limit set by a container, in processors; 0: none
};

/// How the job was started.
struct Start {
  bool threads_chosen = false; ///< true if the user has chosen the number of threads
  bool launched = false;       ///< started by mpirun or similar, which may have bound the ranks
};

struct ProcessorUse {
  std::string text; ///< one line of text
  bool wrong =
      false; ///< true if time is lost: threads share processors, or cores are idle by mistake
};

/// Checks the ranks of a job on each host, and describes the host with the most severe problem.
ProcessorUse judge_processor_use(std::span<const RankPlace> ranks, const Start &start);

/// Gathers the places of the ranks of `comm`, with `threads` threads each, and judges them as
/// judge_processor_use() does. Only rank 0 returns a result. Collective.
ProcessorUse processor_use(MPI_Comm comm, int threads, bool threads_chosen);

/// Prints a line on rank 0's standard error if the processors are used badly. Collective.
void warn_of_processor_use(const char *program, MPI_Comm comm, int threads, bool threads_chosen);

/// True if OMP_NUM_THREADS is set.
bool threads_chosen_by_environment();

} // namespace hybridfft::tools
