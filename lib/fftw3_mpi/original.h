/// FFTW's own functions, interposed by the drop-in.
#pragma once

#include "fftw3_mpi/names.h"

namespace hybridfft::fftw3_mpi {

/// Returns the next definition of an FFTW function after the drop-in's, or the definition in the
/// usual library of distributions; nullptr if there is none.
void *original_if_any(const char *name) noexcept;

/// Returns FFTW's own function of this name. Ends the program if there is none.
void *find_original(const char *name);

} // namespace hybridfft::fftw3_mpi

/// FFTW's function `name`, found on first use.
#define HFFT_ORIGINAL(name)                                                                        \
  ([] {                                                                                            \
    static const auto found = reinterpret_cast<decltype(name) *>(                                  \
        ::hybridfft::fftw3_mpi::find_original(HFFT_TEXT(name)));                                   \
    return found;                                                                                  \
  }())
