/// Makes FFTW's plans within the program's time limit. FFTW itself cannot honour a limit on several
/// ranks.
#pragma once

#include <mpi.h>

#include <functional>

#include "fftw3_mpi/names.h"

namespace hybridfft::fftw3_mpi {

/// Effort bits of FFTW's planner flags; no bit: FFTW_MEASURE.
constexpr unsigned efforts = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE;

/// FFTW's function of the same call, with these flags.
template <class Real> using Original = std::function<typename Api<Real>::Plan(unsigned flags)>;

/// Returns the limit of rank 0 in seconds, valid for all ranks. A negative number means no limit,
/// also for calls with FFTW_ESTIMATE, because these ignore limits. Collective.
template <class Real> double agreed_time_limit(unsigned flags, MPI_Comm comm);

/// Returns FFTW's plan. In FFTW each rank checks a time limit by its own clock, and a rank that
/// stops early leaves the others waiting. FFTW therefore never measures under a limit here. A
/// problem missing in FFTW's wisdom is first planned by an estimate within `limit` seconds. If this
/// plan's speed leaves enough time, FFTW measures without a limit, with the effort of `flags` or a
/// smaller one. Collective.
template <class Real>
typename Api<Real>::Plan plan_within(double limit, unsigned flags, MPI_Comm comm,
                                     const Original<Real> &original);

} // namespace hybridfft::fftw3_mpi
