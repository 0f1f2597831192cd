// Found before any other <mpi.h> when simd/, lib/local, lib/layout and the part of lib/base without
// MPI are compiled.
#error "this file is compiled without MPI: it may not include <mpi.h>"
