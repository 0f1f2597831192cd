// Lookups by dlsym in a program with the drop-in preloaded. Lookups of other functions must find
// the same function as without the drop-in. Code generated at run time must get plans of the
// drop-in.
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <sys/mman.h>

#include <cstring>
#include <string_view>

#include "cube.h"

extern "C" {
int place_of_library();
int place_of_next_library();
void *original_estimate_cost();
}

namespace {

using dropin::expect;

std::string_view file_of(const void *function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 ? info.dli_fname : "";
}

void lookups_of_others() {
  expect(place_of_library() == 1, "the first library is the first one");
  expect(place_of_next_library() == 2, "RTLD_NEXT goes on behind the library that calls");
  expect(file_of(original_estimate_cost()).find("/libfftw3.so") != std::string_view::npos,
         "a library in FFTW's place finds FFTW's function");
  expect(dlsym(RTLD_DEFAULT, "fftw_no_such_function") == nullptr, "an unknown name is not found");
  expect(dlerror() != nullptr, "and there is a reason");
}

#ifdef __x86_64__
using PlanR2c = fftw_plan (*)(ptrdiff_t, ptrdiff_t, double *, fftw_complex *, MPI_Comm, unsigned);

/// Generates machine code outside of any library, as a just-in-time compiler does. The code calls
/// `function` with its own arguments.
PlanR2c generated_call(PlanR2c function) {
  unsigned char code[] = {0x48, 0x83, 0xec, 0x08,                   // sub rsp, 8
                          0x48, 0xb8, 0,    0,    0, 0, 0, 0, 0, 0, // mov rax, function
                          0xff, 0xd0,                               // call rax
                          0x48, 0x83, 0xc4, 0x08,                   // add rsp, 8
                          0xc3};                                    // ret
  std::memcpy(code + 6, &function, sizeof function);
  void *page =
      mmap(nullptr, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return function;
  std::memcpy(page, code, sizeof code);
  mprotect(page, sizeof code, PROT_READ | PROT_EXEC);
  return reinterpret_cast<PlanR2c>(page);
}

void generated_code() {
  constexpr ptrdiff_t n = 8;
  void *library = dlopen("libfftw3_mpi.so.3", RTLD_LAZY);
  const auto plan =
      generated_call(reinterpret_cast<PlanR2c>(dlsym(library, "fftw_mpi_plan_dft_r2c_2d")));
  ptrdiff_t rows = 0;
  ptrdiff_t start = 0;
  const ptrdiff_t size = fftw_mpi_local_size_2d(n, n / 2 + 1, MPI_COMM_WORLD, &rows, &start);
  fftw_complex *x = fftw_alloc_complex(static_cast<size_t>(size));
  double *in = &x[0][0];
  const fftw_plan p = plan(n, n, in, x, MPI_COMM_WORLD, FFTW_ESTIMATE);
  char *text = fftw_sprint_plan(p);
  expect(std::string_view(text).starts_with("hybridfft"), "the plan is the drop-in's");
  fftw_free(text);
  for (ptrdiff_t i = 0; i < 2 * size; ++i)
    in[i] = 1;
  fftw_execute(p);
  for (ptrdiff_t i = 0; i < rows * (n / 2 + 1); ++i)
    expect(x[i][0] == (start + i == 0 ? n * n : 0) && x[i][1] == 0, "the transform of ones");
  fftw_destroy_plan(p);
  fftw_free(x);
}
#endif

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  lookups_of_others();
#ifdef __x86_64__
  generated_code();
#endif
  MPI_Allreduce(MPI_IN_PLACE, &dropin::failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return dropin::failures == 0 ? 0 : 1;
}
