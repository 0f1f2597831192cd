/// \file hybridfft.h
/// C API of HybridFFT: distributed FFTs over MPI processes and OpenMP threads.
///
/// The calls are those of FFTW's MPI interface (FFTW 3.3 manual, chapter 6): replace the prefix
/// `fftw_mpi_` (and `fftw_` of the functions named here) by `hfft_`, `fftwf_mpi_` by `hfftf_`.
/// Argument order, flags, block distribution, padding of real data and normalisation (none) are
/// FFTW's. Differences are documented at each declaration.
///
/// Conventions
///  - n0 x n1 x ... row-major, the last dimension contiguous, `howmany` values of each point
///    interleaved (fastest).
///  - Input is cut along n0 in blocks of ceil(n0/P) (or `block`) over the P ranks of `comm`;
///    trailing ranks may be empty. A block of n0 or more is rank 0's (FFTW 3.3.10 reports that
///    every rank has it). HFFT_TRANSPOSED_OUT: the output is stored n1 x n0 x ..., cut along n1;
///    HFFT_TRANSPOSED_IN likewise for the input.
///  - r2c and c2r: the last dimension of the real array is padded to 2*(n/2+1), in and out of
///    place; the complex array has n/2+1 there. Block sizes refer to n0 (and n1) of the array
///    that is cut.
///  - Every array holds at least the number of complex elements that local_size_* returns (twice
///    as many reals; the larger number where iblock and oblock differ): the library uses the
///    whole of the output array as work space.
///  - Plan creation and destruction, and execution are collective over the plan's communicator.
///    Local sizes are computed without communication.
///
/// Threads
///  - Calls of the library come from one thread of a rank at a time. With MPI_THREAD_MULTIPLE
///    several threads may make, execute and destroy plans at the same time, each on communicators
///    of its own and in any order on the ranks. FFTW's exchange (HFFT_EXCHANGE=fftw) is not used
///    then, and HFFT_TRACE shows the plans of one thread.
///  - A child that fork() makes of a process that runs MPI has no threads and no messages: all calls
///    but malloc and free are HFFT_ERROR_MPI_NOT_RUNNING there.
///  - The settings of plan_with_nthreads() and set_timelimit(), and wisdom, belong to the process.
///
/// Ranks
///  - They need not be alike. Plans use features that all ranks have: instruction sets, caches.
///  - Where environment variables differ, those of rank 0 of the communicator count, but for
///    OMP_NUM_THREADS, which is each rank's own, and HFFT_SIMD: the best set that all have counts.
///
/// Errors
///  - A plan call that fails, fails on every rank of its communicator with the same code and
///    returns NULL. local_size_* return -1, the others the code. Execution does not spend messages
///    on agreeing: an error of one rank is reported on that rank only. The library never prints
///    (but print_plan), exits or aborts, with one exception:
///  - Executing, starting, testing or waiting for a NULL plan calls the error handler of
///    MPI_COMM_WORLD, because programs written for FFTW look neither at plans nor at codes. Its
///    error code has the message of hfft_last_error_message() (MPI_Error_string), the reason why
///    the last plan failed. MPI's default handler ends the job, after the same words on standard
///    error; with MPI_ERRORS_RETURN the call returns HFFT_ERROR_NULL_POINTER. C++ plans throw
///    instead.
///  - Failures of MPI are returned, whatever the error handlers of the program are: messages
///    travel on a duplicate of the communicator. MPICH passes failures of waiting to the handler of
///    MPI_COMM_WORLD, which is MPI_ERRORS_RETURN while the library waits. With
///    MPI_THREAD_MULTIPLE it stays the program's, whose default one ends the job.
///  - hfft_last_error() is the code of this thread's last failed call,
///    hfft_last_error_message() the reason in words.
#ifndef HYBRIDFFT_HYBRIDFFT_H
#define HYBRIDFFT_HYBRIDFFT_H

#include <stddef.h>
#include <stdio.h>

#include "hybridfft/error.h"
#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"
#include "hybridfft/options.h"
#include "hybridfft/version.h"

/// Complex numbers as in FFTW: C99's when <complex.h> came first, else pairs (re, im).
/// std::complex<double> has the same layout: cast the pointer.
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
#define HFFT_MEASURE (0U)             ///< time candidates; overwrites in and out while planning
#define HFFT_DESTROY_INPUT (1U << 0)  ///< out of place, the input may be overwritten
#define HFFT_UNALIGNED (1U << 1)      ///< new arrays may have any alignment
#define HFFT_EXHAUSTIVE (1U << 3)     ///< widest search
#define HFFT_PRESERVE_INPUT (1U << 4) ///< out of place, the input is kept (always true here)
#define HFFT_PATIENT (1U << 5)        ///< wider search
#define HFFT_ESTIMATE (1U << 6)       ///< no timing; arrays stay untouched while planning
#define HFFT_WISDOM_ONLY (1U << 21)   ///< a plan that is in wisdom, or none (NULL)
#define HFFT_DETERMINISTIC                                                                         \
  (1U << 22)                        ///< not FFTW's: the same bits for any number of ranks, threads
#define HFFT_WIRE_SINGLE (1U << 23) ///< double plans: messages in single precision, see below
#define HFFT_WIRE_BFLOAT16 (1U << 24)  ///< single plans: messages in bfloat16
#define HFFT_WIRE_HALF (1U << 25)      ///< single plans: messages in half precision, scaled
#define HFFT_NONBLOCKING (1U << 26)    ///< not FFTW's: for execute_start, see there
#define HFFT_TRANSPOSED_IN (1U << 29)  ///< input stored n1 x n0 x ..., cut along n1
#define HFFT_TRANSPOSED_OUT (1U << 30) ///< output stored n1 x n0 x ..., cut along n1

/// Reduced precision on the wire (the HFFT_WIRE_ flags, not FFTW's) halves the bytes of all
/// messages between ranks; arithmetic and arrays keep their precision. Numbers are rounded to
/// nearest, ties to even, as they are packed. The relative error, in the L2 norm, that each of the
/// plan's E exchanges adds is at most u = 2^-24 (single), 2^-8 (bfloat16) or 2^-11 (half): E = 1
/// for transposed output (or input), 2 for normal order, 0 on one rank; between other layouts than
/// slabs, as many as print_plan() lists. Transforms are unitary but for a factor, so that the
/// result differs from that of the full plan by at most (1 + u)^E - 1.
///  - Half precision has a scale, a power of two, in each message: numbers down to 2^-29 of the
///    largest one keep 11 bits, smaller ones have an absolute error of at most 2^-39 times it.
///  - Single precision reaches to 3.4e38 and to 1.2e-38: beyond are infinity and, below, bits lost.
///    Infinity and NaN are kept.
///  - Self-copies of a rank are not rounded, so that the result depends on the number of ranks;
///    with HFFT_DETERMINISTIC they are, on one rank too, and all bits are the same again. Half is
///    refused then: its scales depend on the messages; and so are other layouts than slabs, where
///    the number of ranks decides on the exchanges.
///  - Such plans exchange by messages (`pipelined`), even within a node. They are filed apart in
///    wisdom.

/// Argument of set_timelimit(): as long as planning needs.
#define HFFT_NO_TIMELIMIT (-1.0)

/// One stage of a plan in a profile: an FFT along some dimensions, a copy, or an exchange between
/// ranks. Later versions add members at the end: `size` gives the version that the caller was
/// compiled with.
struct hfft_stage_profile {
  size_t size;         ///< sizeof(struct hfft_stage_profile), set by the caller; 0: that of 0.3
  const char *name;    ///< "planes", "columns", "exchange", ...; valid as long as the plan
  long long calls;     ///< executions of the plan since profiling started
  double seconds;      ///< this rank's time in all of them, without that of other stages meanwhile
  double min_seconds;  ///< the least over the ranks that have this stage
  double mean_seconds; ///< their mean
  double max_seconds;  ///< and the most
  double bytes;        ///< per call that this rank reads and writes, each element once
  double flops;        ///< per call of this rank, 5 n log2 n, for real data half of that
};

/// The functions of one precision. X mangles a name, R is the real and C the complex type.
#define HFFT_DEFINE_API(X, R, C)                                                                   \
  /** A plan, made by one of the functions plan_..., and ended by destroy_plan. */                 \
  typedef struct X(plan_s) * X(plan);                                                              \
                                                                                                   \
  /** Checks that MPI runs. Optional: the first other call does it too. Local. */                  \
  HFFT_EXPORT int X(init)(void);                                                                   \
  /** Forgets cached communicators. Plans that are still alive stay valid. Collective. */          \
  HFFT_EXPORT void X(cleanup)(void);                                                               \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Local sizes: return the number of complex elements to allocate on this rank (at least 1). */ \
  /** Empty ranks get local_n = 0 and start = n (FFTW: 0). For r2c and c2r pass the complex */     \
  /** extents, n[rnk-1]/2+1 last, as with FFTW. Result pointers that are NULL are left out. */     \
  /** Local. */                                                                                    \
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
  /** The plan of a transform between slabs, of which the plan_ functions below are short */       \
  /** forms. `kind` is one of enum hfft_kind; n are the extents of the grid, real ones for r2c */  \
  /** and c2r; in and out are arrays of the kind's types, and the same in place; sign is that */   \
  /** of c2c. options may be NULL: the defaults. Its axes must be NULL. NULL when it fails: bad */ \
  /** arguments, or options whose size is none of a version (HFFT_ERROR_ARGUMENT) or which set */  \
  /** members that this version does not have (HFFT_ERROR_UNSUPPORTED). Collective. */             \
  HFFT_EXPORT X(plan) X(plan_slabs)(int kind, int rnk, const ptrdiff_t *n, void *in, void *out,    \
                                    MPI_Comm comm, int sign, const struct hfft_options *options);  \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Complex to complex. iblock and oblock cut the distributed dimension of the input and of */   \
  /** the output; HFFT_DEFAULT_BLOCK is ceil(n/P). in == out is in place. Collective. */           \
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
  /** Real to complex (forward). n are the real extents. Collective. */                            \
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
  /** Complex to real (backward). n are the real extents. Collective. */                           \
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
  /** Pruned transforms, of 2 or 3 dimensions: the grid has n points. The spectrum keeps the */    \
  /** modes[i] <= n[i] lowest frequencies along axis i, in an array of as many modes in the */     \
  /** usual order: 0, 1, ..., then the negative ones. Forward (sign -1, r2c) leaves the others */  \
  /** out, backward (sign +1, c2r) takes them for zero: as dealiasing by the 3/2 or the 2/3 */     \
  /** rule needs. Lines that are left out are neither transformed nor sent. For an even */         \
  /** modes[i] < n[i] the mode modes[i]/2, which stands for two of opposite signs, is not kept: */ \
  /** forward makes it zero, backward takes it for zero. For r2c and c2r n and modes are real */   \
  /** extents: the spectrum has modes[rnk-1]/2+1 points along the last axis. Transposition, */     \
  /** blocks and the missing normalisation are as above, each array with its own extents. */       \
  /** Collective. */                                                                               \
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
  /** Complex elements to allocate for the grid of a pruned transform and, in place, for both */   \
  /** arrays; for the spectrum of one out of place use local_size_many_transposed. n and modes */  \
  /** are complex extents here; block0 and block1 cut the first two dimensions. */                 \
  HFFT_EXPORT ptrdiff_t X(local_size_pruned)(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes,  \
                                             ptrdiff_t howmany, ptrdiff_t block0,                  \
                                             ptrdiff_t block1, MPI_Comm comm);                     \
  /** @{ */                                                                                        \
  /** Execution on the planned arrays, or on new ones that are in place (or not) as planned and */ \
  /** as large; any alignment is accepted. Collective. Returns an error code. */                   \
  HFFT_EXPORT int X(execute)(X(plan) plan);                                                        \
  HFFT_EXPORT int X(execute_dft)(X(plan) plan, C * in, C * out);                                   \
  HFFT_EXPORT int X(execute_dft_r2c)(X(plan) plan, R * in, C * out);                               \
  HFFT_EXPORT int X(execute_dft_c2r)(X(plan) plan, C * in, R * out);                               \
  /** @} */                                                                                        \
  /** @{ */                                                                                        \
  /** Executions in the background: execute_start begins one and returns as soon as it has to */   \
  /** wait for messages, execute_wait ends it. Several plans may be under way at once, each */     \
  /** once, between slabs and any other layouts. All ranks start the same ones in the same */      \
  /** order, and may wait in any order, also before they start the next one. Plans with */         \
  /** HFFT_NONBLOCKING send messages that travel meanwhile; other plans may do all there is to */  \
  /** do within execute_start, after the rest of the executions that have been started before, */  \
  /** and one rank does. Progress is made by the calling thread, within execute_test and */        \
  /** execute_wait of any plan, for all that are under way in the process; no threads of the */    \
  /** library's or of MPI's are relied on. With MPI_THREAD_MULTIPLE that is for all that the */    \
  /** thread has started; another thread that tests or waits for one takes it over. A call */      \
  /** of execute_test every few milliseconds keeps large messages moving; it does the */           \
  /** transforms that have become possible, starts the next exchange, and sets *done to 1 if */    \
  /** only execute_wait is left, else to 0. Until that has returned the arrays belong to the */    \
  /** plan. A plain execute does not move the others on: no rank may enter one before a wait */    \
  /** that another rank enters after it. HFFT_ERROR_ARGUMENT: starting or executing a plan that */ \
  /** is under way, testing or waiting for one that is not, and starting a plan for the first */   \
  /** time beside some 3500 of its communicator (510 where MPI has tags up to 32767 only) that */  \
  /** have been started and not destroyed. */                                                      \
  HFFT_EXPORT int X(execute_start)(X(plan) plan);                                                  \
  HFFT_EXPORT int X(execute_start_dft)(X(plan) plan, C * in, C * out);                             \
  HFFT_EXPORT int X(execute_start_dft_r2c)(X(plan) plan, R * in, C * out);                         \
  HFFT_EXPORT int X(execute_start_dft_c2r)(X(plan) plan, C * in, R * out);                         \
  HFFT_EXPORT int X(execute_test)(X(plan) plan, int *done);                                        \
  HFFT_EXPORT int X(execute_wait)(X(plan) plan);                                                   \
  /** @} */                                                                                        \
  /** 1 between execute_start and execute_wait, else 0. Local. */                                  \
  HFFT_EXPORT int X(plan_under_way)(X(plan) plan);                                                 \
  /** NULL is allowed. A plan that is under way is not destroyed: last_error() is set.             \
   * Collective. */                                                                                \
  HFFT_EXPORT void X(destroy_plan)(X(plan) plan);                                                  \
                                                                                                   \
  /** Threads per rank of plans made from now on; 0 (the default) means OMP_NUM_THREADS, but at */ \
  /** most 4096, and where that is not set OpenMP's default number, or one thread where MPI */     \
  /** provides less than MPI_THREAD_FUNNELED; print_plan reports that. A number above 1 that */    \
  /** was set, here or by OMP_NUM_THREADS, is HFFT_ERROR_THREAD_LEVEL there. More than 4096 are */ \
  /** refused (HFFT_ERROR_ARGUMENT), because OpenMP ends a process for which the system does */    \
  /** not start them. Changes no setting of OpenMP or FFTW. */                                     \
  HFFT_EXPORT int X(plan_with_nthreads)(int nthreads);                                             \
  /** The number that plan_with_nthreads set last (0: the default). Local. */                      \
  HFFT_EXPORT int X(planner_nthreads)(void);                                                       \
                                                                                                   \
  /** Seconds that planning may take from now on; HFFT_NO_TIMELIMIT (the default) or any */        \
  /** negative number: as long as it needs. The limit of rank 0 counts. The plan that is best */   \
  /** by then is taken; with 0 nothing is timed. FFTW's own limit is set for its part of the */    \
  /** planning, and lifted afterwards. */                                                          \
  HFFT_EXPORT void X(set_timelimit)(double seconds);                                               \
                                                                                                   \
  /** Wisdom: which plans were the fastest, by machine, library version, ranks, threads and */     \
  /** problem; one store for both precisions, in each process, of which that of rank 0 counts. */  \
  /** These return 1 when they succeed and 0 when not, as FFTW's do; last_error() has the */       \
  /** reason. Text that is damaged is refused, naming line, value and what was expected, and */    \
  /** changes nothing. */                                                                          \
  HFFT_EXPORT int X(export_wisdom_to_filename)(const char *filename);                              \
  /** The caller free()s the string; NULL on failure. */                                           \
  HFFT_EXPORT char *X(export_wisdom_to_string)(void);                                              \
  /** @{ */                                                                                        \
  /** Adds wisdom to the store; if both have a problem, the greater effort wins, then the */       \
  /** lesser time. Wisdom of other machines and versions is kept, but not used. */                 \
  HFFT_EXPORT int X(import_wisdom_from_filename)(const char *filename);                            \
  HFFT_EXPORT int X(import_wisdom_from_string)(const char *text);                                  \
  /** @} */                                                                                        \
  /** Clears the wisdom in memory; the file that HFFT_WISDOM names is not read again. */           \
  HFFT_EXPORT void X(forget_wisdom)(void);                                                         \
  /** Adds the wisdom of rank 0 to that of all ranks. Collective. */                               \
  HFFT_EXPORT int X(broadcast_wisdom)(MPI_Comm comm);                                              \
  /** Adds the wisdom of all ranks to that of rank 0. Collective. */                               \
  HFFT_EXPORT int X(gather_wisdom)(MPI_Comm comm);                                                 \
                                                                                                   \
  /** @{ */                                                                                        \
  /** The plan in words: stages, kernels, exchange, bytes, ranks x threads, and the CPUs that */   \
  /** this rank may run on, with a warning where ranks share some. sprint_plan's string is the */  \
  /** caller's to free(). Only these three write anything, and only on the calling rank. */        \
  HFFT_EXPORT void X(print_plan)(X(plan) plan);                                                    \
  HFFT_EXPORT void X(fprint_plan)(X(plan) plan, FILE * file);                                      \
  HFFT_EXPORT char *X(sprint_plan)(X(plan) plan);                                                  \
  /** @} */                                                                                        \
                                                                                                   \
  /** The numbers of ranks that hold data in the busiest stage and in the idlest one. Local. */    \
  HFFT_EXPORT int X(plan_working_ranks)(X(plan) plan, int *most, int *fewest);                     \
  /** Starts to measure the stages of the following executions, from zero, or stops. Without */    \
  /** profiling a plan measures nothing and loses no time. */                                      \
  HFFT_EXPORT int X(plan_set_profiling)(X(plan) plan, int on);                                     \
  /** The number of stages that the plan has on this rank, into count (may be NULL), and the */    \
  /** times of the first of them, at most capacity, in their order. stages[0].size is the size */  \
  /** of the caller's structures; less than those of 0.3 are HFFT_ERROR_ARGUMENT on all ranks. */  \
  /** Collective; but with stages == NULL, which only counts, it is local. */                      \
  HFFT_EXPORT int X(plan_profile)(X(plan) plan, struct hfft_stage_profile * stages, int capacity,  \
                                  int *count);                                                     \
  /** Bytes of work space that the plan owns on this rank, without in and out, and without a */    \
  /** hfft_work that it shares with others. */                                                     \
  HFFT_EXPORT size_t X(plan_work_bytes)(X(plan) plan);                                             \
  /** Bytes that the plan takes, or would take, of a hfft_work on this rank. 0 for NULL. Local. */ \
  HFFT_EXPORT size_t X(plan_work_size)(X(plan) plan);                                              \
                                                                                                   \
  /** @{ */                                                                                        \
  /** 64-byte aligned memory, first touched (zeroed) by the threads that the next plan would */    \
  /** use, each its own part. NULL when there is none or the size overflows. */                    \
  HFFT_EXPORT void *X(malloc)(size_t bytes);                                                       \
  HFFT_EXPORT R *X(alloc_real)(size_t n);                                                          \
  HFFT_EXPORT C *X(alloc_complex)(size_t n);                                                       \
  /** @} */                                                                                        \
  /** Frees what malloc, alloc_real or alloc_complex has returned. NULL is allowed. Local. */      \
  HFFT_EXPORT void X(free)(void *p);                                                               \
                                                                                                   \
  /** One of enum hfft_error in words; a sentence for other numbers too. Local. */                 \
  HFFT_EXPORT const char *X(error_string)(int code);                                               \
  /** The code of this thread's last failed call, HFFT_SUCCESS before the first. Local. */         \
  HFFT_EXPORT int X(last_error)(void);                                                             \
  /** The reason of this thread's last failed call, valid until its next call fails. Local. */     \
  HFFT_EXPORT const char *X(last_error_message)(void);

#define HFFT_MANGLE_DOUBLE(name) hfft_##name ///< names of functions in double precision
#define HFFT_MANGLE_FLOAT(name) hfftf_##name ///< names of functions in single precision

#ifdef __cplusplus
extern "C" {
#endif

HFFT_DEFINE_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)

/// The parts of transforms along an axis of n points, from fast to slow.
enum hfft_length_kind {
  HFFT_LENGTH_FAST = 0,       ///< kernels for prime factors up to 13
  HFFT_LENGTH_KERNELS = 1,    ///< kernels for larger prime factors, which are slower
  HFFT_LENGTH_CONVOLUTION = 2 ///< a convolution: some prime factor has no kernel
};
/// The kind of the transform of n points; for n below 1 that of 1.
HFFT_EXPORT enum hfft_length_kind hfft_kind_of_length(ptrdiff_t n);
/// The smallest n' >= n, 1 for less, with HFFT_LENGTH_FAST: for those who may choose. 0, with
/// HFFT_ERROR_OVERFLOW, for n above 9223306985706024960, the largest one of 63 bits.
HFFT_EXPORT ptrdiff_t hfft_next_fast_length(ptrdiff_t n);

/// "major.minor.patch" of the library that is loaded.
HFFT_EXPORT const char *hfft_version(void);
/// A description of the library for bug reports: build options, FFTW, SIMD in use; several lines.
HFFT_EXPORT const char *hfft_build_info(void);

#ifdef __cplusplus
}
#endif

#include "hybridfft/layout.h" // transforms between any two layouts

#endif
