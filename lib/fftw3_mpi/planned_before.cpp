#include "fftw3_mpi/planned_before.h"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "base/agreement.h"
#include "base/mpi.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Largest time limit in s of earlier plans, for each effort.
using Seconds = std::array<double, 4>;
struct Known {
  std::mutex mutex;
  std::map<std::string, Seconds> problems;
};
template <class Real> Known &known() {
  static auto *instance = new Known; // destructors of global objects may make plans
  return *instance;
}

/// Returns the index of the effort: 0 for FFTW_ESTIMATE to 3 for FFTW_EXHAUSTIVE.
std::size_t level(unsigned flags) {
  if ((flags & FFTW_ESTIMATE) != 0) return 0;
  if ((flags & FFTW_EXHAUSTIVE) != 0) return 3;
  return (flags & FFTW_PATIENT) != 0 ? 2 : 1;
}

double seconds(const Planning &p) { return p.limit < 0 ? infinity : p.limit; }

} // namespace

template <class Real> void note_planned(const Planning &p) {
  const std::lock_guard lock(known<Real>().mutex);
  // Estimates ignore limits.
  constexpr Seconds estimated{infinity, -1, -1, -1};
  Seconds &most = known<Real>().problems.emplace(p.problem, estimated).first->second;
  for (std::size_t i = 1; i <= level(p.flags); ++i)
    most[i] = std::max(most[i], seconds(p));
}

template <class Real> bool planned_before(const Planning &p, const exchange::Communicator &comm) {
  int here = 0;
  {
    const std::lock_guard lock(known<Real>().mutex);
    const auto found = known<Real>().problems.find(p.problem);
    here = found != known<Real>().problems.end() && found->second[level(p.flags)] >= seconds(p) ? 1
                                                                                                : 0;
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, comm.get()), "MPI_Allreduce");
  return here != 0;
}

template <class Real> void forget_problems() {
  const std::lock_guard lock(known<Real>().mutex);
  known<Real>().problems.clear();
}

#define HFFT_DEFINE_PLANNED_BEFORE(R)                                                              \
  template void note_planned<R>(const Planning &);                                                 \
  template bool planned_before<R>(const Planning &, const exchange::Communicator &);               \
  template void forget_problems<R>();
HFFT_DEFINE_PLANNED_BEFORE(double)
HFFT_DEFINE_PLANNED_BEFORE(float)

} // namespace hybridfft::fftw3_mpi
