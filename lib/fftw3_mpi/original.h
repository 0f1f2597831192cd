/// Finds FFTW's own functions, which the drop-in interposes.
#pragma once

#include "fftw3_mpi/names.h"

namespace hybridfft::fftw3_mpi {

/// Returns FFTW's own function of a name: the next definition after the drop-in's, or the one in
/// the usual library files. Returns nullptr if there is none.
void *original_if_any(const char *name) noexcept;

/// Returns FFTW's own function of a name. Aborts the program if there is none.
void *find_original(const char *name);

} // namespace hybridfft::fftw3_mpi

/// FFTW's own function `name`, looked up on first use.
#define HFFT_ORIGINAL(name)                                                                        \
  ([] {                                                                                            \
    static const auto found = reinterpret_cast<decltype(name) *>(                                  \
        ::hybridfft::fftw3_mpi::find_original(HFFT_TEXT(name)));                                   \
    return found;                                                                                  \
  }())
