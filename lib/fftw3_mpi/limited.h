/// Makes plans of FFTW within the program's time limit. FFTW itself cannot honour a limit on
/// several ranks: each rank checks its own clock, and a rank that stops early leaves the others
/// waiting.
#pragma once

#include <mpi.h>

#include <functional>

#include "fftw3_mpi/names.h"

namespace hybridfft::fftw3_mpi {

/// Bits of FFTW's planner flags that set the effort. FFTW_MEASURE is the absence of these bits.
constexpr unsigned efforts = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE;

/// FFTW's own planning function with all arguments of the call bound except the flags.
template <class Real> using Original = std::function<typename Api<Real>::Plan(unsigned flags)>;

/// Returns the time limit of rank 0 in s, valid for all ranks; a negative number if there is none.
/// Calls with FFTW_ESTIMATE ignore limits. Collective.
template <class Real> double agreed_time_limit(unsigned flags, MPI_Comm comm);

/// Returns a plan of FFTW. FFTW never measures under a limit here. A problem missing in FFTW's
/// wisdom is first planned by an estimate. If the speed of this plan leaves enough time, FFTW
/// measures without a limit, with the effort of `flags` or a smaller one. Collective.
/// \param limit seconds; negative: none
template <class Real>
typename Api<Real>::Plan plan_within(double limit, unsigned flags, MPI_Comm comm,
                                     const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
