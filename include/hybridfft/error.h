/// \file error.h
/// The error codes of all interfaces, C and C++. It includes no other header, mpi.h least of all.
#ifndef HYBRIDFFT_ERROR_H
#define HYBRIDFFT_ERROR_H

/// Error codes: a call returns one, or hfft_last_error() does after it. hfft_error_string() of
/// hybridfft.h describes each in words.
enum hfft_error {
  HFFT_SUCCESS = 0,
  HFFT_ERROR_MPI_NOT_RUNNING, ///< before MPI_Init or after MPI_Finalize
  HFFT_ERROR_THREAD_LEVEL,    ///< more than one thread per rank needs MPI_THREAD_FUNNELED
  HFFT_ERROR_NULL_POINTER,    ///< an array, size array, plan or communicator is null
  HFFT_ERROR_EXTENTS,         ///< rank below 2, or an extent or howmany that is not positive
  HFFT_ERROR_BLOCK,           ///< a block size that is negative or too small for all ranks
  HFFT_ERROR_OVERFLOW,        ///< sizes beyond what 64-bit byte counts can hold
  HFFT_ERROR_FLAGS,           ///< unknown or contradicting flags, or a sign that is not +-1
  HFFT_ERROR_MISMATCH,        ///< ranks of one communicator passed different arguments
  HFFT_ERROR_UNSUPPORTED,     ///< a combination that no algorithm here computes
  HFFT_ERROR_ARGUMENT,        ///< any other bad argument (thread count, plan of another kind)
  HFFT_ERROR_ENVIRONMENT,     ///< an HFFT_* environment variable has an unknown value
  HFFT_ERROR_OUT_OF_MEMORY,
  HFFT_ERROR_MPI,  ///< an MPI call failed
  HFFT_ERROR_FFTW, ///< FFTW could not plan
  HFFT_ERROR_INTERNAL,
  HFFT_ERROR_NO_WISDOM, ///< HFFT_WISDOM_ONLY, and wisdom has no plan for the problem
  HFFT_ERROR_WISDOM,    ///< wisdom that is damaged, or a wisdom file that cannot be read or written
  HFFT_ERROR_LAYOUT     ///< a layout that does not tile its array, or not the one of the transform
};

#endif
