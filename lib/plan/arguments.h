/// Converts the arguments of FFTW-like calls to a Problem: calls for slabs (two or more dimensions)
/// and calls for lines (one dimension).
#pragma once

#include <cstddef>
#include <optional>

#include "plan/path.h"
#include "plan/problem.h"

namespace hybridfft::plan {

// Problems between slabs, made from the arguments of FFTW's interface. Their paths are fixed, not
// searched. Slabs suit moderate numbers of ranks: they need fewer exchanges than pencils.

/// The slabs of input and output in FFTW's terms. An array is distributed along its first axis. A
/// transposed array has the second axis first in memory and is distributed along it.
struct SlabPair {
  bool transposed_in = false;
  bool transposed_out = false;
  std::ptrdiff_t iblock = 0; ///< block size of the input's distribution; 0: the default
  std::ptrdiff_t oblock = 0; ///< block size of the output's distribution; 0: the default

  /// True if input and output are distributed along the same axis. A transform then has two
  /// exchanges: one to a distribution along the other axis, and one back.
  bool back() const { return transposed_in == transposed_out; }
};

/// Arguments of a call like FFTW's, not checked yet.
struct Arguments {
  Kind kind = Kind::c2c;
  int sign = -1; ///< sign of c2c; the signs of other kinds are fixed
  int rank = 0;  ///< number of dimensions
  const std::ptrdiff_t *n = nullptr;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0;
  std::ptrdiff_t oblock = 0;
  void *in = nullptr;
  void *out = nullptr;
  unsigned flags = 0;
  int threads = 1;
  double time_limit = -1;                ///< seconds for planning; negative: no limit
  const int *kinds = nullptr;            ///< kind of each axis, by enum hfft_r2r_kind
  const std::ptrdiff_t *modes = nullptr; ///< number of retained modes along each axis
  bool needs_modes = false;              ///< `modes` is required; false: all modes are retained
  std::ptrdiff_t line_rows = 0; ///< rows of the matrix of a line; 0: shape_of_line() chooses them
  double scale = 1;             ///< factor of the result
  std::size_t real_bytes = sizeof(double);
};

/// Returns the problem of these extents and slabs; all other fields have their defaults. The caller
/// has checked that there are at least two extents and that all are positive. `kinds` is nullptr or
/// has a kind for each axis. r2c and c2r halve the last axis with kind HFFT_DFT. If `kinds` is
/// nullptr, they halve the last axis. Throws Failure if the blocks do not cover the extents.
Problem slab_problem(Kind kind, int sign, const std::vector<std::ptrdiff_t> &extents,
                     const std::vector<std::ptrdiff_t> &modes, std::ptrdiff_t howmany,
                     const SlabPair &slabs, int ranks, const int *kinds = nullptr);

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected. `ranks` is the size of the communicator.
Problem check(const Arguments &arguments, int ranks);

/// Arguments of a transposition of an n0 x n1 matrix of tuples of `howmany` reals. The matrix is
/// distributed along n0 in blocks of block0. Its transpose is distributed along n1 in blocks of
/// block1. Block 0 stands for the default.
struct TranspositionArguments {
  std::ptrdiff_t n0 = 0, n1 = 0;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block0 = 0, block1 = 0;
  std::size_t real_bytes = sizeof(double);
  void *in = nullptr;
  void *out = nullptr;
  unsigned flags = 0; ///< with HFFT_TRANSPOSED_IN the input is transposed in the memory of each
                      ///< rank, with HFFT_TRANSPOSED_OUT the output
  int threads = 1;
  double time_limit = -1; ///< seconds for planning; negative: no limit
};

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected.
Problem check(const TranspositionArguments &arguments, int ranks);

/// Sets the arrays of a problem, the number of threads and the time limit from the arguments of a
/// call, and checks the arrays. Throws Failure.
template <class Call> void set_execution(Problem &p, const Call &call) {
  p.threads = call.threads;
  p.time_limit = call.time_limit;
  p.input = call.in;
  p.output = call.out;
  p.in_place = call.in == call.out;
  check_arrays(p);
}

/// Throws Failure unless all `rank` extents and howmany are positive.
void check_shape(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany);

/// Throws Failure unless blocks of this size cover n points on all ranks. `name` is the argument's
/// name.
void check_block(const char *name, std::ptrdiff_t block, std::ptrdiff_t n, int ranks);

/// Checks the arguments of local_size functions: complex extents, howmany and blocks. Throws
/// Failure.
void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes);

/// Returns the number of complex elements that rank `me` needs for an array of these extents, at
/// least 1. The number suffices for a distribution along the first axis and for one along the
/// second axis. Throws Failure like check_extents().
std::ptrdiff_t slab_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                         std::ptrdiff_t block0, std::ptrdiff_t block1, int ranks, int me,
                         std::size_t real_bytes);

/// Returns the slabs of a problem that transforms all axes, or of a transposition. Returns nothing
/// for other layouts. It also returns nothing for pruned problems, unless the arrays come from
/// FFTW's interface: other arrays have no room for the complete grid.
std::optional<SlabPair> slab_pair(const Problem &problem);

/// Returns the paths of a pair of slabs, the default first. A path transforms planes in its first
/// stage or in its last stage; most problems have both paths. r2c and c2r have only the path with
/// planes on the real side. Pruned and deterministic problems have only the path with planes on the
/// side of the grid. A redistribution transforms nothing; on its path with planes in the last stage
/// the exchange produces the final order. Returns no path for other layouts. It also returns none
/// for deterministic problems if slabs would give other bits than other layouts.
std::vector<OrderedPath> slab_paths(const Problem &problem);

/// Returns the number of complex elements of each array on a rank, at least 1. For pairs of slabs
/// this includes room for intermediate data.
std::ptrdiff_t allocation(const Problem &problem, int rank);

// Distributed one-dimensional transforms by the four-step algorithm (Bailey, FFTs in external or
// hierarchical memory, J. Supercomputing 4, 1990). The line is stored as a matrix, and is planned
// like a two-dimensional array. Arguments follow FFTW's interface.

/// A line of n = rows x columns points, stored as a matrix: each row has `columns` successive
/// points. The spectrum X[k], k = k0 + rows k1, is also stored as a matrix: row k1 has the `rows`
/// successive numbers with k0 = 0 .. rows-1.
struct LineShape {
  std::ptrdiff_t rows = 1, columns = 1;
};

/// Among the shapes for which each block of the line, and each block of its spectrum, consists of
/// complete rows, returns the one closest to a square. Returns nothing if there is no such shape.
/// Block sizes are in points; the default, 0, fits every shape. With default blocks every n has a
/// shape: a prime number of points is one row on one rank.
std::optional<LineShape> shape_of_line(std::ptrdiff_t n, std::ptrdiff_t iblock = 0,
                                       std::ptrdiff_t oblock = 0);

/// Layouts of a line before and after the transform. In a Fourier transform each rank has complete
/// rows of the line's matrix. Scrambled data are numbered in memory order.
struct LineLayouts {
  Layout in, out;
};

/// Checks the arguments of a line and returns its layouts. Block sizes are in points; 0 stands for
/// the default, which is the same for all kinds of transforms. Only the flags HFFT_SCRAMBLED_IN and
/// HFFT_SCRAMBLED_OUT matter. Throws Failure.
LineLayouts line_layouts(const Arguments &arguments, int ranks);

/// Checks the arguments of this rank in a call with one dimension. Throws Failure.
Problem check_line(const Arguments &arguments, int ranks);

} // namespace hybridfft::plan
