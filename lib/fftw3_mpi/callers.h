/// Checks that a program's calls with plans reach the drop-in.
///
/// FFTW's functions on plans (execute, destroy and others) must not receive a plan of HybridFFT,
/// because they would read it as a plan of FFTW. This happens if planning calls reach the drop-in
/// but other calls do not. Causes are a statically linked libfftw3.a, the order of the libraries,
/// or functions found by dlsym.
#pragma once

#include <mpi.h>

namespace hybridfft::fftw3_mpi {

/// Returns true if the code at an address belongs to FFTW-MPI. FFTW-MPI's functions call each other
/// by names that the dynamic linker binds to the drop-in.
template <class Real> bool is_fftws(const void *address) noexcept;

/// Records the caller of the outermost active drop-in function on this thread, during its lifetime.
class Entry {
public:
  explicit Entry(const void *return_address) noexcept;
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

private:
  bool outermost_;
};

/// Throws Failure(HFFT_ERROR_UNSUPPORTED) if the caller's calls with plans do not all reach the
/// drop-in. The caller must then get plans of FFTW. May throw on this rank alone. Requires an
/// active Entry.
template <class Real> void require_reach();

} // namespace hybridfft::fftw3_mpi
