#include "fftw3_mpi/planned_before.h"

#include <fftw3.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/mpi.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// The greatest effort of each problem.
struct Known {
  std::mutex mutex;
  std::map<std::string, int> problems;
};
template <class Real> Known &known() {
  static auto *instance = new Known; // plans may be made in destructors of global objects
  return *instance;
}

int level(unsigned flags) {
  if ((flags & FFTW_ESTIMATE) != 0) return 1;
  if ((flags & FFTW_EXHAUSTIVE) != 0) return 4;
  return (flags & FFTW_PATIENT) != 0 ? 3 : 2;
}

} // namespace

template <class Real> void note_planned(const std::string &problem, unsigned flags) {
  const std::lock_guard lock(known<Real>().mutex);
  int &most = known<Real>().problems[problem];
  most = std::max(most, level(flags));
}

template <class Real>
bool planned_before(const std::string &problem, unsigned flags,
                    const exchange::Communicator &comm) {
  int here = 0;
  {
    const std::lock_guard lock(known<Real>().mutex);
    const auto found = known<Real>().problems.find(problem);
    here = found != known<Real>().problems.end() && found->second >= level(flags) ? 1 : 0;
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  return here != 0;
}

template <class Real> void forget_problems() {
  const std::lock_guard lock(known<Real>().mutex);
  known<Real>().problems.clear();
}

#define HFFT_DEFINE_PLANNED_BEFORE(R)                                                              \
  template void note_planned<R>(const std::string &, unsigned);                                    \
  template bool planned_before<R>(const std::string &, unsigned, const exchange::Communicator &);  \
  template void forget_problems<R>();
HFFT_DEFINE_PLANNED_BEFORE(double)
HFFT_DEFINE_PLANNED_BEFORE(float)

} // namespace hybridfft::fftw3_mpi
