# Finds out for which MPI a compiler or a library is set up. Two MPI libraries in one process call each other's
# functions with their own handles, which ends in an abort or wrong results. These functions detect such mixtures when
# CMake runs, as far as possible.

# hfft_mpi_of_header(RESULT compiler include...): sets RESULT to the kind and version of the <mpi.h> found by the
# compiler, "Open MPI 4.1.4" or "MPICH 4.0.2"; "" for an unknown kind. Intel's MPI and MVAPICH count as MPICH, because
# they share its binary interface. SimGrid's simulator of MPI is "SimGrid SMPI".
function(hfft_mpi_of_header result compiler)
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/mpi_kind.c)
  file(WRITE ${probe} [[
#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION)
hfft_mpi "Open MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined(MPICH_VERSION)
hfft_mpi "MPICH" MPICH_VERSION
#elif defined(SMPI_H)
hfft_mpi "SimGrid" SMPI
#endif
]])
  list(TRANSFORM ARGN PREPEND -I)
  execute_process(COMMAND ${compiler} ${ARGN} -E ${probe}
                  OUTPUT_VARIABLE text ERROR_QUIET)
  set(mpi "")
  if(text MATCHES "\nhfft_mpi \"([^\"]+)\" ([^\n]+)")
    set(mpi ${CMAKE_MATCH_1})
    string(REGEX REPLACE "[ \"]" "" version "${CMAKE_MATCH_2}")
    string(APPEND mpi " ${version}")
  endif()
  set(${result} "${mpi}" PARENT_SCOPE)
endfunction()

# hfft_mpi_of_library(RESULT file): sets RESULT to "Open MPI" or "MPICH" according to the undefined symbols of a
# library, because only Open MPI's predefined handles are symbols; "" for a library without calls of MPI.
function(hfft_mpi_of_library result file)
  set(dynamic -D)
  if(file MATCHES "\\.a$")
    set(dynamic "")
  endif()
  execute_process(COMMAND ${CMAKE_NM} ${dynamic} -u ${file} OUTPUT_VARIABLE symbols ERROR_QUIET)
  set(mpi "")
  if(symbols MATCHES " ompi_mpi_")
    set(mpi "Open MPI")
  elseif(symbols MATCHES " P?MPI_[A-Z]")
    set(mpi MPICH)
  endif()
  set(${result} "${mpi}" PARENT_SCOPE)
endfunction()

# Sets HFFT_MPI to the result of hfft_mpi_of_header for the MPI found. Fails if C and C++ have different MPIs.
function(hfft_find_mpi_kind)
  hfft_mpi_of_header(c ${CMAKE_C_COMPILER} ${MPI_C_INCLUDE_DIRS})
  hfft_mpi_of_header(cxx ${CMAKE_CXX_COMPILER} ${MPI_CXX_INCLUDE_DIRS})
  if(NOT c STREQUAL cxx)
    message(FATAL_ERROR "MPI for C is ${c} (${MPI_C_COMPILER}), but for C++ it is ${cxx} "
                        "(${MPI_CXX_COMPILER}): set MPI_C_COMPILER and MPI_CXX_COMPILER to the "
                        "wrappers of one MPI")
  endif()
  message(STATUS "MPI: ${c}")
  set(HFFT_MPI "${c}" PARENT_SCOPE)
endfunction()

# hfft_mpi_mismatch(RESULT NAME file...): sets RESULT to a message about a library that is built for another MPI than
# HFFT_MPI; "" if there is none.
function(hfft_mpi_mismatch result name)
  set(${result} "" PARENT_SCOPE)
  foreach(file IN LISTS ARGN)
    hfft_mpi_of_library(mpi "${file}")
    if(mpi AND HFFT_MPI AND NOT HFFT_MPI MATCHES "^${mpi} ")
      set(${result} "the MPI that was found is ${HFFT_MPI} (${MPI_C_COMPILER}), and ${name} (${file}) was built for ${mpi}"
          PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# hfft_require_mpi_kind(NAME file...): fails if a library is built for another MPI than HFFT_MPI.
function(hfft_require_mpi_kind name)
  hfft_mpi_mismatch(mismatch ${name} ${ARGN})
  if(mismatch)
    message(FATAL_ERROR
      "Two MPIs: ${mismatch}: programs would abort when they start. Choose the MPI with "
      "-DMPI_C_COMPILER=... -DMPI_CXX_COMPILER=... (Debian: mpicc.openmpi and mpicxx.openmpi, or "
      "mpicc.mpich and mpicxx.mpich), a parallel HDF5 for ${HFFT_MPI} with "
      "-DHDF5_C_COMPILER_EXECUTABLE=... (Debian: h5pcc.openmpi or h5pcc.mpich), or a ${name} for ${HFFT_MPI} with "
      "-DCMAKE_PREFIX_PATH=...")
  endif()
endfunction()
