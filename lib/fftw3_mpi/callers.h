/// Checks the reach of the drop-in: all calls of a program on its plans must arrive here.
///
/// FFTW's execute, destroy and similar functions must not get a plan of HybridFFT, because they
/// would read it as one of FFTW. They get it if planning calls arrive here but other calls do not.
/// Reasons are a linked libfftw3.a, the order of the libraries, or functions looked up (dlsym) out
/// of the drop-in's sight.
#pragma once

#include <mpi.h>

namespace hybridfft::fftw3_mpi {

/// Returns true if the code at an address belongs to FFTW-MPI. Its functions call each other by
/// names bound to the drop-in.
template <class Real> bool is_fftws(const void *address) noexcept;

/// Records the calling code of the outermost drop-in function active on this thread.
class Entry {
public:
  explicit Entry(const void *return_address) noexcept;
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

private:
  bool outermost_;
};

/// Throws Failure(HFFT_ERROR_UNSUPPORTED), perhaps on this rank alone, if a caller's calls on its
/// plans do not arrive here: these plans must be FFTW's. It requires an active Entry.
template <class Real> void require_reach();

} // namespace hybridfft::fftw3_mpi
