# Decides on the parts that need FFTW-MPI: the exchange `fftw`, which plans may choose, and the drop-in, which replaces
# FFTW-MPI. FindFFTW3 searches FFTW-MPI. It must be built for the MPI that was found (MpiKind.cmake).

# Changes HFFT_FFTW_MPI and HFFT_DROPIN from ON, OFF or AUTO to ON or OFF. Prints the omitted parts and the reason.
# Fails with this reason if an option is ON but the part cannot be built.
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
