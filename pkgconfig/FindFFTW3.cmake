# FFTW 3 in double and single precision with its OpenMP parts, and FFTW-MPI as the component MPI.
# Targets: FFTW3::double and FFTW3::single; with FFTW-MPI before them FFTW3::mpi and FFTW3::mpif.
find_path(FFTW3_INCLUDE_DIR fftw3.h)
find_path(FFTW3_MPI_INCLUDE_DIR fftw3-mpi.h)
set(serial_variables FFTW3_INCLUDE_DIR)
set(mpi_variables FFTW3_MPI_INCLUDE_DIR)
foreach(library fftw3 fftw3f fftw3_omp fftw3f_omp)
  find_library(FFTW3_${library}_LIBRARY ${library})
  list(APPEND serial_variables FFTW3_${library}_LIBRARY)
endforeach()
foreach(library fftw3_mpi fftw3f_mpi)
  find_library(FFTW3_${library}_LIBRARY ${library})
  list(APPEND mpi_variables FFTW3_${library}_LIBRARY)
endforeach()
set(FFTW3_MPI_FOUND TRUE)
foreach(variable IN LISTS mpi_variables)
  if(NOT ${variable})
    set(FFTW3_MPI_FOUND FALSE)
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3 REQUIRED_VARS ${serial_variables} HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE
  "install libfftw3-dev (Debian, and libfftw3-mpi-dev for FFTW-MPI) or set CMAKE_PREFIX_PATH")
if(FFTW3_FOUND AND NOT TARGET FFTW3::double)
  foreach(precision "double " "single f")
    separate_arguments(precision)
    list(POP_FRONT precision name)
    string(REPLACE ";" "" suffix "${precision}")
    add_library(FFTW3::${name} INTERFACE IMPORTED)
    set_target_properties(FFTW3::${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${FFTW3_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES "${FFTW3_fftw3${suffix}_omp_LIBRARY};${FFTW3_fftw3${suffix}_LIBRARY}")
    if(FFTW3_MPI_FOUND)
      add_library(FFTW3::mpi${suffix} INTERFACE IMPORTED)
      set_target_properties(FFTW3::mpi${suffix} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${FFTW3_MPI_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES "${FFTW3_fftw3${suffix}_mpi_LIBRARY};FFTW3::${name}")
    endif()
  endforeach()
endif()
mark_as_advanced(${serial_variables} ${mpi_variables})
