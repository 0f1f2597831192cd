/// \file options.h
/// What plans may be asked beyond their problem: the options of plan_slabs and plan_layouts in
/// hybridfft.h and layout.h. Included by hybridfft.h.
#ifndef HYBRIDFFT_OPTIONS_H
#define HYBRIDFFT_OPTIONS_H

#include <stddef.h>

#include "hybridfft/export.h"

/// The kind of a transform: which of its arrays are complex.
enum hfft_kind {
  HFFT_C2C = 0, ///< complex to complex, in the direction that a sign says
  HFFT_R2C = 1, ///< real to complex, forward
  HFFT_C2R = 2  ///< complex to real, backward
};

/// Options of a plan. Later versions add members at the end, with defaults that change nothing:
/// `size` says which ones the program that is calling was compiled with, so that it stays right
/// with every later library. Pointers are read while the plan is made, and not afterwards.
struct hfft_options {
  size_t size;       ///< sizeof(struct hfft_options); HFFT_OPTIONS_INIT sets it
  unsigned flags;    ///< planner flags of hybridfft.h; default HFFT_MEASURE
  int threads;       ///< per rank; 0, the default: what plan_with_nthreads() says
  double time_limit; ///< seconds for planning, of rank 0; negative, the default: set_timelimit()'s
  double scale;      ///< factor of the result, in the last transform's pass; finite; default 1
  ptrdiff_t howmany; ///< of slabs: interleaved values per point; default 1
  ptrdiff_t iblock;  ///< of slabs: block of the axis that cuts the input; 0, the default: ceil(n/P)
  ptrdiff_t oblock;  ///< of slabs: the same of the output
  const ptrdiff_t *modes; ///< of pruned transforms, one per axis; NULL, the default: all modes
  const int *axes;        ///< of layouts: `naxes` axes to transform; NULL, the default: all
  int naxes;              ///< 0 with axes that are not NULL: the array is only redistributed
};

/// The defaults: `struct hfft_options options = HFFT_OPTIONS_INIT;`.
#define HFFT_OPTIONS_INIT                                                                          \
  { sizeof(struct hfft_options), 0U, 0, -1.0, 1.0, 1, 0, 0, NULL, NULL, 0 }

#ifdef __cplusplus
extern "C" {
#endif

/// Sets all members to their defaults: HFFT_OPTIONS_INIT as a function, for other languages.
/// Local. \param options to be set, of this version's size; NULL is allowed.
HFFT_EXPORT void hfft_options_init(struct hfft_options *options);

#ifdef __cplusplus
}
#endif

#endif
