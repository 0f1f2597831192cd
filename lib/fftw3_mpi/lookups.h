/// Interposes dlsym, the lookup of functions by name at run time. It is used by ctypes, cffi and
/// Julia's ccall.
///
/// A lookup in a handle of FFTW's library searches this library first and finds FFTW's function,
/// even if the drop-in is preloaded. The drop-in's dlsym returns the drop-in's function instead.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

/// Returns a reason why lookups may bypass the drop-in: a module of this process calls the dlsym of
/// another library. Empty if there is no such module.
std::string why_lookups_may_pass();

} // namespace hybridfft::fftw3_mpi
