/// \file hybridfft.h
/// C API of HybridFFT: distributed FFTs over MPI processes and OpenMP threads. Choose it for C, and
/// for programs written for FFTW's MPI interface.
///
/// The calls have the arguments of FFTW's MPI interface (FFTW 3.3 manual, chapter 6). The prefix
/// `hfft_` replaces `fftw_mpi_`, and also `fftw_` for functions such as fftw_execute. In single
/// precision, `hfftf_` replaces `fftwf_mpi_` and `fftwf_`. Argument order, flags, block
/// distribution, padding of real data and normalisation (none) are FFTW's. Each declaration
/// documents its differences.
///
/// Conventions
/// - Arrays are n0 x n1 x ..., row-major: the last dimension is contiguous. The `howmany` values of
///   a point are interleaved (fastest).
/// - The input is distributed along n0 in blocks of ceil(n0/P) (or `block`) over the P ranks of
///   `comm`. Trailing ranks may be empty. A block of n0 or more belongs to rank 0 (FFTW 3.3.10
///   reports it on every rank). HFFT_TRANSPOSED_OUT: the output is stored n1 x n0 x ...,
///   distributed along n1. HFFT_TRANSPOSED_IN does the same for the input.
/// - r2c and c2r: the last dimension of the real array is padded to 2*(n/2+1), in and out of place.
///   The complex array has n/2+1 points along it. Block sizes refer to n0 (and n1) of the
///   distributed array.
/// - Every array holds at least the number of complex elements returned by local_size_* (twice as
///   many reals). If iblock and oblock differ, the larger number counts. The library uses the
///   complete output array as work space.
/// - Creation, destruction and execution of a plan are collective over its communicator. Local
///   sizes are computed without communication.
///
/// Threads
/// - One thread of a rank calls the library at a time. With MPI_THREAD_MULTIPLE several threads may
///   make, execute and destroy plans at the same time. Each thread then uses its own communicators.
///   The calls of different threads may come in any order, which may differ between ranks. In this
///   mode FFTW's exchange (HFFT_EXCHANGE=fftw) is not used, and HFFT_TRACE records the plans of one
///   thread.
/// - A child created by fork() after MPI_Init has no threads and no messages. All calls but malloc
///   and free return HFFT_ERROR_MPI_NOT_RUNNING there.
/// - The settings of plan_with_nthreads() and set_timelimit(), and wisdom, belong to the process.
///
/// Ranks
/// - Ranks may differ in hardware. Plans use only features (instruction sets, caches) that all
///   ranks have.
/// - If environment variables differ, the values of rank 0 of the communicator count, with two
///   exceptions. OMP_NUM_THREADS belongs to each rank, and HFFT_SIMD becomes the best common
///   instruction set.
///
/// Errors
/// - A failed plan call fails on every rank of its communicator with the same code and returns
///   NULL. local_size_* return -1, the other calls return the code. Execution spends no messages on
///   agreement: only the rank with the error reports it. The library never prints (except
///   print_plan, and an error of HFFT_TRACE when the trace cannot be written), exits or aborts,
///   with one exception:
/// - Execution, start, test or wait with a NULL plan calls the error handler of MPI_COMM_WORLD.
///   Programs written for FFTW need this, because they check neither plans nor codes.
///   MPI_Error_string of the handler's error code returns hfft_last_error_message(), the failure of
///   the last plan. MPI's default handler prints this message on standard error and ends the job.
///   With MPI_ERRORS_RETURN the call returns HFFT_ERROR_NULL_POINTER. C++ plans throw instead.
/// - Failures of MPI are returned as codes, whichever error handlers the program has set: messages
///   travel on a duplicate of the communicator. MPICH, however, passes failures of MPI_Wait calls
///   to the handler of MPI_COMM_WORLD. The library therefore sets this handler to MPI_ERRORS_RETURN
///   while it waits. With MPI_THREAD_MULTIPLE it leaves the program's handler in place, and MPI's
///   default handler ends the job.
/// - hfft_last_error() returns the code of the last failed call of this thread.
///   hfft_last_error_message() returns its reason in words.
#ifndef HYBRIDFFT_HYBRIDFFT_H
#define HYBRIDFFT_HYBRIDFFT_H

#include <stddef.h>
#include <stdio.h>

#include "hybridfft/error.h"
#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"
#include "hybridfft/options.h"
#include "hybridfft/version.h"

/// Complex numbers as in FFTW: C99's if <complex.h> precedes this header, else pairs (re, im).
/// std::complex<double> has the same layout; cast the pointer.
#if !defined(HFFT_NO_Complex) && defined(_Complex_I) && defined(complex) && defined(I)
#define HFFT_DEFINE_COMPLEX(R, C) typedef R _Complex C
#else
#define HFFT_DEFINE_COMPLEX(R, C) typedef R C[2]
#endif
HFFT_DEFINE_COMPLEX(double, hfft_complex); ///< complex numbers in double precision
HFFT_DEFINE_COMPLEX(float, hfftf_complex); ///< complex numbers in single precision

#define HFFT_FORWARD (-1)  ///< sign of exp(-2 pi i j k / n)
#define HFFT_BACKWARD (+1) ///< sign of exp(+2 pi i j k / n)

#define HFFT_DEFAULT_BLOCK (0) ///< ceil(n/P) rows or columns

/// Planner flags, with FFTW's values.
#define HFFT_MEASURE (0U)             ///< time candidates; planning overwrites in and out
#define HFFT_DESTROY_INPUT (1U << 0)  ///< out of place, the input may be overwritten
#define HFFT_UNALIGNED (1U << 1)      ///< new arrays may have any alignment
#define HFFT_EXHAUSTIVE (1U << 3)     ///< widest search
#define HFFT_PRESERVE_INPUT (1U << 4) ///< out of place, the input does not change; the default
#define HFFT_PATIENT (1U << 5)        ///< wider search
#define HFFT_ESTIMATE (1U << 6)       ///< no timing; arrays stay untouched while planning
#define HFFT_WISDOM_ONLY (1U << 21)   ///< take the plan from wisdom, or return NULL
#define HFFT_DETERMINISTIC                                                                         \
  (1U << 22)                        ///< not FFTW's: identical bits for any number of ranks, threads
#define HFFT_WIRE_SINGLE (1U << 23) ///< double plans: messages in single precision, see below
#define HFFT_WIRE_BFLOAT16 (1U << 24)  ///< single plans: messages in bfloat16
#define HFFT_WIRE_HALF (1U << 25)      ///< single plans: messages in half precision, scaled
#define HFFT_NONBLOCKING (1U << 26)    ///< not FFTW's: prepare the plan for execute_start
#define HFFT_SCRAMBLED_IN (1U << 27)   ///< one dimension: the input is in SCRAMBLED_OUT order
#define HFFT_SCRAMBLED_OUT (1U << 28)  ///< one dimension: permuted output, one exchange less
#define HFFT_TRANSPOSED_IN (1U << 29)  ///< input stored n1 x n0 x ..., distributed along n1
#define HFFT_TRANSPOSED_OUT (1U << 30) ///< output stored n1 x n0 x ..., distributed along n1

/// Reduced precision on the wire (the HFFT_WIRE_ flags, not FFTW's) halves the bytes of all
/// messages between ranks. Arithmetic and arrays keep their precision. Packing rounds numbers to
/// nearest, ties to even. Each of the plan's E exchanges adds a relative error in the L2 norm of at
/// most u. u is 2^-24 (single), 2^-8 (bfloat16) or 2^-11 (half). E is 1 for transposed output (or
/// input), 2 for normal order, and 0 on one rank. For layouts other than slabs, print_plan() lists
/// the exchanges. Transforms are unitary up to a factor. The result therefore differs from the
/// result without the flag by at most (1 + u)^E - 1, relative to this result in the L2 norm.
/// - Half precision has a scale, a power of two, in each message. Numbers down to 2^-28 times the
///   largest number of the message keep 11 bits. Smaller ones have an absolute error of at most
///   2^-39 times the largest.
/// - Single precision covers 1.2e-38 to 3.4e38: larger numbers become infinity, smaller ones lose
///   bits. Infinity and NaN are kept.
/// - Self-copies of a rank are not rounded, so the result depends on the number of ranks. With
///   HFFT_DETERMINISTIC self-copies are rounded, on one rank too, and all bits are identical again.
///   Half is then refused, because its scales depend on the messages. Layouts other than slabs are
///   also refused, because the number of ranks determines their exchanges.
/// - These plans exchange by messages (`pipelined`), even within a node. Wisdom stores them
///   separately.

/// Argument of set_timelimit(): no limit.
#define HFFT_NO_TIMELIMIT (-1.0)

/// Profile of one stage of a plan: an FFT along some dimensions, a copy, or an exchange between
/// ranks. Later versions append members. `size` identifies the version of the calling program.
struct hfft_stage_profile {
  size_t size;         ///< sizeof(struct hfft_stage_profile), set by the caller; 0: the size in
                       ///< version 0.3
  const char *name;    ///< "planes", "columns", "exchange", ...; valid until the plan is destroyed
  long long calls;     ///< executions of the plan since profiling started
  double seconds;      ///< total time of this rank, without nested time of other stages
  double min_seconds;  ///< minimum over the ranks with this stage
  double mean_seconds; ///< mean over the ranks with this stage
  double max_seconds;  ///< maximum over the ranks with this stage
  double bytes;        ///< bytes per call read and written by this rank, each element once
  double flops;        ///< operations per call of this rank: 5 n log2 n, half of it for real data
};

/// Declares the functions of one precision. X mangles a name, R is the real and C the complex type.
#define HFFT_DEFINE_API(X, R, C)                                                                   \
  /** A plan. The functions plan_... make it, and destroy_plan destroys it. */                     \
  typedef struct X(plan_s) * X(plan);                                                              \
                                                                                                   \
  /** Checks if MPI runs. Optional, because planning checks it, too. Local. */                     \
  HFFT_EXPORT int X(init)(void);                                                                   \
  /** Frees cached communicators. Active plans stay valid. Collective. */                          \
  HFFT_EXPORT void X(cleanup)(void);                                                               \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Return the complex elements to allocate on a rank (at least 1), and set local sizes. */      \
  /** Empty ranks get local_n = 0 and start = n (FFTW: 0). For r2c and c2r pass the complex */     \
  /** extents, n[rnk-1]/2+1 last, as with FFTW. NULL result pointers are ignored. Local. */        \
  HFFT_EXPORT ptrdiff_t X(local_size_many_transposed)(                                             \
      int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,          \
      MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,           \
      ptrdiff_t *local_1_start);                                                                   \
  HFFT_EXPORT ptrdiff_t X(local_size_many)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,         \
                                           ptrdiff_t block0, MPI_Comm comm, ptrdiff_t *local_n0,   \
                                           ptrdiff_t *local_0_start);                              \
  HFFT_EXPORT ptrdiff_t X(local_size_transposed)(int rnk, const ptrdiff_t *n, MPI_Comm comm,       \
                                                 ptrdiff_t *local_n0, ptrdiff_t *local_0_start,    \
                                                 ptrdiff_t *local_n1, ptrdiff_t *local_1_start);   \
  HFFT_EXPORT ptrdiff_t X(local_size)(int rnk, const ptrdiff_t *n, MPI_Comm comm,                  \
                                      ptrdiff_t *local_n0, ptrdiff_t *local_0_start);              \
  HFFT_EXPORT ptrdiff_t X(local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,                \
                                         ptrdiff_t * local_n0, ptrdiff_t * local_0_start);         \
  HFFT_EXPORT ptrdiff_t X(local_size_2d_transposed)(                                               \
      ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t * local_n0, ptrdiff_t * local_0_start,  \
      ptrdiff_t * local_n1, ptrdiff_t * local_1_start);                                            \
  HFFT_EXPORT ptrdiff_t X(local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,  \
                                         ptrdiff_t * local_n0, ptrdiff_t * local_0_start);         \
  HFFT_EXPORT ptrdiff_t X(local_size_3d_transposed)(                                               \
      ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t * local_n0,               \
      ptrdiff_t * local_0_start, ptrdiff_t * local_n1, ptrdiff_t * local_1_start);                 \
  /** @} */                                                                                        \
                                                                                                   \
  /** Plans a transform between slabs. The other plan_ functions below are short forms. `kind` */  \
  /** is one of enum hfft_kind. n are the extents of the grid (real extents for r2c and c2r). */   \
  /** in and out are arrays of the kind's types; in == out is in place. sign is the direction */   \
  /** of c2c. options may be NULL for the defaults; its axes must be NULL. Returns NULL on */      \
  /** failure. HFFT_ERROR_ARGUMENT: bad arguments, or options of an unknown size. */               \
  /** HFFT_ERROR_UNSUPPORTED: options set members unknown to this version. Collective. */          \
  HFFT_EXPORT X(plan) X(plan_slabs)(int kind, int rnk, const ptrdiff_t *n, void *in, void *out,    \
                                    MPI_Comm comm, int sign, const struct hfft_options *options);  \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan c2c transforms. iblock and oblock are the blocks of the distributed dimension of */     \
  /** input and output; HFFT_DEFAULT_BLOCK is ceil(n/P). in == out is in place. Collective. */     \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_many_dft)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,           \
                       ptrdiff_t oblock, C *in, C *out, MPI_Comm comm, int sign, unsigned flags);  \
  HFFT_EXPORT X(plan) X(plan_dft)(int rnk, const ptrdiff_t *n, C *in, C *out, MPI_Comm comm,       \
                                  int sign, unsigned flags);                                       \
  HFFT_EXPORT X(plan) X(plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, C * in, C * out, MPI_Comm comm,   \
                                     int sign, unsigned flags);                                    \
  HFFT_EXPORT X(plan) X(plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in, C * out,    \
                                     MPI_Comm comm, int sign, unsigned flags);                     \
  /** @} */                                                                                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan a complex transform along one dimension by the four-step algorithm. The line is a */    \
  /** matrix of n = n0 n1 points, as close to a square as n allows. Each rank has complete */      \
  /** rows of it: local_ni points of the input from local_i_start on, and local_no of the */       \
  /** output. A prime n is on one rank. There are three exchanges, or two with */                  \
  /** HFFT_SCRAMBLED_OUT: output element k0 n1 + k1 is then frequency k0 + n0 k1. */               \
  /** HFFT_SCRAMBLED_IN expects its input in this order. Both at once: HFFT_ERROR_UNSUPPORTED. */  \
  /** plan_many_dft with rnk 1 makes the same plans; its blocks are multiples of n0 and of n1. */  \
  /** local_size_many_1d returns the complex elements to allocate, or -1 on failure. It is */      \
  /** local and ignores sign. Planning is collective. */                                           \
  HFFT_EXPORT ptrdiff_t X(local_size_many_1d)(ptrdiff_t n, ptrdiff_t howmany, MPI_Comm comm,       \
                                              int sign, unsigned flags, ptrdiff_t *local_ni,       \
                                              ptrdiff_t *local_i_start, ptrdiff_t *local_no,       \
                                              ptrdiff_t *local_o_start);                           \
  HFFT_EXPORT ptrdiff_t X(local_size_1d)(ptrdiff_t n, MPI_Comm comm, int sign, unsigned flags,     \
                                         ptrdiff_t *local_ni, ptrdiff_t *local_i_start,            \
                                         ptrdiff_t *local_no, ptrdiff_t *local_o_start);           \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_dft_1d)(ptrdiff_t n, C * in, C * out, MPI_Comm comm, int sign, unsigned flags);       \
  /** @} */                                                                                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan the transposition of an n0 x n1 matrix. An element has howmany reals (2 for complex */  \
  /** numbers). The input is distributed along n0 in blocks of block0. The output is n1 x n0, */   \
  /** distributed along n1 in blocks of block1. A block of 0 is the default block. Arrays have */  \
  /** as many reals as local_size_many_transposed returns for n0, n1. HFFT_TRANSPOSED_IN: a */     \
  /** rank stores its input as n1 x local_n0. HFFT_TRANSPOSED_OUT: a rank stores its output as */  \
  /** n0 x local_n1. execute_r2r executes the plan on other arrays. Collective. */                 \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_many_transpose)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0,      \
                             ptrdiff_t block1, R * in, R * out, MPI_Comm comm, unsigned flags);    \
  HFFT_EXPORT X(plan) X(plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, R * in, R * out,               \
                                        MPI_Comm comm, unsigned flags);                            \
  /** @} */                                                                                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan r2c transforms: real to complex, forward. n are the real extents. Collective. */        \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_many_dft_r2c)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,       \
                           ptrdiff_t oblock, R *in, C *out, MPI_Comm comm, unsigned flags);        \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_dft_r2c)(int rnk, const ptrdiff_t *n, R *in, C *out, MPI_Comm comm, unsigned flags);  \
  HFFT_EXPORT X(plan) X(plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, R * in, C * out,              \
                                         MPI_Comm comm, unsigned flags);                           \
  HFFT_EXPORT X(plan) X(plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in,         \
                                         C * out, MPI_Comm comm, unsigned flags);                  \
  /** @} */                                                                                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan c2r transforms: complex to real, backward. n are the real extents. Collective. */       \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_many_dft_c2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,       \
                           ptrdiff_t oblock, C *in, R *out, MPI_Comm comm, unsigned flags);        \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_dft_c2r)(int rnk, const ptrdiff_t *n, C *in, R *out, MPI_Comm comm, unsigned flags);  \
  HFFT_EXPORT X(plan) X(plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, C * in, R * out,              \
                                         MPI_Comm comm, unsigned flags);                           \
  HFFT_EXPORT X(plan) X(plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C * in,         \
                                         R * out, MPI_Comm comm, unsigned flags);                  \
  /** @} */                                                                                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan r2r transforms. in and out are real arrays of n points without padding. They need as */ \
  /** many reals as local_size_* returns for n. kinds has a kind of enum hfft_r2r_kind for each */ \
  /** dimension; the short forms take one argument for each. Transposition and blocks are as */    \
  /** above. A line (one dimension) has the sizes of local_size_many_1d, or any blocks. */         \
  /** Exchanges before and after its transform give ranks whole lines. HFFT_ERROR_ARGUMENT: */     \
  /** unknown kinds. HFFT_ERROR_EXTENTS: HFFT_REDFT00 along one point. Collective. */              \
  HFFT_EXPORT X(plan) X(plan_many_r2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,             \
                                       ptrdiff_t iblock, ptrdiff_t oblock, R *in, R *out,          \
                                       MPI_Comm comm, const int *kinds, unsigned flags);           \
  HFFT_EXPORT X(plan) X(plan_r2r)(int rnk, const ptrdiff_t *n, R *in, R *out, MPI_Comm comm,       \
                                  const int *kinds, unsigned flags);                               \
  HFFT_EXPORT X(plan) X(plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, R * in, R * out, MPI_Comm comm,   \
                                     int kind0, int kind1, unsigned flags);                        \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R * in, R * out, MPI_Comm comm,     \
                     int kind0, int kind1, int kind2, unsigned flags);                             \
  /** @} */                                                                                        \
                                                                                                   \
  /** Plans transforms with a kind of its own for each dimension: HFFT_DFT, or a kind between */   \
  /** reals, which transforms real and imaginary parts separately. `kind` is HFFT_C2C (sign is */  \
  /** the direction of the Fourier transforms), HFFT_R2C or HFFT_C2R. The last two halve the */    \
  /** last dimension with HFFT_DFT: the complex array has n/2+1 points there. The real array */    \
  /** is padded only if this dimension is the last of all. Each array needs local_size_* of */     \
  /** its own extents, padding included, and in place the larger of both. Collective. */           \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_mixed)(int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in, void *out, \
                    MPI_Comm comm, const int *kinds, int sign, unsigned flags);                    \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan pruned transforms of 2 or 3 dimensions, for dealiasing by the 3/2 or the 2/3 rule. */   \
  /** The grid has n points. The spectrum has only the modes[i] <= n[i] lowest frequencies */      \
  /** along axis i, in an array of modes[i] points in the usual order: 0, 1, ..., then the */      \
  /** negative ones. Forward (sign -1, r2c) drops the other modes. Backward (sign +1, c2r) */      \
  /** takes them as zero. Dropped lines are neither transformed nor sent. For an even modes[i] */  \
  /** < n[i] the mode modes[i]/2 would stand for two modes of opposite signs, so it is not */      \
  /** retained: forward sets it to zero, backward takes it as zero. For r2c and c2r, n and */      \
  /** modes are real extents: the spectrum has modes[rnk-1]/2+1 points along the last axis. */     \
  /** Transposition, blocks and the missing normalisation are as above, each array with its */     \
  /** own extents. Collective. */                                                                  \
  HFFT_EXPORT X(plan) X(plan_pruned_dft)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes,      \
                                         ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock,    \
                                         C *in, C *out, MPI_Comm comm, int sign, unsigned flags);  \
  HFFT_EXPORT X(plan) X(plan_pruned_dft_r2c)(                                                      \
      int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, ptrdiff_t iblock,    \
      ptrdiff_t oblock, R *in, C *out, MPI_Comm comm, unsigned flags);                             \
  HFFT_EXPORT X(plan) X(plan_pruned_dft_c2r)(                                                      \
      int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, ptrdiff_t iblock,    \
      ptrdiff_t oblock, C *in, R *out, MPI_Comm comm, unsigned flags);                             \
  /** @} */                                                                                        \
  /** Returns the complex elements to allocate for the grid of a pruned transform, or for both */  \
  /** arrays of an in-place plan. For an out-of-place spectrum use local_size_many_transposed. */  \
  /** For r2c and c2r, pass complex extents here: n/2+1 and modes/2+1 along the last axis. */      \
  /** block0 and block1 are the blocks of the first two axes. */                                   \
  HFFT_EXPORT ptrdiff_t X(local_size_pruned)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes,  \
                                             ptrdiff_t howmany, ptrdiff_t block0,                  \
                                             ptrdiff_t block1, MPI_Comm comm);                     \
  /** @{ */                                                                                        \
  /** Execute on the planned arrays, or on new ones of the same sizes and any alignment. These */  \
  /** are in place if and only if the planned ones are. Return an error code. Collective. */       \
  HFFT_EXPORT int X(execute)(X(plan) plan);                                                        \
  HFFT_EXPORT int X(execute_dft)(X(plan) plan, C * in, C * out);                                   \
  HFFT_EXPORT int X(execute_dft_r2c)(X(plan) plan, R * in, C * out);                               \
  HFFT_EXPORT int X(execute_dft_c2r)(X(plan) plan, C * in, R * out);                               \
  HFFT_EXPORT int X(execute_r2r)(X(plan) plan, R * in, R * out);                                   \
  /** @} */                                                                                        \
  /** @{ */                                                                                        \
  /** Execute in the background. execute_start begins an execution and returns as soon as it */    \
  /** would have to wait for messages; execute_wait ends it. Several different plans of any */     \
  /** layouts may be active at once. All ranks start the same plans in the same order. They may */ \
  /** wait in any order, also before the next start. Messages of plans with HFFT_NONBLOCKING */    \
  /** travel meanwhile. Plans without this flag may complete within execute_start, after all */    \
  /** executions started before; on one rank all plans do. No thread of the library or of MPI */   \
  /** works in the background: execute_test and execute_wait of any plan make progress on all */   \
  /** active plans of the process. With MPI_THREAD_MULTIPLE these calls make progress only on */   \
  /** the executions started by the calling thread; a test or wait for a plan moves its */         \
  /** execution to this thread. A call of execute_test every few milliseconds keeps large */       \
  /** messages moving. The call computes ready transforms, starts the next exchange, and sets */   \
  /** *done to 1 if only execute_wait remains, else to zero. Until execute_wait returns, the */    \
  /** program must not use the arrays. A plain execute makes no progress on other plans: if one */ \
  /** rank calls it after a wait, no rank may call it before this wait. HFFT_ERROR_ARGUMENT: */    \
  /** start or execution of an active plan; test of or wait for an inactive plan; first start */   \
  /** of a plan when about 3500 plans of its communicator (510 if MPI's tags end at 32767) have */ \
  /** been started and not destroyed. */                                                           \
  HFFT_EXPORT int X(execute_start)(X(plan) plan);                                                  \
  HFFT_EXPORT int X(execute_start_dft)(X(plan) plan, C * in, C * out);                             \
  HFFT_EXPORT int X(execute_start_dft_r2c)(X(plan) plan, R * in, C * out);                         \
  HFFT_EXPORT int X(execute_start_dft_c2r)(X(plan) plan, C * in, R * out);                         \
  HFFT_EXPORT int X(execute_start_r2r)(X(plan) plan, R * in, R * out);                             \
  HFFT_EXPORT int X(execute_test)(X(plan) plan, int *done);                                        \
  HFFT_EXPORT int X(execute_wait)(X(plan) plan);                                                   \
  /** @} */                                                                                        \
  /** Returns 1 between execute_start and execute_wait, else 0. Local. */                          \
  HFFT_EXPORT int X(plan_under_way)(X(plan) plan);                                                 \
  /** Destroys a plan. NULL is allowed. If the plan is active, the call only sets */               \
  /** last_error(). Collective. */                                                                 \
  HFFT_EXPORT void X(destroy_plan)(X(plan) plan);                                                  \
                                                                                                   \
  /** Sets the threads per rank of later plans. 0 (the default) means OMP_NUM_THREADS, at most */  \
  /** 4096, or OpenMP's default number if unset. If MPI provides less than MPI_THREAD_FUNNELED, */ \
  /** 0 means one thread, and print_plan reports it. A number above 1, set here or by */           \
  /** OMP_NUM_THREADS, then fails with HFFT_ERROR_THREAD_LEVEL. More than 4096 threads are */      \
  /** refused (HFFT_ERROR_ARGUMENT), because OpenMP ends a process if the system cannot start */   \
  /** them. No setting of OpenMP or FFTW changes. */                                               \
  HFFT_EXPORT int X(plan_with_nthreads)(int nthreads);                                             \
  /** Returns the last number of plan_with_nthreads (0: the default). Local. */                    \
  HFFT_EXPORT int X(planner_nthreads)(void);                                                       \
                                                                                                   \
  /** Limits the seconds of later planning. HFFT_NO_TIMELIMIT (the default) or any negative */     \
  /** number means no limit. The limit of rank 0 counts. At the limit the planner takes the */     \
  /** best plan so far; with 0 it times nothing. The library sets FFTW's own limit to the */       \
  /** remaining time while FFTW plans, and removes it afterwards. */                               \
  HFFT_EXPORT void X(set_timelimit)(double seconds);                                               \
                                                                                                   \
  /** Wisdom records the fastest plans by machine, library version, ranks, threads and problem. */ \
  /** Each process has one store for both precisions; the store of rank 0 counts. These */         \
  /** functions return 1 on success and 0 on failure, as FFTW's do. On failure */                  \
  /** last_error_message() returns the reason. An import refuses damaged text without any */       \
  /** change. The message then names the line, the value found and the value expected. */          \
  HFFT_EXPORT int X(export_wisdom_to_filename)(const char *filename);                              \
  /** Returns wisdom as a string; the caller frees it with free(). Returns NULL on failure. */     \
  HFFT_EXPORT char *X(export_wisdom_to_string)(void);                                              \
  /** @{ */                                                                                        \
  /** Add wisdom to the store. Of two entries for a problem, greater effort wins, at equal */      \
  /** effort the shorter time. Wisdom of other machines and versions is stored, but not used. */   \
  HFFT_EXPORT int X(import_wisdom_from_filename)(const char *filename);                            \
  HFFT_EXPORT int X(import_wisdom_from_string)(const char *text);                                  \
  /** @} */                                                                                        \
  /** Clears the wisdom in memory. The file named by HFFT_WISDOM is not read again. */             \
  HFFT_EXPORT void X(forget_wisdom)(void);                                                         \
  /** Adds the wisdom of rank 0 to the store of all ranks. Collective. */                          \
  HFFT_EXPORT int X(broadcast_wisdom)(MPI_Comm comm);                                              \
  /** Adds the wisdom of all ranks to the store of rank 0. Collective. */                          \
  HFFT_EXPORT int X(gather_wisdom)(MPI_Comm comm);                                                 \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Describe the plan: stages, kernels, exchange, bytes, ranks x threads, and the CPUs */        \
  /** available to this rank. A warning lists CPUs that other ranks use too. The caller frees */   \
  /** the string of sprint_plan with free(). Only print_plan and fprint_plan print, and only on */ \
  /** the calling rank. */                                                                         \
  HFFT_EXPORT void X(print_plan)(X(plan) plan);                                                    \
  HFFT_EXPORT void X(fprint_plan)(X(plan) plan, FILE * file);                                      \
  HFFT_EXPORT char *X(sprint_plan)(X(plan) plan);                                                  \
  /** @} */                                                                                        \
                                                                                                   \
  /** Counts the ranks with data in each stage. Sets *most to the largest count, *fewest to */     \
  /** the smallest. Local. */                                                                      \
  HFFT_EXPORT int X(plan_working_ranks)(X(plan) plan, int *most, int *fewest);                     \
  /** Starts (from zero) or stops timing the stages of later executions. Without profiling a */    \
  /** plan measures no times and runs at full speed. */                                            \
  HFFT_EXPORT int X(plan_set_profiling)(X(plan) plan, int on);                                     \
  /** Sets count (may be NULL) to the number of stages on this rank, and fills at most */          \
  /** `capacity` entries of `stages`, in their order. stages[0].size is the size of the */         \
  /** caller's structures. A size below that of version 0.3 fails with HFFT_ERROR_ARGUMENT on */   \
  /** all ranks. Collective. With stages == NULL the call only counts and is local. */             \
  HFFT_EXPORT int X(plan_profile)(X(plan) plan, struct hfft_stage_profile * stages, int capacity,  \
                                  int *count);                                                     \
  /** Returns the bytes of the plan's own work space on this rank, without in, out and a shared */ \
  /** hfft_work. */                                                                                \
  HFFT_EXPORT size_t X(plan_work_bytes)(X(plan) plan);                                             \
  /** Returns the bytes of a shared hfft_work that the plan uses, or would use, on this rank. */   \
  /** 0 for NULL. Local. */                                                                        \
  HFFT_EXPORT size_t X(plan_work_size)(X(plan) plan);                                              \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Allocate 64-byte aligned memory. The threads of the next plan zero it (first touch), */      \
  /** each thread its own part. Return NULL if memory is exhausted or the size overflows. */       \
  HFFT_EXPORT void *X(malloc)(size_t bytes);                                                       \
  HFFT_EXPORT R *X(alloc_real)(size_t n);                                                          \
  HFFT_EXPORT C *X(alloc_complex)(size_t n);                                                       \
  /** @} */                                                                                        \
  /** Frees memory of malloc, alloc_real or alloc_complex. NULL is allowed. Local. */              \
  HFFT_EXPORT void X(free)(void *p);                                                               \
                                                                                                   \
  /** Returns the description of a code of enum hfft_error. For other numbers it returns a */      \
  /** sentence that says so. Local. */                                                             \
  HFFT_EXPORT const char *X(error_string)(int code);                                               \
  /** Returns the code of this thread's last failed call, HFFT_SUCCESS before the first. Local. */ \
  HFFT_EXPORT int X(last_error)(void);                                                             \
  /** Returns the reason of this thread's last failed call, valid until its next call fails. */    \
  /** Local. */                                                                                    \
  HFFT_EXPORT const char *X(last_error_message)(void);

#define HFFT_MANGLE_DOUBLE(name) hfft_##name ///< names of functions in double precision
#define HFFT_MANGLE_FLOAT(name) hfftf_##name ///< names of functions in single precision

#ifdef __cplusplus
extern "C" {
#endif

HFFT_DEFINE_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)

/// Methods for a transform along an axis of n points, from fast to slow.
enum hfft_length_kind {
  HFFT_LENGTH_FAST = 0,       ///< kernels for prime factors up to 13
  HFFT_LENGTH_KERNELS = 1,    ///< kernels for larger prime factors; slower
  HFFT_LENGTH_CONVOLUTION = 2 ///< a convolution, because a prime factor has no kernel
};
/// Returns the method for n points; for n below 1 the method for 1.
HFFT_EXPORT enum hfft_length_kind hfft_kind_of_length(ptrdiff_t n);
/// Returns the smallest n' >= n (at least 1) with HFFT_LENGTH_FAST, for programs free to choose n.
/// \return 0 and HFFT_ERROR_OVERFLOW for n above 9223306985706024960, the largest such length below
///   2^63
HFFT_EXPORT ptrdiff_t hfft_next_fast_length(ptrdiff_t n);

/// Returns the version of the loaded library: "major.minor.patch".
HFFT_EXPORT const char *hfft_version(void);
/// Returns a description of the library for bug reports: build options, FFTW, SIMD in use; several
/// lines.
HFFT_EXPORT const char *hfft_build_info(void);

#ifdef __cplusplus
}
#endif

#include "hybridfft/layout.h" // transforms between any two layouts

#endif
