/// Random calls of FFTW-MPI's planner. A case depends only on its seed and the number of ranks.
#include "random_case.h"

#include <fftw3-mpi.h>

#include <algorithm>
#include <array>

namespace conformance {

std::uint64_t Random::next() {
  std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

bool Case::transposed_in() const { return (flags & FFTW_MPI_TRANSPOSED_IN) != 0; }
bool Case::transposed_out() const { return (flags & FFTW_MPI_TRANSPOSED_OUT) != 0; }

std::vector<std::ptrdiff_t> Case::element_extents() const {
  std::vector<std::ptrdiff_t> extents = n;
  if (kind == Kind::r2c || kind == Kind::c2r) extents.back() = extents.back() / 2 + 1;
  return extents;
}

bool Case::flat() const {
  return kind != Kind::r2r && kind != Kind::transpose && n.size() > 1 &&
         std::find(n.begin(), n.end(), 1) != n.end();
}

bool Case::possible() const {
  return !(kind == Kind::r2c && transposed_in()) && !(kind == Kind::c2r && transposed_out());
}

std::string Case::describe() const {
  constexpr std::array<const char *, 5> names{"c2c", "r2c", "c2r", "r2r", "transpose"};
  std::string text = "seed " + std::to_string(seed) + ": " + (single ? "single " : "double ") +
                     names[static_cast<std::size_t>(kind)];
  if (kind == Kind::c2c) text += sign < 0 ? " forward" : " backward";
  for (std::size_t i = 0; i < n.size(); ++i)
    text += (i == 0 ? " " : "x") + std::to_string(n[i]);
  for (const int k : kinds)
    text += " kind " + std::to_string(k);
  text += " howmany " + std::to_string(howmany) + " blocks " + std::to_string(iblock) + "," +
          std::to_string(oblock) + " flags " + std::to_string(flags);
  text += in_place ? " in place" : " out of place";
  if (new_arrays) text += " new arrays";
  if (fortran) text += " fortran";
  return text;
}

namespace {

/// Returns a small number, a power of two, a prime, or 1.
std::ptrdiff_t random_extent(Random &r) {
  constexpr std::array<std::ptrdiff_t, 12> special{2, 4, 16, 13, 17, 19, 23, 31, 37, 27, 32, 64};
  if (r.one_in(20)) return 1;
  return r.one_in(3) ? special[static_cast<std::size_t>(r.below(special.size()))] : 2 + r.below(13);
}

unsigned random_flags(Random &r, bool one_dimension, bool scrambles) {
  unsigned flags = r.one_in(8) ? FFTW_MEASURE : FFTW_ESTIMATE;
  if (r.one_in(6)) flags |= FFTW_DESTROY_INPUT;
  if (r.one_in(6)) flags |= FFTW_PRESERVE_INPUT;
  if (r.one_in(6)) flags |= FFTW_UNALIGNED;
  if (!one_dimension && r.one_in(3)) flags |= FFTW_MPI_TRANSPOSED_IN;
  if (!one_dimension && r.one_in(2)) flags |= FFTW_MPI_TRANSPOSED_OUT;
  if (scrambles && r.one_in(3)) flags |= FFTW_MPI_SCRAMBLED_IN;
  if (scrambles && r.one_in(3)) flags |= FFTW_MPI_SCRAMBLED_OUT;
  return flags;
}

/// Returns 0, the default block size, in three of four cases. Most other sizes cover n points; a
/// few are too small.
std::ptrdiff_t random_block(Random &r, std::ptrdiff_t n, int ranks) {
  if (!r.one_in(4)) return 0;
  const std::ptrdiff_t least = (n + ranks - 1) / ranks;
  if (r.one_in(8)) return std::max<std::ptrdiff_t>(least - 1, 0);
  if (r.one_in(8)) return n + r.below(2);
  return least + r.below(3);
}

} // namespace

Case random_case(std::uint64_t seed, int ranks, std::ptrdiff_t points) {
  Random r(seed);
  Case c;
  c.seed = seed;
  constexpr std::array<Kind, 10> kinds{Kind::c2c,       Kind::c2c, Kind::c2c, Kind::r2c,
                                       Kind::r2c,       Kind::c2r, Kind::c2r, Kind::transpose,
                                       Kind::transpose, Kind::r2r};
  c.kind = kinds[static_cast<std::size_t>(r.below(kinds.size()))];
  c.single = r.one_in(2);
  c.sign = r.one_in(2) ? FFTW_FORWARD : FFTW_BACKWARD;
  std::ptrdiff_t rank = 2 + r.below(3);
  if ((c.kind == Kind::c2c || c.kind == Kind::r2r) && r.one_in(4)) rank = 1;
  if (c.kind == Kind::transpose) rank = 2;
  std::ptrdiff_t product = 1;
  for (std::ptrdiff_t i = 0; i < rank; ++i) {
    std::ptrdiff_t n = random_extent(r);
    if (product * n > points) n = 2 + r.below(2);
    product *= n;
    c.n.push_back(n);
  }
  // FFTW 3.3.10 crashes if a transform has one point.
  if (product == 1) c.n[0] = 2;
  const bool real_line = rank == 1 && c.kind == Kind::r2r;
  c.howmany = real_line ? 1 + r.below(3 * ranks) : r.one_in(3) ? 1 + r.below(3) : 1;
  c.flags = random_flags(r, rank == 1, rank == 1 && !real_line);
  if (real_line) {
    c.iblock = random_block(r, c.n[0], ranks);
    c.oblock = random_block(r, c.n[0], ranks);
  } else if (rank > 1 && !c.flat()) {
    c.iblock = random_block(r, c.n[c.transposed_in() ? 1 : 0], ranks);
    c.oblock = random_block(r, c.n[c.transposed_out() ? 1 : 0], ranks);
  }
  c.in_place = r.one_in(2);
  c.new_arrays = r.one_in(3);
  c.fortran = r.one_in(4);
  constexpr std::ptrdiff_t all_kinds = FFTW_RODFT11 + 1;
  for (std::size_t i = 0; c.kind == Kind::r2r && i < c.n.size(); ++i)
    c.kinds.push_back(static_cast<int>(r.below(all_kinds)));
  return c;
}

} // namespace conformance
