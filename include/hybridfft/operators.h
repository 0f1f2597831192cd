/// \file operators.h
/// C API of operator plans: operators on real fields of three dimensions that work in space and in
/// the spectrum by turns, as gradients, convolutions and the steps of pseudospectral solvers do.
/// Each field goes through memory once per side: the user's work in space and products with the
/// spectrum are done in cache, inside the first and last passes of the transforms.
///
/// An operator plan has `fields` half-transformed fields of n0 x n1 x n2 real values. Real arrays
/// are cut along n0 over the ranks, as those of r2c plans (local_size_3d); they are the user's and
/// have any strides.
///  - A *sweep over planes* transforms some of the fields back along n1 and n2, calls the user's
///    work line by line with real values, and transforms the values that the work returns along n2
///    and n1 into fields.
///  - A *sweep over lines* transforms fields along n0, multiplies them by functions of the wave
///    numbers, and transforms them back along n0.
///
/// So one of each, with factors between, is an operator; transforms are not normalised. A field
/// that a sweep has written is for a sweep of the other kind to read, as often as it likes until
/// the field is written again. Sweeps are collective and are called in the same order on all ranks,
/// as are making and destroying plans. Sweeps allocate nothing. Results do not depend on the number
/// of ranks and threads, not even in the last bit. Errors are those of hybridfft.h: NULL or a code,
/// and hfft_last_error_message() names what was found and expected. Wrong calls fail before
/// anything is done.
///
/// MPI may fail in the middle of a sweep, and on some ranks only. Where it does (HFFT_ERROR_MPI),
/// no message of the plan arrives on this rank any more when the sweep returns, after a second at
/// most in which those under way may end. All fields are lost: sweeps that read one are refused
/// until another sweep has written it. The plan can be used further once the sweep has failed on
/// all ranks and these have met since, in a barrier for example. Where it has failed on some ranks
/// only, the others may wait for ever in their next call for the plan, also in its destruction.
/// What a rank sends more than a second after the failure of another one may be taken for a message
/// of a later execution on the communicator; plans of a new duplicate of it are safe from that. The
/// library never frees its own duplicate then, so that no new communicator gets such messages.
#ifndef HYBRIDFFT_OPERATORS_H
#define HYBRIDFFT_OPERATORS_H

#include <stddef.h>

#include "hybridfft/export.h"
#include "hybridfft/hybridfft.h"

// NOLINTBEGIN(modernize-use-using): this is C
/// Factors along an axis, one for each of its bins. They have the precision of the plan that made
/// them.
typedef struct hfft_factors_s *hfft_factors;
/// Real factors for all bins of a rank. They have the precision and the extents of the plan that
/// made them.
typedef struct hfft_table_s *hfft_table;
/// A factor for the bins 0 <= k0 <= n0/2, 0 <= k1 < n1, 0 <= k2 <= n2/2: even in k0.
typedef double (*hfft_table_function)(ptrdiff_t k0, ptrdiff_t k1, ptrdiff_t k2, void *user);
// NOLINTEND(modernize-use-using)

/// A field that a sweep over planes transforms back, multiplied by factors of axis 1 and of axis 2,
/// which are NULL for none.
struct hfft_source {
  int field;           ///< 0 .. fields-1
  hfft_factors along1; ///< n1 factors or NULL
  hfft_factors along2; ///< n2/2+1 factors or NULL
};

/// Part of a sweep over planes: lines j < `lines` of this rank's planes first <= i < end. More than
/// there are is all of them.
struct hfft_part {
  ptrdiff_t first; ///< 0 or more
  ptrdiff_t end;   ///< `first` or more
  ptrdiff_t lines; ///< 0 or more
};

/// A field in a sweep over lines, multiplied by factors, which are NULL for none.
struct hfft_term {
  int field;           ///< 0 .. fields-1
  hfft_table table;    ///< real factors of all bins or NULL
  hfft_factors along0; ///< n0 factors or NULL
};

/// The new value of a field in a sweep over lines: one term, or the sum of two.
struct hfft_product {
  int field;               ///< 0 .. fields-1
  int terms;               ///< 1 or 2
  struct hfft_term first;  ///< the first of the terms
  struct hfft_term second; ///< if there are two
};

#ifdef __cplusplus
extern "C" {
#endif

/// Plans do not need them between sweeps, but sweeps do. NULL is allowed. Local.
HFFT_EXPORT void hfft_destroy_factors(hfft_factors factors);
/// Destroys a table, as hfft_destroy_factors() does factors.
HFFT_EXPORT void hfft_destroy_table(hfft_table table);

/// The functions of one precision, as HFFT_DEFINE_API in hybridfft.h.
#define HFFT_DEFINE_OPERATOR_API(X, R, C)                                                          \
  /** An operator plan. */                                                                         \
  typedef struct X(operator_plan_s) * X(operator_plan);                                            \
  /** Line j of this rank's plane i: in[s][k] are the n2 values of source s. The n2 values that */ \
  /** go to target t are written to scratch[t]; or out[t] is set to point to the user's own, */    \
  /** which stay as they are until the sweep is over. In scratch[t] nothing is kept. `user` is */  \
  /** the pointer that the sweep was given. Must not throw, nor jump out. */                       \
  typedef void (*X(line_work))(ptrdiff_t i, ptrdiff_t j, const R *const *in, R *const *scratch,    \
                               const R **out, void *user);                                         \
                                                                                                   \
  /** 1 where this rank's processor has kernels for the extents, else 0; a plan takes kernels */   \
  /** that all ranks have. Local. */                                                               \
  HFFT_EXPORT int X(operator_supports)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2);                  \
  /** A plan of `fields` fields of n0 x n1 x n2 real values for `threads` threads per rank, at */  \
  /** least 1; every rank may have planes or none. NULL when it fails: HFFT_ERROR_UNSUPPORTED */   \
  /** where no kernel that the processors of all ranks have fits the extents, */                   \
  /** HFFT_ERROR_EXTENTS, HFFT_ERROR_ARGUMENT, HFFT_ERROR_OUT_OF_MEMORY. Collective. */            \
  HFFT_EXPORT X(operator_plan) X(plan_operator)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,          \
                                                int fields, MPI_Comm comm, int threads);           \
  /** NULL is allowed. Collective. */                                                              \
  HFFT_EXPORT void X(destroy_operator)(X(operator_plan) plan);                                     \
                                                                                                   \
  /** Factors along an axis from `count` values: one for each of its n0 or n1, or n2/2+1 bins. */  \
  /** NULL for another axis or count (HFFT_ERROR_ARGUMENT). Local. */                              \
  HFFT_EXPORT hfft_factors X(operator_factors)(X(operator_plan) plan, int axis, ptrdiff_t count,   \
                                               const C *values);                                   \
  /** Factors f(k0, k1, k2, user) for all bins of this rank: (n0/2+1) n1 (n2/2+1) numbers over */  \
  /** all ranks. f is called concurrently. NULL when it fails. Collective. */                      \
  HFFT_EXPORT hfft_table X(operator_table)(X(operator_plan) plan, hfft_table_function f,           \
                                           void *user);                                            \
                                                                                                   \
  /** A sweep over planes: `work` is called once for each line, concurrently and in any order, */  \
  /** after the whole plane is read from the sources and before any of its targets is written: */  \
  /** a field may be a source and a target. At most 3 sources, and 3 fields as targets; either */  \
  /** list may be empty. `part` is NULL for all planes; with one there are targets on one rank */  \
  /** only, and of whole planes: the others stay as they are, for sweeps that follow. Returns */   \
  /** HFFT_ERROR_ARGUMENT, HFFT_ERROR_NULL_POINTER or HFFT_ERROR_MPI when it fails. */             \
  /** Collective. */                                                                               \
  HFFT_EXPORT int X(operator_planes)(X(operator_plan) plan, const struct hfft_part *part,          \
                                     int nsources, const struct hfft_source *sources,              \
                                     int ntargets, const int *targets, X(line_work) work,          \
                                     void *user);                                                  \
  /** A sweep over lines: all products at once; the terms see the fields as they are before. At */ \
  /** most 3 products, and 3 different fields in the terms. Errors as above. Collective. */        \
  HFFT_EXPORT int X(operator_lines)(X(operator_plan) plan, int nproducts,                          \
                                    const struct hfft_product *products);                          \
                                                                                                   \
  /** 1 where fields travel one by one, in messages: work on one of them alone is better done */   \
  /** in a sweep of its own, while the others are under way. 0 where sweeps over several at */     \
  /** once are faster. The same on all ranks. Local. */                                            \
  HFFT_EXPORT int X(operator_fields_apart)(X(operator_plan) plan);                                 \
  /** Seconds that this rank has spent in its sweeps: in transforms with the work between */       \
  /** them, over planes and over lines, and in waiting for, starting and finishing exchanges. */   \
  /** Pointers that are NULL are left out. Local. */                                               \
  HFFT_EXPORT int X(operator_profile)(X(operator_plan) plan, double *planes, double *lines,        \
                                      double *exchange);                                           \
  /** The plan in words, the caller's to free(); NULL on failure. Local. */                        \
  HFFT_EXPORT char *X(operator_describe)(X(operator_plan) plan);                                   \
  /** Bytes of this rank's fields and of the scratch of all threads, without tables. Local. */     \
  HFFT_EXPORT size_t X(operator_bytes)(X(operator_plan) plan);

HFFT_DEFINE_OPERATOR_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_OPERATOR_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)

#ifdef __cplusplus
}
#endif

#endif
