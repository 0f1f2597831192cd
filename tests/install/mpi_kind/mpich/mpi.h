// What an <mpi.h> of MPICH tells of itself.
#define MPICH 1
#define MPICH_VERSION "4.0.2"
#define MPICH_NUMVERSION 40002300
typedef int MPI_Comm;
typedef int MPI_Fint;
