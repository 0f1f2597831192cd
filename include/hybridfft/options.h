/// \file options.h
/// Options and shared work spaces of plans, for plan_slabs in hybridfft.h and plan_layouts in
/// layout.h. A program uses them to set threads, scale, time limit or modes of one plan.
/// hybridfft.h includes this file.
#ifndef HYBRIDFFT_OPTIONS_H
#define HYBRIDFFT_OPTIONS_H

#include <stddef.h>

#include "hybridfft/export.h"

/// The kind of a transform: whether its input and output are complex or real.
enum hfft_kind {
  HFFT_C2C = 0, ///< complex to complex, in the direction of a sign
  HFFT_R2C = 1, ///< real to complex, forward
  HFFT_C2R = 2, ///< complex to real, backward
  HFFT_R2R = 3  ///< real to real, with a kind of enum hfft_r2r_kind along each axis
};

/// The transform along one axis, with FFTW's numbers and definitions of the kinds between reals
/// (FFTW 3.3 manual, section 4.8). None is normalised: a transform and its inverse, one after the
/// other, multiply by the length N of the logical DFT.
enum hfft_r2r_kind {
  HFFT_DFT = -1,    ///< Fourier transform of complex numbers
  HFFT_R2HC = 0,    ///< Fourier transform of a real line: real parts of n/2+1 modes, then imaginary
                    ///< parts, last mode first; N = n; inverse HFFT_HC2R
  HFFT_HC2R = 1,    ///< inverse of HFFT_R2HC
  HFFT_DHT = 2,     ///< discrete Hartley transform; N = n; its own inverse
  HFFT_REDFT00 = 3, ///< DCT-I, n >= 2; N = 2(n-1); its own inverse
  HFFT_REDFT01 = 4, ///< DCT-III; N = 2n; inverse HFFT_REDFT10
  HFFT_REDFT10 = 5, ///< DCT-II, "the" DCT; N = 2n; inverse HFFT_REDFT01
  HFFT_REDFT11 = 6, ///< DCT-IV; N = 2n; its own inverse
  HFFT_RODFT00 = 7, ///< DST-I; N = 2(n+1); its own inverse
  HFFT_RODFT01 = 8, ///< DST-III; N = 2n; inverse HFFT_RODFT10
  HFFT_RODFT10 = 9, ///< DST-II; N = 2n; inverse HFFT_RODFT01
  HFFT_RODFT11 = 10 ///< DST-IV; N = 2n; its own inverse
};

/// Handle of a work space: buffers that several plans share. hfft_work_create() makes one.
typedef struct hfft_work_s *hfft_work; // NOLINT(modernize-use-using): this is C

/// Options of a plan. Later versions append members whose default has no effect. `size` identifies
/// the version of the calling program, so programs stay valid with later libraries. The planner
/// reads the pointers while it makes the plan, and not afterwards.
struct hfft_options {
  size_t size;       ///< sizeof(struct hfft_options); HFFT_OPTIONS_INIT sets it
  unsigned flags;    ///< planner flags of hybridfft.h; default HFFT_MEASURE
  int threads;       ///< threads per rank; 0, the default: the number of plan_with_nthreads()
  double time_limit; ///< seconds for planning, rank 0's value; negative (default): as set by
                     ///< set_timelimit()
  double scale;      ///< factor of the result, applied in the last transform's pass; finite;
                     ///< default 1
  ptrdiff_t howmany; ///< interleaved values per point, for slabs; default 1
  ptrdiff_t iblock;  ///< block of the distributed input axis, for slabs; 0, the default: ceil(n/P)
  ptrdiff_t oblock;  ///< block of the distributed output axis, for slabs; 0, the default: ceil(n/P)
  const ptrdiff_t *modes; ///< retained modes, one number per axis; NULL, the default: all modes
  const int *axes;        ///< `naxes` axes to transform, for layouts; NULL, the default: all
  int naxes;              ///< 0 with non-NULL axes: the plan only redistributes the array
  hfft_work work;         ///< shared work space; NULL, the default: the plan's own
  const int *kinds; ///< transform of each axis (of each of `axes`), of enum hfft_r2r_kind; NULL,
                    ///< the default: Fourier transforms
};

/// The defaults: `struct hfft_options options = HFFT_OPTIONS_INIT;`.
#define HFFT_OPTIONS_INIT                                                                          \
  { sizeof(struct hfft_options), 0U, 0, -1.0, 1.0, 1, 0, 0, NULL, NULL, 0, NULL, NULL }

#ifdef __cplusplus
extern "C" {
#endif

/// Sets all members to their defaults. It is HFFT_OPTIONS_INIT as a function, for other languages.
/// Local.
/// \param options structure of this version's size; NULL is allowed
HFFT_EXPORT void hfft_options_init(struct hfft_options *options);

/// Creates a work space. Plans with this work space in their options, of either precision, take
/// their buffers from it. One plan uses it at a time, so its size is the largest need of these
/// plans. The library owns the memory, and plan creation enlarges it, until hfft_work_set_memory()
/// is called. All ranks of a plan's communicator pass a work space, or none does
/// (HFFT_ERROR_MISMATCH). Between execute_start and execute_wait it belongs to the active
/// execution. Execution of other plans and plan creation with it then fail with
/// HFFT_ERROR_ARGUMENT. It is not thread-safe: one thread uses it at a time. Local.
/// \return NULL if memory is exhausted (HFFT_ERROR_OUT_OF_MEMORY)
HFFT_EXPORT hfft_work hfft_work_create(void);
/// Destroys the handle. Plans of the work space keep the library's memory. Memory of
/// hfft_work_set_memory() belongs to the user, who keeps it until these plans are destroyed. Local.
/// \param work NULL is allowed
HFFT_EXPORT void hfft_work_destroy(hfft_work work);
/// Returns the bytes on this rank for the plans made so far with this work space. It is the minimum
/// for hfft_work_set_memory(). Local.
/// \return 0 and HFFT_ERROR_NULL_POINTER for NULL
HFFT_EXPORT size_t hfft_work_size(hfft_work work);
/// Replaces the memory of the work space by the user's and frees the library's memory. Creation of
/// plans with a larger need then fails on all ranks with HFFT_ERROR_ARGUMENT. Local: other ranks
/// are not notified.
/// \param work the work space
/// \param memory user memory, aligned to 64 bytes; NULL returns to memory of the library
/// \param bytes size of the memory, at least hfft_work_size()
/// \return HFFT_ERROR_ARGUMENT if the memory is too small or misaligned, or if an active execution
///   uses the work space: nothing changes; HFFT_ERROR_NULL_POINTER; HFFT_ERROR_OUT_OF_MEMORY
HFFT_EXPORT int hfft_work_set_memory(hfft_work work, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
