/// \file operators.h
/// C API of operator plans. An operator transforms real three-dimensional fields to the spectrum,
/// multiplies them by functions of the wave numbers, transforms them back, and calls the user's
/// work on the values in space. Choose operator plans for gradients, convolutions and steps of
/// pseudospectral solvers. The work and the products run in cache, inside the first and last passes
/// of the transforms: a sweep reads and writes each field in memory once.
///
/// An operator plan has `fields` fields. Each consists of the transforms along n1 and n2 of n0 x n1
/// x n2 real values. Real arrays are distributed along n0 over the ranks, as for r2c plans
/// (local_size_3d). They belong to the user and have any strides.
/// - A *sweep over planes* transforms some of the fields backward along n1 and n2. It calls the
/// user's work line by line with real values. It transforms the results forward along n2 and n1
/// into fields.
/// - A *sweep over lines* transforms fields along n0, multiplies them by functions of the wave
/// numbers, and transforms them back along n0.
///
/// A *spectral operator* is a plan like those of hybridfft.h, between any two layouts in any number
/// of dimensions: it transforms a field forward, calls the user's work on the bins of the spectrum,
/// and transforms back. Choose it for filters, derivatives and Poisson's equation on pencils,
/// bricks and boxes, for one field at a time. Choose sweeps for several fields on slabs.
///
/// A sweep over planes and a sweep over lines together apply an operator. Transforms are not
/// normalised. A sweep of one kind writes a field. Sweeps of the other kind may then read it any
/// number of times, until the field is written again. Sweeps, plan creation and destruction are
/// collective and have the same order on all ranks. Sweeps allocate nothing. Results are identical
/// to the last bit for any number of ranks and threads. Errors are those of hybridfft.h: NULL or a
/// code. hfft_last_error_message() names the value found and the value expected. Invalid calls fail
/// before any work.
///
/// MPI may fail in the middle of a sweep, on some ranks only (HFFT_ERROR_MPI). The sweep then waits
/// at most one second for messages in flight. After its return no message of the plan arrives on
/// this rank. All fields are lost: a sweep may read a field only after another sweep has written
/// it. The plan is usable again once the sweep has failed on all ranks and the ranks have
/// synchronised, in a barrier for example. If it failed on some ranks only, the others may wait for
/// ever in their next call for the plan, also in its destruction. A message sent more than a second
/// after the failure of another rank may match a later execution on the same communicator. To avoid
/// this, make new plans on a new duplicate of the communicator. The library then never frees its
/// own duplicate, so no new communicator receives such messages.
#ifndef HYBRIDFFT_OPERATORS_H
#define HYBRIDFFT_OPERATORS_H

#include <stddef.h>

#include "hybridfft/export.h"
#include "hybridfft/hybridfft.h"

// NOLINTBEGIN(modernize-use-using): this is C
/// Factors along an axis, one for each bin. They have the precision of their plan.
typedef struct hfft_factors_s *hfft_factors;
/// Real factors for all bins of a rank. They have the precision and the extents of their plan.
typedef struct hfft_table_s *hfft_table;
/// User's work of a spectral operator. It changes `values`, the values of `count` bins along an
/// axis of the spectrum. bin[0], bin[1], ... are the indices of the first bin, from 0, in the order
/// of the transform. The values are contiguous and have the type of the spectrum: complex numbers,
/// or reals for HFFT_R2R. With howmany values per point the values of a bin are adjacent. `user` is
/// the pointer passed to the plan. Threads call the function concurrently. It must not throw or
/// jump out.
typedef void (*hfft_spectrum_work)(const ptrdiff_t *bin, int axis, ptrdiff_t count, void *values,
                                   void *user);
/// Returns the factor of the bin 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2. The function is
/// even in k0 and, for k2 = 0 and k2 = n2/2, in k1.
typedef double (*hfft_table_function)(ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t k2, void *user);
// NOLINTEND(modernize-use-using)

/// A field for the backward transform of a sweep over planes, with factors of axis 1 and axis 2.
struct hfft_source {
  int field;           ///< 0 .. fields-1
  hfft_factors along1; ///< n1 factors or NULL
  hfft_factors along2; ///< n2/2+1 factors or NULL
};

/// Part of a sweep over planes: lines j < `lines` of this rank's planes first <= i < end. Larger
/// numbers mean all planes or lines.
struct hfft_part {
  ptrdiff_t first; ///< 0 or more
  ptrdiff_t end;   ///< `first` or more
  ptrdiff_t lines; ///< 0 or more
};

/// A field in a sweep over lines, multiplied by factors.
struct hfft_term {
  int field;           ///< 0 .. fields-1
  hfft_table table;    ///< real factors of all bins or NULL
  hfft_factors along0; ///< n0 factors or NULL
};

/// New value of a field in a sweep over lines: one term, or the sum of two.
struct hfft_product {
  int field;               ///< 0 .. fields-1
  int terms;               ///< 1 or 2
  struct hfft_term first;  ///< first term
  struct hfft_term second; ///< second term if `terms` is 2
};

#ifdef __cplusplus
extern "C" {
#endif

/// Destroys factors. Sweeps need their factors; plans do not need them between sweeps. NULL is
/// allowed. Local.
HFFT_EXPORT void hfft_destroy_factors(hfft_factors factors);
/// Destroys a table, under the rules of hfft_destroy_factors().
HFFT_EXPORT void hfft_destroy_table(hfft_table table);

/// Declares the functions of one precision, like HFFT_DEFINE_API in hybridfft.h.
#define HFFT_DEFINE_OPERATOR_API(X, R, C)                                                          \
  /** Plans a spectral operator: the forward transform of `in`, the user's work on all bins of */  \
  /** the spectrum, and the backward transform to `out`. Both layouts have the same points. */     \
  /** `kind` is HFFT_R2C (real fields), HFFT_C2C (complex fields) or HFFT_R2R (real fields, */     \
  /** with the kinds of the options, and their inverses backward). in == out is in place, */       \
  /** between any layouts. Otherwise the input does not change. Each array has the elements of */  \
  /** its layout, and no more. The plan chooses the distribution of the spectrum. The options */   \
  /** are those of plan_layouts in layout.h: axes, retained modes, scale of the result, and */     \
  /** the others. Results are not normalised. Execution (execute, also in the background, */       \
  /** execute_r2r for real and execute_dft for complex fields), profiles, printing and */          \
  /** destruction are those of all plans. Efforts but HFFT_ESTIMATE overwrite both arrays. The */  \
  /** work is not called before an execution. Collective. Returns NULL on failure: */              \
  /** HFFT_ERROR_NULL_POINTER for NULL work, and the errors of plan_layouts. */                    \
  HFFT_EXPORT X(plan) X(plan_spectral_operator)(                                                   \
      int kind, hfft_layout in_layout, hfft_layout out_layout, void *in, void *out, MPI_Comm comm, \
      hfft_spectrum_work work, void *user, const struct hfft_options *options);                    \
                                                                                                   \
  /** An operator plan. */                                                                         \
  typedef struct X(operator_plan_s) * X(operator_plan);                                            \
  /** User work on line j of this rank's plane i. in[s][k] are the n2 values of source s. The */   \
  /** work writes the n2 values of target t to scratch[t], or points out[t] to its own values. */  \
  /** These must stay unchanged until the sweep ends. scratch[t] keeps nothing between calls. */   \
  /** `user` is the pointer passed to the sweep. The work must not throw or jump out. */           \
  typedef void (*X(line_work))(ptrdiff_t i, ptrdiff_t j, const R *const *in, R *const *scratch,    \
                               const R **out, void *user);                                         \
                                                                                                   \
  /** Returns 1 if this rank's processor has kernels for the extents, else 0. A plan uses */       \
  /** kernels available on all ranks. Local. */                                                    \
  HFFT_EXPORT int X(operator_supports)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2);                  \
  /** Makes a plan of `fields` fields of n0 x n1 x n2 real values. `threads` (1 or more) is */     \
  /** the number of threads of each rank. A rank may have planes or none. Returns NULL on */       \
  /** failure. HFFT_ERROR_UNSUPPORTED: no kernel common to the processors of all ranks fits */     \
  /** the extents. HFFT_ERROR_EXTENTS, HFFT_ERROR_ARGUMENT, HFFT_ERROR_OUT_OF_MEMORY. */           \
  /** Collective. */                                                                               \
  HFFT_EXPORT X(operator_plan) X(plan_operator)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,          \
                                                int fields, MPI_Comm comm, int threads);           \
  /** Destroys a plan. NULL is allowed. Collective. */                                             \
  HFFT_EXPORT void X(destroy_operator)(X(operator_plan) plan);                                     \
                                                                                                   \
  /** Makes factors along an axis from `count` values, one for each of its bins (n0, n1 or */      \
  /** n2/2+1). Factors of bins k and n-k are conjugate. Returns NULL for a wrong axis or count, */ \
  /** and if factors of axis 1 are not conjugate (HFFT_ERROR_ARGUMENT). Local. */                  \
  HFFT_EXPORT hfft_factors X(operator_factors)(X(operator_plan) plan, int axis, ptrdiff_t count,   \
                                               const C *values);                                   \
  /** Makes factors f(k0, k1, k2, user) for all bins of this rank: (n0/2+1) (n1/2+1) n2 numbers */ \
  /** over all ranks. Threads call f concurrently. Returns NULL on failure. Collective. */         \
  HFFT_EXPORT hfft_table X(operator_table)(X(operator_plan) plan, hfft_table_function f,           \
                                           void *user);                                            \
                                                                                                   \
  /** Runs a sweep over planes. It calls `work` once for each line, concurrently and in any */     \
  /** order. All sources of a plane are read before the first of its lines, and targets are */     \
  /** written after the last: a field may be a source and a target. There are at most 3 sources */ \
  /** and 3 target fields; either list may be empty. A NULL `part` means all planes. With a */     \
  /** part, targets are allowed only if the plan has one rank and the part has whole planes. */    \
  /** The other planes of a target then stay unchanged for later sweeps. Returns */                \
  /** HFFT_ERROR_ARGUMENT, HFFT_ERROR_NULL_POINTER or HFFT_ERROR_MPI on failure. Collective. */    \
  HFFT_EXPORT int X(operator_planes)(X(operator_plan) plan, const struct hfft_part *part,          \
                                     int nsources, const struct hfft_source *sources,              \
                                     int ntargets, const int *targets, X(line_work) work,          \
                                     void *user);                                                  \
  /** Runs a sweep over lines with all products at once. The terms use the fields as they were */  \
  /** before the sweep. There are at most 3 products, and 3 different fields in the terms. */      \
  /** Returns the errors of operator_planes. Collective. */                                        \
  HFFT_EXPORT int X(operator_lines)(X(operator_plan) plan, int nproducts,                          \
                                    const struct hfft_product *products);                          \
                                                                                                   \
  /** Returns 1 if each field has its own messages. Work on one field is then faster in a */       \
  /** sweep of its own, while the other fields are in flight. Returns 0 if sweeps over several */  \
  /** fields together are faster. The result is the same on all ranks. Local. */                   \
  HFFT_EXPORT int X(operator_fields_apart)(X(operator_plan) plan);                                 \
  /** Sets the seconds spent by this rank in its sweeps. `planes` and `lines` count transforms */  \
  /** and the work between them; `exchange` counts waiting for, starting and finishing */          \
  /** exchanges. NULL pointers are ignored. Local. */                                              \
  HFFT_EXPORT int X(operator_profile)(X(operator_plan) plan, double *planes, double *lines,        \
                                      double *exchange);                                           \
  /** Returns a description of the plan; the caller frees it with free(). NULL on failure. */      \
  /** Local. */                                                                                    \
  HFFT_EXPORT char *X(operator_describe)(X(operator_plan) plan);                                   \
  /** Returns the bytes of this rank's fields and of the scratch of all threads, without */        \
  /** tables. Local. */                                                                            \
  HFFT_EXPORT size_t X(operator_bytes)(X(operator_plan) plan);

HFFT_DEFINE_OPERATOR_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_OPERATOR_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)

#ifdef __cplusplus
}
#endif

#endif
