// This file precedes every other <mpi.h> in the compilation of simd/, lib/local, lib/layout and the
// part of lib/base without MPI.
#error "this file is compiled without MPI: it may not include <mpi.h>"
