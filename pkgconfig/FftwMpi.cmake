# Whether FFTW-MPI takes part: as one of the exchanges that plans choose from, and as what the drop-in
# stands in for. It is found with FFTW3, and has to be of the MPI that was found (MpiKind).

# Sets HFFT_FFTW_MPI and HFFT_DROPIN, each ON, OFF or AUTO, to ON or OFF, and says what is left out and
# why. What was asked for and cannot be had is refused with the same reason.
function(hfft_choose_fftw_mpi)
  set(reason "")
  if(NOT FFTW3_MPI_FOUND)
    set(reason "FFTW-MPI was not found (Debian: libfftw3-mpi-dev, which is for Open MPI)")
  else()
    hfft_mpi_mismatch(reason FFTW-MPI ${FFTW3_fftw3_mpi_LIBRARY} ${FFTW3_fftw3f_mpi_LIBRARY})
  endif()
  foreach(option HFFT_FFTW_MPI HFFT_DROPIN)
    if(${option} AND NOT ${option} STREQUAL "AUTO" AND reason)
      message(FATAL_ERROR
        "${option} is ${${option}}, but ${reason}. Take the MPI that FFTW-MPI is for with "
        "-DMPI_C_COMPILER=... -DMPI_CXX_COMPILER=... (Debian: mpicc.openmpi and mpicxx.openmpi), an "
        "FFTW-MPI for ${HFFT_MPI} with -DCMAKE_PREFIX_PATH=..., or do without with -D${option}=OFF")
    endif()
  endforeach()
  if(reason AND (HFFT_FFTW_MPI OR HFFT_DROPIN))
    message(STATUS "HFFT_FFTW_MPI, HFFT_DROPIN: OFF, ${reason}: the exchange `fftw` and the drop-in "
                   "are left out")
  endif()
  foreach(option HFFT_FFTW_MPI HFFT_DROPIN)
    if(reason OR NOT ${option})
      set(${option} OFF PARENT_SCOPE)
    else()
      set(${option} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
