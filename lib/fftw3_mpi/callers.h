/// The code that calls the drop-in, and a check that its calls on the plans that it gets come here.
///
/// FFTW's execute, destroy and their kin must not get a plan of ours: they would read it as one of
/// their own. They get it where the calls of a program do not come here although its planning does:
/// because the program has linked libfftw3.a, because of the order of its libraries, or because it
/// has looked the functions up (dlsym) where the drop-in does not see it.
#pragma once

#include <mpi.h>

namespace hybridfft::fftw3_mpi {

/// True if the code at an address is that of FFTW-MPI, whose functions call each other by names
/// that lead here.
template <class Real> bool is_fftws(const void *address) noexcept;

/// Notes the code that has called the outermost function of ours that is running on this thread.
class Entry {
public:
  explicit Entry(const void *return_address) noexcept;
  ~Entry();
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

private:
  bool outermost_;
};

/// To be called while there is an Entry. Throws Failure(HFFT_ERROR_UNSUPPORTED), perhaps on this
/// rank alone, if a caller's calls on its plans do not come here: they must be FFTW's.
template <class Real> void require_reach();

} // namespace hybridfft::fftw3_mpi
