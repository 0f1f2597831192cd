/// Lookups by name at run time (dlsym), by which ctypes, cffi and Julia's ccall bind functions.
///
/// A lookup in a handle of FFTW's library finds FFTW's function, not the one that stands in for
/// it: the search begins in that library, not in the order of loading. The drop-in therefore
/// interposes dlsym, and returns its own function in place of FFTW's.
#pragma once

#include <string>

namespace hybridfft::fftw3_mpi {

/// Returns why a module of this process may have looked functions up past the drop-in: its dlsym is
/// that of another library. Empty if there is no such module.
std::string why_lookups_may_pass();

} // namespace hybridfft::fftw3_mpi
