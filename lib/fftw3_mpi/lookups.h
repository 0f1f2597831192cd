/// Lookups by name at run time (dlsym), used by ctypes, cffi and Julia's ccall.
///
/// A lookup in a handle of FFTW's library searches this library first, even with a preloaded
/// drop-in, and finds FFTW's function. The drop-in therefore interposes dlsym, and returns its own
/// function.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

/// Returns a reason to expect lookups that bypass the drop-in: a module of this process calls the
/// dlsym of another library. Empty if there is no such module.
std::string why_lookups_may_pass();

} // namespace hybridfft::fftw3_mpi
