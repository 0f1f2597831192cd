// The macros of MPICH's <mpi.h> that identify it.
#define MPICH 1
#define MPICH_VERSION "4.0.2"
#define MPICH_NUMVERSION 40002300
typedef int MPI_Comm;
typedef int MPI_Fint;
