// Runs contenders in turns between barriers, and takes the maximum of their times over the ranks.
#include "scaling/rounds.h"

#include "base/mpi.h"

namespace hybridfft::bench {

double slowest_seconds(const std::function<void()> &run, MPI_Comm comm) {
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  double seconds = -MPI_Wtime();
  run();
  seconds += MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return seconds;
}

std::vector<std::vector<double>> run_rounds(const std::vector<Contender> &contenders, int warmups,
                                            int rounds, MPI_Comm comm) {
  std::vector<std::vector<double>> seconds(contenders.size());
  for (int round = 0; round < warmups + rounds; ++round)
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      const std::size_t turn = (static_cast<std::size_t>(round) + k) % contenders.size();
      contenders[turn].prepare();
      const double t = slowest_seconds(contenders[turn].run, comm);
      if (round >= warmups) seconds[turn].push_back(t);
    }
  return seconds;
}

} // namespace hybridfft::bench
