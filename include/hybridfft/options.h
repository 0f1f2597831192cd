/// \file options.h
/// Options of plans beyond their problem, for plan_slabs and plan_layouts in
/// hybridfft.h and layout.h. Included by hybridfft.h.
#ifndef HYBRIDFFT_OPTIONS_H
#define HYBRIDFFT_OPTIONS_H

#include <stddef.h>

#include "hybridfft/export.h"

/// The kind of a transform: which of its arrays are complex.
enum hfft_kind {
  HFFT_C2C = 0, ///< complex to complex, in the direction of a sign
  HFFT_R2C = 1, ///< real to complex, forward
  HFFT_C2R = 2  ///< complex to real, backward
};

/// Memory for data between the steps of plans, which they share. See hfft_work_create().
typedef struct hfft_work_s *hfft_work; // NOLINT(modernize-use-using): this is C

/// Options of a plan. Later versions add members at the end, with defaults that change nothing:
/// `size` gives the version that the calling program was compiled with, so that it stays right with
/// every later library. Pointers are read while the plan is made, and not afterwards.
struct hfft_options {
  size_t size;       ///< sizeof(struct hfft_options); HFFT_OPTIONS_INIT sets it
  unsigned flags;    ///< planner flags of hybridfft.h; default HFFT_MEASURE
  int threads;       ///< per rank; 0, the default: the number of plan_with_nthreads()
  double time_limit; ///< seconds for planning, of rank 0; negative, the default: set_timelimit()'s
  double scale;      ///< factor of the result, in the last transform's pass; finite; default 1
  ptrdiff_t howmany; ///< interleaved values per point, for slabs; default 1
  ptrdiff_t iblock; ///< block of the axis that cuts the input, for slabs; 0, the default: ceil(n/P)
  ptrdiff_t oblock; ///< the same for the output
  const ptrdiff_t *modes; ///< modes to keep, one number per axis; NULL, the default: all modes
  const int *axes;        ///< `naxes` axes to transform, for layouts; NULL, the default: all
  int naxes;              ///< 0 with axes that are not NULL: the array is only redistributed
  hfft_work work;         ///< work space that plans share; NULL, the default: the plan's own
};

/// The defaults: `struct hfft_options options = HFFT_OPTIONS_INIT;`.
#define HFFT_OPTIONS_INIT                                                                          \
  { sizeof(struct hfft_options), 0U, 0, -1.0, 1.0, 1, 0, 0, NULL, NULL, 0, NULL }

#ifdef __cplusplus
extern "C" {
#endif

/// Sets all members to their defaults: HFFT_OPTIONS_INIT as a function, for other languages.
/// Local. \param options to be set, of this version's size; NULL is allowed.
HFFT_EXPORT void hfft_options_init(struct hfft_options *options);

/// A work space: plans that have it in their options, of either precision, take their buffers from
/// it, one after another, so that it is as large as the largest of them needs. Its memory is the
/// library's own and grows when plans are made, until hfft_work_set_memory() is called. All ranks
/// of a plan's communicator give one, or none (HFFT_ERROR_MISMATCH). Between execute_start and
/// execute_wait it belongs to that execution: on other plans execute and execute_start, and making
/// plans with it, are HFFT_ERROR_ARGUMENT then. Not thread-safe: one thread uses it at a time.
/// Local.
/// \return NULL where there is no memory (HFFT_ERROR_OUT_OF_MEMORY)
HFFT_EXPORT hfft_work hfft_work_create(void);
/// Plans that have it keep the memory, but for that of hfft_work_set_memory(), which is the user's
/// to keep as long as there are such plans. NULL is allowed. Local.
HFFT_EXPORT void hfft_work_destroy(hfft_work work);
/// Bytes that the plans made so far with this work space need on this rank: the least that
/// hfft_work_set_memory() accepts. 0, with HFFT_ERROR_NULL_POINTER, for NULL. Local.
HFFT_EXPORT size_t hfft_work_size(hfft_work work);
/// Replaces the work space's memory by the user's: `bytes` bytes, at least hfft_work_size() of
/// them, on a boundary of 64 bytes. Its memory before is freed, if it was the library's. Plans that
/// need more fail on all ranks, with HFFT_ERROR_ARGUMENT. Local: other ranks are not notified.
/// \param memory NULL: the library's own again
/// \return HFFT_ERROR_ARGUMENT, and nothing has changed, where the memory is too small or lies on
///         another boundary, or while an execution that has been started uses the work space;
///         HFFT_ERROR_NULL_POINTER; HFFT_ERROR_OUT_OF_MEMORY
HFFT_EXPORT int hfft_work_set_memory(hfft_work work, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
