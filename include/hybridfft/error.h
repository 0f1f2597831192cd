/// \file error.h
/// Error codes of all interfaces, C and C++. This file includes no other header, mpi.h in
/// particular.
#ifndef HYBRIDFFT_ERROR_H
#define HYBRIDFFT_ERROR_H

/// Error codes. A call returns one, or hfft_last_error() returns it afterwards. hfft_error_string()
/// of hybridfft.h describes each in words.
enum hfft_error {
  HFFT_SUCCESS = 0,
  HFFT_ERROR_MPI_NOT_RUNNING, ///< MPI_Init has not run, or MPI_Finalize has
  HFFT_ERROR_THREAD_LEVEL,    ///< more than one thread per rank needs MPI_THREAD_FUNNELED
  HFFT_ERROR_NULL_POINTER,    ///< an array, size array, plan or communicator is null
  HFFT_ERROR_EXTENTS,         ///< too few dimensions, or an extent or howmany below 1
  HFFT_ERROR_BLOCK,           ///< a block size is negative, or the blocks of all ranks do not cover
                              ///< the axis
  HFFT_ERROR_OVERFLOW,        ///< a size in bytes exceeds 64 bits
  HFFT_ERROR_FLAGS,           ///< unknown or contradicting flags, or a sign other than +-1
  HFFT_ERROR_MISMATCH,        ///< ranks of one communicator passed different arguments
  HFFT_ERROR_UNSUPPORTED,     ///< the library has no algorithm for this combination of arguments
  HFFT_ERROR_ARGUMENT,        ///< any other bad argument (thread count, plan of another kind)
  HFFT_ERROR_ENVIRONMENT,     ///< an HFFT_* environment variable has an unknown value
  HFFT_ERROR_OUT_OF_MEMORY,
  HFFT_ERROR_MPI,  ///< an MPI call failed
  HFFT_ERROR_FFTW, ///< FFTW could not plan
  HFFT_ERROR_INTERNAL,
  HFFT_ERROR_NO_WISDOM, ///< HFFT_WISDOM_ONLY is set, and wisdom has no plan for the problem
  HFFT_ERROR_WISDOM,    ///< damaged wisdom, or an unreadable or unwritable wisdom file
  HFFT_ERROR_LAYOUT     ///< a layout does not tile its array or does not fit the transform
};

#endif
