/// Checks that a program's calls with plans reach the drop-in.
///
/// FFTW's functions on plans (execute, destroy and others) must not receive a plan of HybridFFT,
/// because they would read it as a plan of FFTW. This happens if planning calls reach the drop-in
/// but other calls do not. Causes are a statically linked libfftw3.a, the order of the libraries,
/// or functions found by dlsym.
#pragma once

#include <mpi.h>

#include <string>

namespace hybridfft::fftw3_mpi {

/// Returns true if the code at an address belongs to FFTW-MPI. FFTW-MPI's functions call each other
/// by names that the dynamic linker binds to the drop-in.
template <class Real> bool is_fftws(const void *address) noexcept;

/// Records, while it exists, the caller of a drop-in function. If drop-in functions call each other
/// on a thread, the outermost one records its caller.
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

// Interposes dlsym, the lookup of functions by name at run time. It is used by ctypes, cffi and
// Julia's ccall.
//
// A lookup in a handle of FFTW's library finds FFTW's function, even if the drop-in is preloaded.
// The drop-in's dlsym returns the drop-in's function instead.

/// Returns a reason why lookups may bypass the drop-in: a module of this process calls the dlsym of
/// another library. Empty if there is no such module.
std::string why_lookups_may_pass();

} // namespace hybridfft::fftw3_mpi
