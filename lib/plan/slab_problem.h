/// Problems whose layouts are pairs of slabs, as FFTW's interface names them.
#pragma once

#include <optional>

#include "plan/problem.h"

namespace hybridfft::plan {

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
  const std::ptrdiff_t *modes = nullptr; ///< number of modes that are kept along each axis
  bool needs_modes = false;              ///< otherwise all are
  double scale = 1;                      ///< factor of the result
  std::size_t real_bytes = sizeof(double);
};

/// The problem of these extents and slabs, with nothing else set. The extents are positive, two at
/// least, and the blocks cover them.
Problem slab_problem(Kind kind, int sign, const std::vector<std::ptrdiff_t> &extents,
                     const std::vector<std::ptrdiff_t> &modes, std::ptrdiff_t howmany,
                     const SlabPair &slabs, int ranks);

/// Checks the arguments of this rank. Throws Failure naming the argument, the value found and the
/// value expected. `ranks` is the size of the communicator.
Problem check(const Arguments &arguments, int ranks);

/// Checks extents (n0.. given as complex extents), howmany and blocks for local_size queries.
/// Throws Failure.
void check_extents(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany, std::ptrdiff_t block0,
                   std::ptrdiff_t block1, int ranks, std::size_t real_bytes);

/// Complex numbers that arrays of these extents need on rank `me`, cut along either of the first
/// two axes; at least 1. Throws Failure as check_extents().
std::ptrdiff_t slab_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                         std::ptrdiff_t block0, std::ptrdiff_t block1, int ranks, int me,
                         std::size_t real_bytes);

/// The layouts of a problem as a pair of slabs, of which all axes are transformed, or none where
/// the array is transposed; nothing where they are others.
std::optional<SlabPair> slab_pair(const Problem &problem);

/// Whether the deterministic plan of a pair of slabs takes the axes one by one in the order of
/// deterministic plans between other layouts (path.h), so that both have the same bits. Others are
/// planned along a path.
bool has_bits_of_paths(const Problem &problem, const SlabPair &slabs);

/// Complex numbers that each array needs on a rank: for the elements that it holds and, where the
/// layouts are a pair of slabs, for those that a transform keeps in it meanwhile. At least 1.
std::ptrdiff_t allocation(const Problem &problem, int rank);

} // namespace hybridfft::plan
