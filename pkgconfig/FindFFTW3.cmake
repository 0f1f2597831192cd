# FFTW 3 in double and single precision with its MPI and OpenMP parts.
# Targets: FFTW3::mpi (double) and FFTW3::mpif (single), each with the serial library behind it.
find_path(FFTW3_INCLUDE_DIR fftw3-mpi.h)
set(vars FFTW3_INCLUDE_DIR)
foreach(lib fftw3 fftw3f fftw3_mpi fftw3f_mpi fftw3_omp fftw3f_omp)
  find_library(FFTW3_${lib}_LIBRARY ${lib})
  list(APPEND vars FFTW3_${lib}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW3 REQUIRED_VARS ${vars}
  REASON_FAILURE_MESSAGE "install libfftw3-dev and libfftw3-mpi-dev (Debian) or set CMAKE_PREFIX_PATH")
if(FFTW3_FOUND AND NOT TARGET FFTW3::mpi)
  foreach(suffix "" f)
    add_library(FFTW3::mpi${suffix} INTERFACE IMPORTED)
    set_target_properties(FFTW3::mpi${suffix} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${FFTW3_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES
      "${FFTW3_fftw3${suffix}_mpi_LIBRARY};${FFTW3_fftw3${suffix}_omp_LIBRARY};${FFTW3_fftw3${suffix}_LIBRARY}")
  endforeach()
endif()
mark_as_advanced(${vars})
