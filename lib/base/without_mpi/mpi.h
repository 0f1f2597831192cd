// Stands before every other <mpi.h> where simd/, lib/local, lib/layout and the part of lib/base
// that needs no MPI are compiled.
#error "this file is compiled without MPI: it may not include <mpi.h>"
