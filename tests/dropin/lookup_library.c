// Source of two libraries with a function of the same name, to test lookups with RTLD_NEXT. The
// first one also replaces a function of FFTW, and looks up the original.
#define _GNU_SOURCE
#include <dlfcn.h>

#ifdef SECOND
int place_of_library(void) { return 2; }
#else
typedef int (*place)(void);

int place_of_library(void) { return 1; }
int place_of_next_library(void) {
  const place next = (place)dlsym(RTLD_NEXT, "place_of_library");
  return next != 0 ? next() : 0;
}

double fftw_estimate_cost(const void *plan) { return plan != 0 ? -1 : -2; }
void *original_estimate_cost(void) {
  return dlsym(dlopen("libfftw3.so.3", RTLD_LAZY), "fftw_estimate_cost");
}
#endif
