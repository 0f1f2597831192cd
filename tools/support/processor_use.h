/// The use of the processors by the ranks of a job, idle cores, and the option that changes it.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace hybridfft::tools {

/// A processor (a hardware thread) and the core that it belongs to.
struct Processor {
  int cpu = 0;
  int core = 0;
};

/// The share of its host that a rank has.
struct RankPlace {
  std::string host;
  int threads = 1;
  std::vector<int> cpus;             ///< numbers of those that the rank may run on; empty: unknown
  std::vector<Processor> processors; ///< the job may use these on the host; empty: unknown
  double limit = 0;                  ///< limit of a container, in processors; 0: none
};

/// The start of a job.
struct Start {
  bool threads_chosen = false; ///< by the user, not by default
  bool launched = false;       ///< by mpirun or its like, which may have bound the ranks
};

struct ProcessorUse {
  std::string text;   ///< one line
  bool wrong = false; ///< time is lost: threads are in each other's way, or cores idle by mistake
};

/// Judges the ranks of a job, host by host, and describes the worst host.
ProcessorUse judge_processor_use(std::span<const RankPlace> ranks, const Start &start);

/// The same of the ranks of `comm` with `threads` threads each: on rank 0, elsewhere nothing.
/// Collective.
ProcessorUse processor_use(MPI_Comm comm, int threads, bool threads_chosen);

/// Prints a line on standard error, on rank 0, if processors are used badly. Collective.
void warn_of_processor_use(const char *program, MPI_Comm comm, int threads, bool threads_chosen);

/// OMP_NUM_THREADS is set.
bool threads_chosen_by_environment();

} // namespace hybridfft::tools
