#include "fftw3_mpi/limited.h"

#include <omp.h>

#include <array>
#include <cstdlib>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "fftw3_mpi/fallback.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Runs when the library is loaded. HybridFFT then leaves FFTW's number of threads to the program.
__attribute__((constructor)) void leave_threads() { leave_fftw_threads_to_program(); }

} // namespace

template <class Real> int planned_threads() {
  const int asked = settings<Real>().threads;
  if (asked > 0) return asked;
  const char *variable = std::getenv("OMP_NUM_THREADS");
  const bool set = variable != nullptr && *variable != '\0';
  return set ? omp_get_max_threads() : Fftw<Real>::planner_nthreads();
}

template int planned_threads<float>();
template int planned_threads<double>();

namespace {

/// Upper bound of FFTW's planning time for an effort: a number of executions of its estimated plan,
/// plus seconds. Measured on 1D transforms, r2r transforms and transpositions on 2 and 4 ranks:
/// FFTW_MEASURE took 50 to 80000 executions, FFTW_PATIENT up to ten times as many.
struct Forecast {
  unsigned effort;
  double executions;
  double seconds;
};
constexpr std::array<Forecast, 3> forecasts{
    {{FFTW_EXHAUSTIVE, 1e7, 100}, {FFTW_PATIENT, 1e6, 10}, {FFTW_MEASURE, 1e5, 1}}};

/// Returns the greatest effort that fits into the remaining time, at most the effort of `flags`;
/// FFTW_ESTIMATE if none fits.
/// \param of_execution seconds of one execution
unsigned affordable(unsigned flags, double seconds_left, double of_execution) {
  bool asked = (flags & FFTW_EXHAUSTIVE) != 0;
  for (const Forecast &f : forecasts) {
    asked = asked || f.effort == FFTW_MEASURE || (flags & f.effort) != 0;
    if (asked && f.seconds + f.executions * of_execution < seconds_left) return f.effort;
  }
  return FFTW_ESTIMATE;
}

/// Removes FFTW's time limit during its lifetime.
template <class Real> class WithoutLimit {
public:
  WithoutLimit() {
    if (settings<Real>().time_limit >= 0) Fftw<Real>::set_timelimit(FFTW_NO_TIMELIMIT);
  }
  ~WithoutLimit() {
    const double limit = settings<Real>().time_limit;
    if (limit >= 0) Fftw<Real>::set_timelimit(limit);
  }
  WithoutLimit(const WithoutLimit &) = delete;
  WithoutLimit &operator=(const WithoutLimit &) = delete;
};

} // namespace

template <class Real> double agreed_time_limit(unsigned flags, MPI_Comm comm) {
  double limit = -1;
  if ((flags & FFTW_ESTIMATE) != 0 || !mpi::running()) return limit;
  limit = settings<Real>().time_limit;
  // If the broadcast fails, nothing is measured.
  return MPI_Bcast(&limit, 1, MPI_DOUBLE, 0, comm) == MPI_SUCCESS ? limit : 0;
}

template <class Real>
typename Api<Real>::Plan plan_within(double limit, unsigned flags, MPI_Comm comm,
                                     const Original<Real> &original) {
  const WithoutLimit<Real> scope;
  if (limit < 0 || (flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)) != 0) return original(flags);
  if (const auto saved = original(flags | FFTW_WISDOM_ONLY)) return saved;
  const double begin = MPI_Wtime();
  const unsigned others = flags & ~efforts;
  const auto estimated = original(others | FFTW_ESTIMATE);
  if (estimated == nullptr || limit == 0) return estimated;
  unsigned effort = FFTW_ESTIMATE;
  run_reporting(
      [&] {
        const double of_execution = seconds_of(comm, [&] { Fftw<Real>::execute(estimated); });
        effort = affordable(flags, limit - (MPI_Wtime() - begin), of_execution);
        mpi::check(MPI_Bcast(&effort, 1, MPI_UNSIGNED, 0, comm), "MPI_Bcast");
      },
      [](hfft_error, const char *) {});
  if (effort == FFTW_ESTIMATE) return estimated;
  Fftw<Real>::destroy(estimated);
  return original(others | effort);
}

#define HFFT_DEFINE_LIMITED(R)                                                                     \
  template double agreed_time_limit<R>(unsigned, MPI_Comm);                                        \
  template Api<R>::Plan plan_within<R>(double, unsigned, MPI_Comm, const Original<R> &);
HFFT_DEFINE_LIMITED(double)
HFFT_DEFINE_LIMITED(float)

} // namespace hybridfft::fftw3_mpi
