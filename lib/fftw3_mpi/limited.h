/// FFTW's plans under the program's time limit, which FFTW itself cannot keep on several ranks.
#pragma once

#include <mpi.h>

#include <functional>

#include "fftw3_mpi/names.h"

namespace hybridfft::fftw3_mpi {

/// Bits of FFTW's planner flags that are its effort; none of them: FFTW_MEASURE.
constexpr unsigned efforts = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE;

/// FFTW's answer to the same call with these flags.
template <class Real> using Original = std::function<typename Api<Real>::Plan(unsigned flags)>;

/// The limit of rank 0 in seconds, which counts for all ranks; negative: none, and for calls with
/// FFTW_ESTIMATE, which heed none. Collective.
template <class Real> double agreed_time_limit(unsigned flags, MPI_Comm comm);

/// FFTW's plan. Each rank of FFTW's planner keeps a limit by its own clock, and those that stop
/// early leave the others waiting: so FFTW never measures under one. What its wisdom does not
/// have it plans within `limit` seconds by estimates and, where these plans show that there is
/// ample time, measures without limit, with the effort of `flags` or a smaller one. Collective.
template <class Real>
typename Api<Real>::Plan plan_within(double limit, unsigned flags, MPI_Comm comm,
                                     const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
