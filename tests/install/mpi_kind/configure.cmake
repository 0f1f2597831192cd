# cmake -DMODULES=dir -DLIBRARY=libfftw3_mpi.so -DNM=nm -DCC=compiler -DMPI_INCLUDES=list
#       -DSCRATCH=dir -DFOREIGN=list [-DREQUIRE=name] [-DHFFT_DROPIN=value] -P configure.cmake
# Runs the parts of the configuration that recognise the MPI, and libraries built for another MPI. The MPI is the one of
# MPI_INCLUDES. For the languages in FOREIGN it is replaced by the headers in the folder mpich, which claim to be MPICH.
# LIBRARY is an FFTW-MPI, or with REQUIRE the library of this name. If LIBRARY was built for another MPI, CMake leaves
# out FFTW-MPI, or with REQUIRE fails.
cmake_minimum_required(VERSION 3.20)
include(${MODULES}/MpiKind.cmake)
include(${MODULES}/FftwMpi.cmake)
set(CMAKE_NM ${NM})
set(CMAKE_CURRENT_BINARY_DIR ${SCRATCH})
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER ${CC})
  set(MPI_${language}_COMPILER /usr/bin/mpicc)
  set(MPI_${language}_INCLUDE_DIRS ${MPI_INCLUDES})
  if(language IN_LIST FOREIGN)
    set(MPI_${language}_COMPILER /usr/bin/mpicc.mpich)
    set(MPI_${language}_INCLUDE_DIRS ${CMAKE_CURRENT_LIST_DIR}/mpich)
  endif()
endforeach()
hfft_find_mpi_kind()
if(REQUIRE)
  hfft_require_mpi_kind(${REQUIRE} ${LIBRARY})
else()
  set(HFFT_FFTW_MPI AUTO)
  if(NOT HFFT_DROPIN)
    set(HFFT_DROPIN AUTO)
  endif()
  set(FFTW3_MPI_FOUND TRUE)
  set(FFTW3_fftw3_mpi_LIBRARY ${LIBRARY})
  set(FFTW3_fftw3f_mpi_LIBRARY ${LIBRARY})
  hfft_choose_fftw_mpi()
endif()
message(STATUS "accepted: ${HFFT_MPI}, FFTW-MPI ${HFFT_FFTW_MPI}, drop-in ${HFFT_DROPIN}")
