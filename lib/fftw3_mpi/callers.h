/// Checks whether all calls of a program with its plans reach the drop-in.
///
/// FFTW's execute, destroy and similar functions must not receive a plan of HybridFFT, because they
/// would read it as a plan of FFTW. This happens if planning calls reach the drop-in but other
/// calls do not. Causes are a linked libfftw3.a, the order of the libraries, or functions found by
/// dlsym beyond the drop-in's view.
#pragma once

#include <mpi.h>

namespace hybridfft::fftw3_mpi {

/// Returns true if the code at an address belongs to FFTW-MPI. Its functions call each other by
/// names bound to the drop-in.
template <class Real> bool is_fftws(const void *address) noexcept;

/// Records the calling code of the outermost drop-in function that is active on this thread.
class Entry {
public:
  explicit Entry(const void *return_address) noexcept;
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

private:
  bool outermost_;
};

/// Throws Failure(HFFT_ERROR_UNSUPPORTED), possibly on this rank alone, if the caller's calls with
/// plans do not reach the drop-in. The caller's plans must then be FFTW's. Requires an active
/// Entry.
template <class Real> void require_reach();

} // namespace hybridfft::fftw3_mpi
