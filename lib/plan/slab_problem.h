/// Problems whose layouts are pairs of slabs, as FFTW's interface names them.
#pragma once

#include <optional>

#include "plan/path.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// How FFTW's interface names a pair of slabs: arrays cut along their first axis, or stored with
/// the second one first and cut along that where they are transposed.
struct SlabPair {
  bool transposed_in = false;
  bool transposed_out = false;
  std::ptrdiff_t iblock = 0; ///< block of the input's distribution; 0: the default
  std::ptrdiff_t oblock = 0; ///< block of the output's distribution

  /// The output is cut along the axis that the input is cut along, too: data go there and back.
  bool back() const { return transposed_in == transposed_out; }
};

/// The arguments of a call in FFTW's manner, unchecked.
struct Arguments {
  Kind kind = Kind::c2c;
  int sign = -1; ///< the sign of c2c; the other kinds have their own
  int rank = 0;
  const std::ptrdiff_t *n = nullptr;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t iblock = 0;
  std::ptrdiff_t oblock = 0;
  void *in = nullptr;
  void *out = nullptr;
  unsigned flags = 0;
  int threads = 1;
  double time_limit = -1;                ///< seconds for planning; negative: none
  const int *kinds = nullptr;            ///< kind of each axis, of enum hfft_r2r_kind
  const std::ptrdiff_t *modes = nullptr; ///< number of modes that are kept along each axis
  bool needs_modes = false;              ///< otherwise all are
  double scale = 1;                      ///< factor of the result
  std::size_t real_bytes = sizeof(double);
};

/// The problem of these extents and slabs, with nothing else set. The extents are positive, two at
/// least, and the blocks cover them. The kinds of r2c and c2r, one for each axis, halve the last
/// axis with HFFT_DFT; without kinds it is the last axis of all.
Problem slab_problem(Kind kind, int sign, const std::vector<std::ptrdiff_t> &extents,
                     const std::vector<std::ptrdiff_t> &modes, std::ptrdiff_t howmany,
                     const SlabPair &slabs, int ranks, const int *kinds = nullptr);

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected. `ranks` is the size of the communicator.
Problem check(const Arguments &arguments, int ranks);

/// Transposition of the matrix n0 x n1 of tuples of `howmany` real numbers. It is distributed along
/// n0 in blocks of block0, and becomes n1 x n0, distributed along n1 in blocks of block1; 0 is the
/// default block.
struct TranspositionArguments {
  std::ptrdiff_t n0 = 0, n1 = 0;
  std::ptrdiff_t howmany = 1;
  std::ptrdiff_t block0 = 0, block1 = 0;
  std::size_t real_bytes = sizeof(double);
  void *in = nullptr;
  void *out = nullptr;
  unsigned flags =
      0; ///< HFFT_TRANSPOSED_IN, _OUT: local parts in the memory order of the other side
  int threads = 1;
  double time_limit = -1; ///< seconds for planning; negative: none
};

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected.
Problem check(const TranspositionArguments &arguments, int ranks);

/// Checks extents (n0.. given as complex extents), howmany and blocks for local_size queries.
/// Throws Failure.
void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes);

/// Complex numbers that arrays of these extents need on rank `me`, cut along either of the first
/// two axes; at least 1. Throws Failure as check_extents().
std::ptrdiff_t slab_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                         std::ptrdiff_t block0, std::ptrdiff_t block1, int ranks, int me,
                         std::size_t real_bytes);

/// The layouts of a problem as a pair of slabs whose axes are all transformed, or none where the
/// array is transposed. Nothing for other layouts, and for pruned spectra of other calls than
/// FFTW's, whose arrays have no room for the grid.
std::optional<SlabPair> slab_pair(const Problem &problem);

/// The paths of a pair of slabs, the default first. Real transforms have their planes at the real
/// side, pruned ones and deterministic ones at the side of the grid. A redistribution has them in
/// the last stage if its exchange leaves the final order. Empty for other layouts, and for
/// deterministic pairs whose bits would differ from those of plans between other layouts.
std::vector<OrderedPath> slab_paths(const Problem &problem);

/// Complex numbers that each array needs on a rank: for the elements that it holds and, where the
/// layouts are a pair of slabs, for those that a transform keeps in it meanwhile. At least 1.
std::ptrdiff_t allocation(const Problem &problem, int rank);

} // namespace hybridfft::plan
