#include "fftw3_mpi/original.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hybridfft::fftw3_mpi {

namespace {

/// File names of FFTW's libraries in common distributions, for each precision.
constexpr std::array<const char *, 3> double_libraries{"libfftw3_mpi.so.3", "libfftw3.so.3",
                                                       "libfftw3_omp.so.3"};
constexpr std::array<const char *, 3> single_libraries{"libfftw3f_mpi.so.3", "libfftw3f.so.3",
                                                       "libfftw3f_omp.so.3"};

bool is_single(std::string_view name) {
  return name.starts_with("fftwf_") || name.starts_with("sfftw_");
}

} // namespace

void *original_if_any(const char *name) noexcept {
  // RTLD_NEXT finds nothing if FFTW precedes the drop-in on the link line. <hybridfft/fftw3-mpi.h>
  // allows this order.
  if (void *next = dlsym(RTLD_NEXT, name)) return next;
  for (const char *file : is_single(name) ? single_libraries : double_libraries) {
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    void *found = library != nullptr ? dlsym(library, name) : nullptr;
    if (found != nullptr) return found;
  }
  return nullptr;
}

void *find_original(const char *name) {
  if (void *found = original_if_any(name)) return found;
  std::fprintf(stderr,
               "libhybridfft_fftw3_mpi: found %s nowhere, expected it in %s or the other shared "
               "libraries of FFTW 3.3\n",
               name, is_single(name) ? single_libraries[0] : double_libraries[0]);
  std::abort();
}

} // namespace hybridfft::fftw3_mpi
