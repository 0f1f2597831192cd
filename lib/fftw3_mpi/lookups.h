/// Lookups by name at run time (dlsym): the binding of ctypes, cffi and Julia's ccall.
///
/// A lookup in a handle of FFTW's library searches this library first, whatever has been preloaded,
/// and finds FFTW's function. The drop-in therefore interposes dlsym, and returns its own function
/// in place of FFTW's.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

/// The reason to expect lookups past the drop-in: a module of this process calls the dlsym of
/// another library. Empty if none does.
std::string why_lookups_may_pass();

} // namespace hybridfft::fftw3_mpi
