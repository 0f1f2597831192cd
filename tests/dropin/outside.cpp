/// outside: a transform by functions of FFTW that the linker has not replaced. Macros select the
/// case:
/// none: FFTW's functions come from a static libfftw3.a.
/// LOOKED_UP: dlsym finds them in FFTW's libraries. With the argument "together" it searches all
/// libraries of the process.
/// PLANNED_BY_LIBRARY: a shared library makes the plan, and the program executes it.
/// BESIDE: the program uses FFTW, and the drop-in under its own names hfft_....
/// The plan's description must begin with the first argument. The input is all ones, so the result
/// is known exactly (cube.h). The exit status is 1 for a wrong result.

#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>

#ifdef LOOKED_UP
namespace {

bool together = false;

template <class F> F *looked_up(const char *name) {
  const bool mpi = std::strstr(name, "_mpi_") != nullptr;
  void *library = dlopen(mpi ? "libfftw3_mpi.so.3" : "libfftw3.so.3",
                         RTLD_NOW | (together ? RTLD_GLOBAL : RTLD_LOCAL));
  return reinterpret_cast<F *>(dlsym(together ? RTLD_DEFAULT : library, name));
}

} // namespace
#define fftw_mpi_init looked_up<decltype(fftw_mpi_init)>("fftw_mpi_init")
#define fftw_mpi_local_size_3d looked_up<decltype(fftw_mpi_local_size_3d)>("fftw_mpi_local_size_3d")
#define fftw_mpi_plan_dft_3d looked_up<decltype(fftw_mpi_plan_dft_3d)>("fftw_mpi_plan_dft_3d")
#define fftw_alloc_complex looked_up<decltype(fftw_alloc_complex)>("fftw_alloc_complex")
#define fftw_free looked_up<decltype(fftw_free)>("fftw_free")
#define fftw_execute looked_up<decltype(fftw_execute)>("fftw_execute")
#define fftw_destroy_plan looked_up<decltype(fftw_destroy_plan)>("fftw_destroy_plan")
#define fftw_sprint_plan looked_up<decltype(fftw_sprint_plan)>("fftw_sprint_plan")
#endif

#ifdef BESIDE
#define HFFT_FFTW3_MPI_DECLARE_ONLY
#include <hybridfft/fftw3-mpi.h>
namespace {

/// Returns x[0] after a serial transform by FFTW.
double transformed_by_fftw() {
  fftw_complex x[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
  const fftw_plan p = fftw_plan_dft_1d(4, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(p);
  fftw_destroy_plan(p);
  return x[0][0];
}

} // namespace
#define fftw_mpi_plan_dft_3d hfft_fftw_mpi_plan_dft_3d
#define fftw_mpi_local_size_3d hfft_fftw_mpi_local_size_3d
#define fftw_execute hfft_fftw_execute
#define fftw_destroy_plan hfft_fftw_destroy_plan
#define fftw_sprint_plan hfft_fftw_sprint_plan
#endif

#ifdef PLANNED_BY_LIBRARY
extern "C" fftw_plan planned_by_library(ptrdiff_t, ptrdiff_t, ptrdiff_t, fftw_complex *,
                                        fftw_complex *, MPI_Comm, int, unsigned);
#define fftw_mpi_plan_dft_3d planned_by_library
#endif

#include "cube.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const char *wanted = argc > 1 ? argv[1] : "";
#ifdef LOOKED_UP
  together = argc > 2 && std::strcmp(argv[2], "together") == 0;
#endif
  fftw_mpi_init();
  for (const unsigned effort : {FFTW_ESTIMATE, FFTW_MEASURE}) {
    dropin::Cube cube(MPI_COMM_WORLD);
    const fftw_plan p = cube.plan(effort);
    cube.check(p, "a plan that FFTW executes");
    char *text = fftw_sprint_plan(p);
    dropin::expect(std::strncmp(text, wanted, std::strlen(wanted)) == 0, wanted);
    std::free(text);
    fftw_destroy_plan(p);
  }
#ifdef BESIDE
  dropin::expect(transformed_by_fftw() == 4, "a plan of FFTW's");
#endif
  int all = dropin::failures;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
