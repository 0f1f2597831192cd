# cmake -DMODULE=MpiKind.cmake -DLIBRARY=libfftw3_mpi.so -DNM=nm -DCC=compiler -DMPI_INCLUDES=list
#       -DSCRATCH=dir [-DREFUSE=YES] -P configure.cmake
# Takes the MPI of MPI_INCLUDES, with REFUSE one that says that it is MPICH, for what a configuration
# has found, and asks whether the library is of the same: with REFUSE it is not.
cmake_minimum_required(VERSION 3.20)
include(${MODULE})
set(CMAKE_NM ${NM})
set(CMAKE_CURRENT_BINARY_DIR ${SCRATCH})
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER ${CC})
  set(MPI_${language}_COMPILER /usr/bin/mpicc.mpich)
  set(MPI_${language}_INCLUDE_DIRS ${MPI_INCLUDES})
endforeach()
if(REFUSE)
  set(MPI_C_INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR}/mpich)
  set(MPI_CXX_INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR}/mpich)
endif()
hfft_find_mpi_kind()
hfft_require_mpi_kind(FFTW ${LIBRARY})
message(STATUS "accepted: ${HFFT_MPI}")
