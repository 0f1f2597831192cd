/// The planner flags of hybridfft.h.
#pragma once

namespace hybridfft::plan {

/// Throws Failure(HFFT_ERROR_FLAGS) for unknown or contradicting flags.
void check_flags(unsigned flags);

/// FFTW's planner flag.
unsigned effort_of(unsigned flags);

} // namespace hybridfft::plan
