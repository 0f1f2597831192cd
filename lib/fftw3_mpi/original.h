/// The names exported by the drop-in in both precisions, and FFTW's own functions of these names.
///
/// Every function is defined once, as hfft_NAME. <hybridfft/fftw3-mpi.h> maps the calls of
/// recompiled programs to it. NAME itself is an alias, for relinked programs and for preloading.
#pragma once

#define HFFT_FFTW3_MPI_DECLARE_ONLY
#include "hybridfft/fftw3-mpi.h"

// Functions of FFTW 3.3.11, which headers of older versions lack.
extern "C" {
fftw_plan fftw_copy_plan(fftw_plan plan);
fftwf_plan fftwf_copy_plan(fftwf_plan plan);
}

#define HFFT_LITERALLY(text) #text
#define HFFT_TEXT(text) HFFT_LITERALLY(text)
#define HFFT_JOIN_LITERALLY(a, b) a##b
#define HFFT_JOIN(a, b) HFFT_JOIN_LITERALLY(a, b)

/// Name of the drop-in function for `name`.
#define HFFT_OURS(name) HFFT_JOIN(hfft_, name)

/// Exports the drop-in's function under FFTW's name as well.
#define HFFT_DROP_IN(name)                                                                         \
  extern "C" HFFT_EXPORT decltype(name) name __attribute__((alias(HFFT_TEXT(HFFT_OURS(name)))));

#define HFFT_DOUBLE(name) fftw_##name
#define HFFT_FLOAT(name) fftwf_##name
#define HFFT_MPI_DOUBLE(name) fftw_mpi_##name
#define HFFT_MPI_FLOAT(name) fftwf_mpi_##name

namespace hybridfft::fftw3_mpi {

/// FFTW's types in one precision.
template <class Real> struct Api;
template <> struct Api<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
};
template <> struct Api<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
};

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
