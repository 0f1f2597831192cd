/// The planner flags of hybridfft.h.
#pragma once

#include "hybridfft/hybridfft.h"

namespace hybridfft::plan {

/// Throws Failure(HFFT_ERROR_FLAGS) for unknown or contradicting flags.
void check_flags(unsigned flags);

/// Threads of a rank. More than any node has processors: OpenMP ends a process for which the
/// system does not start them.
constexpr int most_threads = 4096;

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless threads is 1 to most_threads.
void check_threads(int threads);

/// FFTW's planner flag.
unsigned effort_of(unsigned flags);

} // namespace hybridfft::plan
