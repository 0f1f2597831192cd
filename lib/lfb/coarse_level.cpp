#include "lfb/coarse_level.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "grid/all_gather.h"
#include "lfb/convolution.h"
#include "lfb/gridding.h"
#include "lfb/power_split.h"
#include "lfb/weighted_rows.h"

namespace hybridfft::lfb {

namespace {

using grid::Cartesian;
using grid::Index;
using grid::Index3;
using grid::View;

/// Reach over the length of the split, whose Gaussians are down to exp(-4) or less there; and over
/// the distance of coarse points, at whose Nyquist mode the smooth part has Gaussians of
/// exp(-pi^2).
constexpr double reach_of_length = 4;

/// The coarse points that a block has a share in.
struct Share {
  std::array<Gridding::Range, 3> along;
  int rank = 0;     ///< that has the block
  Index offset = 0; ///< of the share's values among those of the rank
  Index values() const { return along[0].count * along[1].count * along[2].count; }
};

/// How a block of this rank comes to its share, and back.
template <class Real> struct Block {
  grid::Box box;
  Share share;
  std::array<SparseMatrix<Real>, 3> to_coarse, to_fine;
};

/// Row `row` of a matrix times a matrix of rows of n values.
template <class Real>
void multiply_row(const SparseMatrix<Real> &matrix, Index row, const rows::Rows<Real> &from,
                  Real *to, Index n) {
  const Index begin = matrix.begin(row);
  rows::weighted_sum(from, matrix.columns.data() + begin, matrix.factors.data() + begin,
                     matrix.terms(row), to, n);
}

/// Calls f(first column, factors, terms) for each run of neighbouring columns of a row.
template <class Real, class F>
void for_runs(const SparseMatrix<Real> &matrix, Index row, const F &f) {
  const Index *columns = matrix.columns.data() + matrix.begin(row);
  const Real *factors = matrix.factors.data() + matrix.begin(row);
  const Index terms = matrix.terms(row);
  for (Index t = 0, end = 0; t < terms; t = end) {
    for (end = t + 1; end < terms && columns[end] == columns[end - 1] + 1;)
      ++end;
    f(columns[t], factors + t, end - t);
  }
}

std::string text(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%g", value);
  return digits.data();
}

void check(bool right, const std::string &what, double found, const std::string &expected) {
  if (!right)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "coarse level: " + what + " is " + text(found) + ", expected " + expected);
}

void check_arguments(const std::array<double, 3> &spacings, double reach,
                     std::span<const double> exponents) {
  for (std::size_t a = 0; a < 3; ++a)
    check(std::isfinite(spacings[a]) && spacings[a] > 0,
          "the spacing along axis " + std::to_string(a), spacings[a], "a positive number");
  check(std::isfinite(reach) && reach > 0, "the reach of the local part", reach,
        "a positive number");
  for (const double s : exponents)
    check(std::isfinite(s) && s > -2, "an exponent of the wave number", s, "a number above -2");
}

/// Coarse points are `distance` apart, or a little less.
std::array<Gridding, 3> griddings_of(const Cartesian &c, const std::array<double, 3> &spacings,
                                     double distance) {
  const auto along = [&](int axis) {
    const Index n = c.domain().extent(axis);
    const double length = static_cast<double>(n) * spacings[static_cast<std::size_t>(axis)];
    return Gridding(n, length / distance);
  };
  return {along(0), along(1), along(2)};
}

} // namespace

template <class Real> struct CoarseLevel<Real>::Impl {
  Impl(const Cartesian &c, const std::array<double, 3> &spacings, double reach,
       std::span<const double> exponents, int threads);

  void add_share(int block);
  void add_block(int number);
  void add_multiplier(const std::array<double, 3> &spacings, double exponent);

  void restrict_block(const Block<Real> &block, const View<const Real> &in, Real *share);
  void add_shares(const grid::AllGather<Real> &gather) const;
  void add_rows(const Share &share, const Real *values, Index first, Index last) const;
  void prolong_block(const Block<Real> &block, const View<Real> &out);

  /// What a multiplier has of its own.
  struct Multiplier {
    PowerSplit split;
    typename Convolution<Real>::Factors factors;
    grid::AllGather<Real> gather;
  };

  Cartesian cartesian;
  int threads;
  double length; ///< of the split
  std::array<Gridding, 3> griddings;
  std::vector<Share> shares; ///< of all blocks
  std::vector<Index> values; ///< number of values of each rank's shares
  std::vector<Block<Real>> blocks;
  std::optional<Convolution<Real>> coarse;
  std::vector<Multiplier> multipliers;
  Memory fine_rows, coarse_rows; ///< [coarse][n1][n2] and [coarse][coarse][n2] of a block
};

template <class Real>
CoarseLevel<Real>::Impl::Impl(const Cartesian &c, const std::array<double, 3> &spacings,
                              double reach, std::span<const double> exponents, int t)
    : cartesian(c), threads(t), length(reach / reach_of_length),
      griddings(griddings_of(c, spacings, length)) {
  cartesian.communicator().agree([&] {
    values.assign(static_cast<std::size_t>(cartesian.communicator().size()), 0);
    for (int block = 0; block < cartesian.blocks(); ++block)
      add_share(block);
    for (const int block : cartesian.mine())
      add_block(block);
    coarse.emplace(std::array{griddings[0].coarse(), griddings[1].coarse(), griddings[2].coarse()},
                   threads);
  });
  for (const double exponent : exponents)
    add_multiplier(spacings, exponent);
}

template <class Real> void CoarseLevel<Real>::Impl::add_share(int block) {
  const grid::Box box = cartesian.box(block);
  Share share;
  for (std::size_t a = 0; a < 3; ++a) {
    const int axis = static_cast<int>(a);
    share.along[a] = griddings[a].range(box.lo[axis], box.hi[axis]);
  }
  share.rank = cartesian.owner(block);
  share.offset = std::exchange(values[static_cast<std::size_t>(share.rank)],
                               values[static_cast<std::size_t>(share.rank)] + share.values());
  shares.push_back(share);
}

template <class Real> void CoarseLevel<Real>::Impl::add_block(int number) {
  Block<Real> block;
  block.box = cartesian.box(number);
  block.share = shares[static_cast<std::size_t>(number)];
  for (std::size_t a = 0; a < 3; ++a) {
    const int axis = static_cast<int>(a);
    block.to_coarse[a] =
        griddings[a].template to_coarse<Real>(block.box.lo[axis], block.box.hi[axis]);
    block.to_fine[a] = griddings[a].template to_fine<Real>(block.box.lo[axis], block.box.hi[axis]);
  }
  const auto bytes = [&](Index rows) {
    return static_cast<std::size_t>(rows * block.box.extent(2)) * sizeof(Real);
  };
  const Index planes = block.share.along[0].count;
  const std::size_t fine = bytes(planes * block.box.extent(1));
  const std::size_t both = bytes(planes * block.share.along[1].count);
  if (fine > fine_rows.bytes()) fine_rows = Memory(fine, threads);
  if (both > coarse_rows.bytes()) coarse_rows = Memory(both, threads);
  blocks.push_back(std::move(block));
}

template <class Real>
void CoarseLevel<Real>::Impl::add_multiplier(const std::array<double, 3> &spacings,
                                             double exponent) {
  const PowerSplit split(exponent, length);
  typename Convolution<Real>::Factors factors;
  cartesian.communicator().agree([&] {
    std::array<std::vector<double>, 3> k, response;
    for (std::size_t a = 0; a < 3; ++a) {
      const Index n = cartesian.domain().extent(static_cast<int>(a)), m = griddings[a].coarse();
      for (Index i = 0; i < m; ++i) {
        const double cycles = static_cast<double>(2 * i > m ? i - m : i) / static_cast<double>(n);
        k[a].push_back(2 * std::numbers::pi * cycles / spacings[a]);
        const double r = griddings[a].response(i);
        // The transforms are not scaled: their product is, by the number of points.
        response[a].push_back(r * r * static_cast<double>(n));
      }
    }
    factors = coarse->factors([&](Index i0, Index i1, Index i2) {
      const auto at = std::array{static_cast<std::size_t>(i0), static_cast<std::size_t>(i1),
                                 static_cast<std::size_t>(i2)};
      const double size = std::hypot(k[0][at[0]], k[1][at[1]], k[2][at[2]]);
      return split.smooth(size) / (response[0][at[0]] * response[1][at[1]] * response[2][at[2]]);
    });
  });
  multipliers.push_back({split, std::move(factors),
                         grid::AllGather<Real>(cartesian.communicator(), values, threads)});
}

/// Along axis 0 first, where rows lie beside each other and most of the work is, then along 1
/// and 2.
template <class Real>
void CoarseLevel<Real>::Impl::restrict_block(const Block<Real> &block, const View<const Real> &in,
                                             Real *share) {
  const grid::Box &box = block.box;
  const Index n1 = box.extent(1), n2 = box.extent(2);
  const Gridding::Range &c0 = block.share.along[0], &c1 = block.share.along[1],
                        &c2 = block.share.along[2];
  Real *fine = reinterpret_cast<Real *>(fine_rows.data());
  Real *both = reinterpret_cast<Real *>(coarse_rows.data());
  parallel_ranges(n1 * c0.count, threads, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Index j = row / c0.count, i = row % c0.count;
      multiply_row(block.to_coarse[0], i, {&in(box.lo[0], box.lo[1] + j, box.lo[2]), in.stride(0)},
                   fine + (i * n1 + j) * n2, n2);
    }
  });
  parallel_ranges(c0.count * c1.count, threads, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      Real *line = both + row * n2;
      multiply_row(block.to_coarse[1], row % c1.count, {fine + row / c1.count * n1 * n2, n2}, line,
                   n2);
      for (Index k = 0; k < c2.count; ++k) {
        Real sum = 0;
        for_runs(block.to_coarse[2], k, [&](Index begin, const Real *factors, Index terms) {
          sum += rows::product(line + begin, factors, terms);
        });
        share[row * c2.count + k] = sum;
      }
    }
  });
}

/// The grid becomes the sum of the shares of all blocks, added in the order of the blocks.
template <class Real>
void CoarseLevel<Real>::Impl::add_shares(const grid::AllGather<Real> &gather) const {
  const auto &n = coarse->extents();
  parallel_ranges(n[0], threads, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i)
      std::fill_n(coarse->row(i, 0), n[1] * n[2], Real(0));
    for (const Share &share : shares)
      add_rows(share, gather.of(share.rank).data() + share.offset, first, last);
  });
}

/// Adds a share to the planes first <= i < last of the grid.
template <class Real>
void CoarseLevel<Real>::Impl::add_rows(const Share &share, const Real *values, Index first,
                                       Index last) const {
  const auto &n = coarse->extents();
  const auto &[c0, c1, c2] = share.along;
  const Index before_end = std::min(c2.count, n[2] - c2.first);
  for (Index p = 0; p < c0.count; ++p) {
    const Index i = (c0.first + p) % n[0];
    if (i < first || i >= last) continue;
    for (Index q = 0; q < c1.count; ++q) {
      const Real *from = values + (p * c1.count + q) * c2.count;
      Real *to = coarse->row(i, (c1.first + q) % n[1]);
      for (Index k = 0; k < before_end; ++k)
        to[c2.first + k] += from[k];
      for (Index k = before_end; k < c2.count; ++k)
        to[k - before_end] += from[k];
    }
  }
}

/// The transpose of restrict_block(), from the grid.
template <class Real>
void CoarseLevel<Real>::Impl::prolong_block(const Block<Real> &block, const View<Real> &out) {
  const grid::Box &box = block.box;
  const Index n1 = box.extent(1), n2 = box.extent(2);
  const Gridding::Range &c0 = block.share.along[0], &c1 = block.share.along[1],
                        &c2 = block.share.along[2];
  const auto &n = coarse->extents();
  Real *fine = reinterpret_cast<Real *>(fine_rows.data());
  Real *both = reinterpret_cast<Real *>(coarse_rows.data());
  parallel_ranges(c0.count * c1.count, threads, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Real *from =
          coarse->row((c0.first + row / c1.count) % n[0], (c1.first + row % c1.count) % n[1]);
      Real *line = std::fill_n(both + row * n2, n2, Real(0)) - n2;
      for (Index k = 0; k < c2.count; ++k) {
        const Real value = from[(c2.first + k) % n[2]];
        for_runs(block.to_coarse[2], k, [&](Index begin, const Real *factors, Index terms) {
          rows::add(value, factors, line + begin, terms);
        });
      }
    }
  });
  parallel_ranges(c0.count * n1, threads, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      multiply_row(block.to_fine[1], row % n1, {both + row / n1 * c1.count * n2, n2},
                   fine + row * n2, n2);
    }
  });
  parallel_ranges(n1 * box.extent(0), threads, [&](Index first, Index last, int) {
    for (Index row = first; row < last; ++row) {
      const Index j = row / box.extent(0), i = row % box.extent(0);
      multiply_row(block.to_fine[0], i, {fine + j * n2, n1 * n2},
                   &out(box.lo[0] + i, box.lo[1] + j, box.lo[2]), n2);
    }
  });
}

template <class Real>
CoarseLevel<Real>::CoarseLevel(const Cartesian &cartesian, const std::array<double, 3> &spacings,
                               double reach, std::span<const double> exponents, int threads) {
  cartesian.communicator().agree([&] { check_arguments(spacings, reach, exponents); });
  impl_ = std::make_unique<Impl>(cartesian, spacings, reach, exponents, threads);
}
template <class Real> CoarseLevel<Real>::~CoarseLevel() = default;
template <class Real> CoarseLevel<Real>::CoarseLevel(CoarseLevel &&) noexcept = default;
template <class Real>
CoarseLevel<Real> &CoarseLevel<Real>::operator=(CoarseLevel &&) noexcept = default;

template <class Real> double CoarseLevel<Real>::local(std::size_t multiplier, double k) const {
  return impl_->multipliers[multiplier].split.local(k);
}

template <class Real> Index3 CoarseLevel<Real>::points() const {
  const auto &n = impl_->coarse->extents();
  return {{n[0], n[1], n[2]}};
}

template <class Real>
void CoarseLevel<Real>::start(std::size_t multiplier, std::span<const View<const Real>> in) {
  grid::AllGather<Real> &gather = impl_->multipliers[multiplier].gather;
  for (std::size_t b = 0; b < impl_->blocks.size(); ++b) {
    const Share &share = impl_->blocks[b].share;
    impl_->restrict_block(impl_->blocks[b], in[b], gather.of(share.rank).data() + share.offset);
  }
  gather.start();
}

template <class Real>
void CoarseLevel<Real>::finish(std::size_t multiplier, std::span<const View<Real>> out) {
  auto &m = impl_->multipliers[multiplier];
  m.gather.finish();
  impl_->add_shares(m.gather);
  impl_->coarse->apply(m.factors);
  for (std::size_t b = 0; b < impl_->blocks.size(); ++b)
    impl_->prolong_block(impl_->blocks[b], out[b]);
}

template <class Real>
void CoarseLevel<Real>::apply(std::size_t multiplier, std::span<const View<const Real>> in,
                              std::span<const View<Real>> out) {
  start(multiplier, in);
  finish(multiplier, out);
}

template class CoarseLevel<float>;
template class CoarseLevel<double>;

} // namespace hybridfft::lfb
