/// The planner flags of hybridfft.h, and numbers beside them.
#pragma once

#include <cstddef>

#include "hybridfft/hybridfft.h"

namespace hybridfft::plan {

/// Throws Failure(HFFT_ERROR_FLAGS) for unknown or contradicting flags.
void check_flags(unsigned flags);

/// Threads of a rank. More than any node has processors: OpenMP ends a process for which the
/// system does not start them.
constexpr int most_threads = 4096;

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless threads is 1 to most_threads.
void check_threads(int threads);

/// Throws Failure(HFFT_ERROR_ARGUMENT) unless results in this precision can have the scale.
void check_scale(double scale, std::size_t real_bytes);

/// FFTW's planner flag.
unsigned effort_of(unsigned flags);

} // namespace hybridfft::plan
