/// \file layout.h
/// C API of HybridFFT for transforms between any two layouts: slabs, pencils, bricks or boxes of
/// any shape, in any memory order. Included by hybridfft.h.
///
/// A layout gives the points of an array that each rank of a communicator has, and their offsets in
/// its local array. Axes are numbered 0 .. rnk-1; each rank's part is a box: count[a] points from
/// start[a] on along axis a. Grids of ranks are numbered row-major over the axes, the last one
/// fastest. For r2c and c2r the complex array has n/2+1 points along the halved axis; in its
/// layout, too.
///
/// Making and querying layouts is local; all ranks make the same ones. Errors are those of
/// hybridfft.h: NULL or a code, and hfft_last_error_message() names what was found and expected.
#ifndef HYBRIDFFT_LAYOUT_H
#define HYBRIDFFT_LAYOUT_H

#include <stddef.h>

#include "hybridfft/export.h"
#include "hybridfft/mpi_kind.h"
#include "hybridfft/options.h"

/// The points of an array that each rank has, and their places in its local array.
typedef struct hfft_layout_s *hfft_layout; // NOLINT(modernize-use-using): this is C

/// The memory order of the howmany values of a point: next to each other, or one local array after
/// another.
enum hfft_fields {
  HFFT_INTERLEAVED = 0, ///< next to each other
  HFFT_SEPARATE = 1     ///< one local array after another
};

#ifdef __cplusplus
extern "C" {
#endif

/// Layouts are NULL where the arguments are none of one (HFFT_ERROR_LAYOUT, HFFT_ERROR_EXTENTS,
/// HFFT_ERROR_NULL_POINTER), or where the values of the array or the bytes of a rank's part are
/// more than 63 bits can count (HFFT_ERROR_OVERFLOW); the hfft_layout_set_ functions fail likewise
/// and then change nothing.

/// Axis a is cut into parts[a] blocks of ceil(n[a]/parts[a]) points. parts of 1, 1 and P is a slab,
/// 1, P1 and P2 a pencil, P0, P1 and P2 a brick.
HFFT_EXPORT hfft_layout hfft_layout_grid(int rnk, const ptrdiff_t *n, const int *parts);
/// Blocks of any sizes: counts lists the points of the parts of axis 0, then those of axis 1, and
/// so on. Zeros are legal.
HFFT_EXPORT hfft_layout hfft_layout_blocks(int rnk, const int *parts, const ptrdiff_t *counts);
/// A box for each rank: rank r has counts[r*rnk + a] points from starts[r*rnk + a] on along axis a.
/// The boxes tile the array without gaps; some may be empty.
HFFT_EXPORT hfft_layout hfft_layout_boxes(int rnk, const ptrdiff_t *n, int ranks,
                                          const ptrdiff_t *starts, const ptrdiff_t *counts);
/// NULL is allowed. Plans do not need their layouts any more.
HFFT_EXPORT void hfft_layout_destroy(hfft_layout layout);

/// Memory order: the axes from the slowest to the fastest. Default 0 .. rnk-1.
HFFT_EXPORT int hfft_layout_set_order(hfft_layout layout, const int *order);
/// padding[a] points without meaning after each local line along axis a. Default none.
HFFT_EXPORT int hfft_layout_set_padding(hfft_layout layout, const ptrdiff_t *padding);
/// `fields` is one of enum hfft_fields. Default 1 value per point.
HFFT_EXPORT int hfft_layout_set_howmany(hfft_layout layout, ptrdiff_t howmany, int fields);

/// A rank's part: rnk starts, rnk counts, and rnk + 1 strides, in elements, of which the last one
/// is from field to field. Those that are NULL are left out.
HFFT_EXPORT int hfft_layout_local(hfft_layout layout, int rank, ptrdiff_t *start, ptrdiff_t *count,
                                  ptrdiff_t *stride);
/// Elements that a rank's local array spans, padding and howmany included; -1 when it fails.
HFFT_EXPORT ptrdiff_t hfft_layout_local_size(hfft_layout layout, int rank);
/// Sets `*rank` to the owner of the point `index` (rnk entries, from 0) and `*offset` to the place
/// of the first of its values in that rank's array, in elements.
HFFT_EXPORT int hfft_layout_locate(hfft_layout layout, const ptrdiff_t *index, int *rank,
                                   ptrdiff_t *offset);

#define HFFT_DEFINE_LAYOUT_API(X, R, C)                                                            \
  /** Complex elements (for real arrays twice as many reals) that both arrays of a plan need on */ \
  /** this rank. `kind` is one of enum hfft_kind. -1 when it fails. Local. */                      \
  HFFT_EXPORT ptrdiff_t X(layout_size)(hfft_layout in_layout, hfft_layout out_layout, int kind,    \
                                       MPI_Comm comm);                                             \
                                                                                                   \
  /** A process grid for pencils: its two factors of the number of ranks into grid[0] and */       \
  /** grid[1], of a transform of all axes between points cut along axes 0 and 1 (parts grid[0], */ \
  /** grid[1]) and a spectrum cut along axes 1 and 2. n are the real extents. With */              \
  /** HFFT_ESTIMATE the one nearest to a square, rows within a node; otherwise the fastest, */     \
  /** measured. A grid that is in wisdom comes first. Collective; the answer and the error are */  \
  /** the same on all ranks. */                                                                    \
  HFFT_EXPORT int X(choose_grid)(int kind, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,         \
                                 int fields, MPI_Comm comm, unsigned flags, int *grid);            \
                                                                                                   \
  /** The plan of a transform between two layouts, of which the plan_ functions below are short */ \
  /** forms; howmany and blocks are the layouts', not the options'. Otherwise as plan_slabs in */  \
  /** hybridfft.h. Collective. */                                                                  \
  HFFT_EXPORT X(plan)                                                                              \
      X(plan_layouts)(int kind, hfft_layout in_layout, hfft_layout out_layout, void *in,           \
                      void *out, MPI_Comm comm, int sign, const struct hfft_options *options);     \
                                                                                                   \
  /** @{ */                                                                                        \
  /** Transforms along the `naxes` axes listed in `axes`, in any order; along all of them if */    \
  /** `axes` is NULL. Without any axis the array is redistributed. For r2c and c2r the axis */     \
  /** listed last is the halved one. The other conventions are those of plan_dft, also for */      \
  /** precision on the wire (HFFT_WIRE_...). Flags for transposed data are refused: the layouts */ \
  /** give the order of the axes. Layouts that plan_dft has, too, become its plans. Execution, */  \
  /** also in the background, printing and the rest are those of all plans. */                     \
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
  /** @{ */                                                                                        \
  /** Pruned transforms: n is the extents of the grid, those of the layout of the points, and */   \
  /** modes[a] <= n[a] (one for each axis of the array, real ones for r2c and c2r) those of the */ \
  /** layout of the spectrum, which has modes[a]/2+1 points along the halved axis. The modes */    \
  /** that are kept, and the treatment of the others, are those of plan_pruned_dft in */           \
  /** hybridfft.h. Along at most 3 axes some are left out, all of which are transformed. Each */   \
  /** stage transforms and sends lines of the modes kept along the axes before; the one mode in */ \
  /** an even number of them that is not kept travels as zeros. All other conventions are those */ \
  /** above; layout_size gives the elements to allocate. HFFT_ERROR_EXTENTS, HFFT_ERROR_LAYOUT, */ \
  /** HFFT_ERROR_ARGUMENT or HFFT_ERROR_UNSUPPORTED if modes do not fit. */                        \
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
