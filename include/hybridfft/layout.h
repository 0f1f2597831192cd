/// \file layout.h
/// C API for transforms between any two layouts: slabs, pencils, bricks or boxes of any shape, in
/// any memory order. Choose it if an application has its own distribution. hybridfft.h includes
/// this file.
///
/// A layout assigns to each rank of a communicator its points of an array, and their offsets in its
/// local array. Axes are numbered 0 .. rnk-1. Each rank's part is a box: count[a] points from
/// start[a] on along axis a. The ranks of a process grid are numbered row-major over the axes: the
/// last axis is fastest. For r2c and c2r the complex array and its layout have n/2+1 points along
/// the halved axis.
///
/// Making and querying layouts is local; all ranks make the same layouts. Errors are those of
/// hybridfft.h: NULL or a code. hfft_last_error_message() names the value found and the value
/// expected.
#ifndef HYBRIDFFT_LAYOUT_H
#define HYBRIDFFT_LAYOUT_H

#include <stddef.h>

#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"
#include "hybridfft/options.h"

/// Handle of a layout: the points of each rank, and their places in its local array.
typedef struct hfft_layout_s *hfft_layout; // NOLINT(modernize-use-using): this is C

/// Memory order of the howmany values of each point.
enum hfft_fields {
  HFFT_INTERLEAVED = 0, ///< the values of a point are adjacent
  HFFT_SEPARATE = 1     ///< one local array for each value, one after another
};

#ifdef __cplusplus
extern "C" {
#endif

/// hfft_layout_grid(), hfft_layout_blocks() and hfft_layout_boxes() return NULL for invalid
/// arguments (HFFT_ERROR_LAYOUT, HFFT_ERROR_EXTENTS, HFFT_ERROR_NULL_POINTER). They also return
/// NULL if the number of values of the array, or the number of bytes of a rank's part, exceeds 63
/// bits (HFFT_ERROR_OVERFLOW). The hfft_layout_set_ functions fail for the same reasons, return the
/// code, and change nothing.

/// Makes a layout with axis a in parts[a] blocks of ceil(n[a]/parts[a]) points. The parts (1, 1, P)
/// make slabs, (1, P1, P2) make pencils, and (P0, P1, P2) make bricks.
HFFT_EXPORT hfft_layout hfft_layout_grid(int rnk, const ptrdiff_t *n, const int *parts);
/// Makes a layout with blocks of any sizes. counts lists the points of the parts of axis 0, then of
/// axis 1, and so on. Zeros are legal.
HFFT_EXPORT hfft_layout hfft_layout_blocks(int rnk, const int *parts, const ptrdiff_t *counts);
/// Makes a layout with one box per rank: rank r has counts[r*rnk + a] points from starts[r*rnk + a]
/// on along axis a. The boxes tile the array without gaps; some may be empty.
HFFT_EXPORT hfft_layout hfft_layout_boxes(int rnk, const ptrdiff_t *n, int ranks,
                                          const ptrdiff_t *starts, const ptrdiff_t *counts);
/// Destroys a layout. NULL is allowed. Plans stay valid without their layouts.
HFFT_EXPORT void hfft_layout_destroy(hfft_layout layout);

/// Sets the memory order: the axes from the slowest to the fastest. Default 0 .. rnk-1.
HFFT_EXPORT int hfft_layout_set_order(hfft_layout layout, const int *order);
/// Sets padding[a] unused points after each local line along axis a. Default none.
HFFT_EXPORT int hfft_layout_set_padding(hfft_layout layout, const ptrdiff_t *padding);
/// Sets the values per point. `fields` is one of enum hfft_fields. Default 1 value per point.
HFFT_EXPORT int hfft_layout_set_howmany(hfft_layout layout, ptrdiff_t howmany, int fields);

/// Returns a rank's part: rnk starts, rnk counts, and rnk + 1 strides in elements. The last stride
/// is the distance between two values of a point. NULL arrays are ignored.
HFFT_EXPORT int hfft_layout_local(hfft_layout layout, int rank, ptrdiff_t *start, ptrdiff_t *count,
                                  ptrdiff_t *stride);
/// Returns the elements of a rank's local array, padding and howmany included; -1 on failure.
HFFT_EXPORT ptrdiff_t hfft_layout_local_size(hfft_layout layout, int rank);
/// Finds the owner of a point. Sets `*rank` to the owner of the point `index` (rnk entries, from
/// 0). Sets `*offset` to the position of its first value in the owner's array, in elements.
HFFT_EXPORT int hfft_layout_locate(hfft_layout layout, const ptrdiff_t *index, int *rank,
                                   ptrdiff_t *offset);

#define HFFT_DEFINE_LAYOUT_API(X, R, C)                                                            \
  /** Returns the complex elements (twice as many reals) that each array of a plan needs on */     \
  /** this rank. `kind` is one of enum hfft_kind. Returns -1 on failure. Local. */                 \
  HFFT_EXPORT ptrdiff_t X(layout_size)(hfft_layout in_layout, hfft_layout out_layout, int kind,    \
                                       MPI_Comm comm);                                             \
                                                                                                   \
  /** Chooses a process grid for pencils: two factors of the number of ranks, in grid[0] and */    \
  /** grid[1]. The transform covers all axes. Its points are distributed along axes 0 and 1 */     \
  /** (parts grid[0], grid[1]), its spectrum along axes 1 and 2. n are the real extents. With */   \
  /** HFFT_ESTIMATE it is the grid nearest to a square, of the grids with each row within a */     \
  /** node if there are any. Otherwise it is the fastest grid by measurement. A grid in wisdom */  \
  /** takes precedence. Collective; the grid and the error are the same on all ranks. */           \
  HFFT_EXPORT int X(choose_grid)(int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,         \
                                 int fields, MPI_Comm comm, unsigned flags, int *grid);            \
                                                                                                   \
  /** Plans a transform between two layouts. The plan_ functions below are short forms of this */  \
  /** one. howmany and blocks come from the layouts, not from the options. Other rules are */      \
  /** those of plan_slabs in hybridfft.h. Collective. */                                           \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_layouts)(int kind, hfft_layout in_layout, hfft_layout out_layout, void *in,           \
                      void *out, MPI_Comm comm, int sign, const struct hfft_options *options);     \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan transforms along the `naxes` axes listed in `axes`, in any order; along all axes if */  \
  /** `axes` is NULL. Without any axis the plan redistributes the array. For r2c and c2r the */    \
  /** axis listed last is the halved one. The other conventions match plan_dft, also for */        \
  /** precision on the wire (HFFT_WIRE_...). Flags for transposed data are refused: the layouts */ \
  /** define the order of the axes. Between two slabs of plan_dft the plan is the one of */        \
  /** plan_dft. Execution, printing and destruction are as for all plans. Collective. */           \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_layout_dft)(hfft_layout in_layout, hfft_layout out_layout, int naxes,                 \
                         const int *axes, C *in, C *out, MPI_Comm comm, int sign, unsigned flags); \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_layout_dft_r2c)(hfft_layout in_layout, hfft_layout out_layout, int naxes,             \
                             const int *axes, R *in, C *out, MPI_Comm comm, unsigned flags);       \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_layout_dft_c2r)(hfft_layout in_layout, hfft_layout out_layout, int naxes,             \
                             const int *axes, C *in, R *out, MPI_Comm comm, unsigned flags);       \
  /** @} */                                                                                        \
                                                                                                   \
  /** Plans a transform between reals. kinds has a kind of enum hfft_r2r_kind for each */          \
  /** axis, in the order of `axes`. The other conventions are those above. Collective. */          \
  HFFT_EXPORT X(plan) X(plan_layout_r2r)(hfft_layout in_layout, hfft_layout out_layout, int naxes, \
                                         const int *axes, R *in, R *out, MPI_Comm comm,            \
                                         const int *kinds, unsigned flags);                        \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Plan pruned transforms. n are the extents of the grid, and of the layout of the points. */   \
  /** modes[a] <= n[a] are the extents of the spectrum, one for each axis (real ones for r2c */    \
  /** and c2r). The layout of the spectrum has modes[a]/2+1 points along the halved axis. */       \
  /** Retained modes, and the treatment of the others, follow plan_pruned_dft in hybridfft.h. */   \
  /** At most 3 axes are pruned, and all pruned axes are transformed. Each stage transforms */     \
  /** and sends only lines of modes retained along the previous axes. For an even modes[a] the */  \
  /** mode that is not retained is sent as zeros. All other conventions are those above; */        \
  /** layout_size returns the elements to allocate. HFFT_ERROR_EXTENTS, HFFT_ERROR_LAYOUT, */      \
  /** HFFT_ERROR_ARGUMENT or HFFT_ERROR_UNSUPPORTED if the modes do not fit. */                    \
  HFFT_EXPORT X(plan) X(plan_pruned_layout_dft)(                                                   \
      hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes,                   \
      const ptrdiff_t *modes, C *in, C *out, MPI_Comm comm, int sign, unsigned flags);             \
  HFFT_EXPORT X(plan) X(plan_pruned_layout_dft_r2c)(                                               \
      hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes,                   \
      const ptrdiff_t *modes, R *in, C *out, MPI_Comm comm, unsigned flags);                       \
  HFFT_EXPORT X(plan) X(plan_pruned_layout_dft_c2r)(                                               \
      hfft_layout in_layout, hfft_layout out_layout, int naxes, const int *axes,                   \
      const ptrdiff_t *modes, C *in, R *out, MPI_Comm comm, unsigned flags);                       \
  /** @} */

HFFT_DEFINE_LAYOUT_API(HFFT_MANGLE_DOUBLE, double, hfft_complex)
HFFT_DEFINE_LAYOUT_API(HFFT_MANGLE_FLOAT, float, hfftf_complex)

#ifdef __cplusplus
}
#endif

#endif
