#include "solvers/lfb/coarse_level.h"

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
#include "solvers/lfb/convolution.h"
#include "solvers/lfb/gridding.h"

namespace hybridfft::lfb {

namespace {

using grid::Cartesian;
using grid::Index;
using grid::Index3;
using grid::View;

/// Ratio of the reach to the length parameter of the split. At the reach, the Gaussians of the
/// local part are at most exp(-4). Coarse points are at most the length parameter apart. At the
/// Nyquist mode of the coarse grid, the Gaussians of the smooth part are therefore at most
/// exp(-pi^2).
constexpr double reach_of_length = 4;

/// Place of a block's contribution to the coarse grid, for blocks of all ranks.
struct Share {
  GridRanges along;
  int rank = 0;     ///< owner of the block
  Index offset = 0; ///< offset among the values of the rank
};

std::string text(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%g", value);
  return digits.data();
}

/// Throws unless `right`: "coarse level: `what` is `found`, expected `expected`".
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

/// Creates griddings with coarse points at most `distance` apart.
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
       std::span<const double> exponents, int threads, device::Runtime *device);

  void add_share(int block);
  GriddedBlock<Real> gridded(int block) const;
  void add_multiplier(const std::array<double, 3> &spacings, double exponent);

  /// Returns the addresses of the shares of this rank's blocks in the array at `first`, which holds
  /// all values of the rank.
  std::span<Real *const> of_blocks(Real *first);
  void gather_started();
  template <class F> void for_rows(const Share &share, Index first, Index last, const F &f) const;
  void add_shares(const grid::AllGather<Real> &gather) const;
  void take_shares();

  /// State of one multiplier.
  struct Multiplier {
    PowerSplit split;
    typename Convolution<Real>::Factors factors;
    grid::AllGather<Real> gather;
  };

  Cartesian cartesian;
  int threads;
  double length; ///< length parameter of the split
  std::array<Gridding, 3> griddings;
  std::vector<Share> shares; ///< shares of all blocks
  std::vector<Index> values; ///< number of values in each rank's shares
  std::unique_ptr<BlockGridding<Real>> gridding;
  std::optional<Convolution<Real>> coarse;
  std::vector<Multiplier> multipliers;
  std::vector<std::size_t> started; ///< multipliers whose shares are not yet being gathered
  Memory results;                   ///< shares of this rank's blocks
  std::vector<Real *> pointers;
};

template <class Real>
CoarseLevel<Real>::Impl::Impl(const Cartesian &c, const std::array<double, 3> &spacings,
                              double reach, std::span<const double> exponents, int t,
                              device::Runtime *device)
    : cartesian(c), threads(t), length(reach / reach_of_length),
      griddings(griddings_of(c, spacings, length)) {
  cartesian.communicator().agree([&] {
    values.assign(static_cast<std::size_t>(cartesian.communicator().size()), 0);
    for (int block = 0; block < cartesian.blocks(); ++block)
      add_share(block);
    std::vector<GriddedBlock<Real>> blocks;
    for (const int block : cartesian.mine())
      blocks.push_back(gridded(block));
    gridding = device == nullptr ? grid_on_host(std::move(blocks), threads)
                                 : grid_on_device(std::move(blocks), exponents.size(), *device);
    const Index mine = values[static_cast<std::size_t>(cartesian.communicator().rank())];
    results = Memory(static_cast<std::size_t>(mine) * sizeof(Real), threads);
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
  share.offset =
      std::exchange(values[static_cast<std::size_t>(share.rank)],
                    values[static_cast<std::size_t>(share.rank)] + points_of(share.along));
  shares.push_back(share);
}

template <class Real> GriddedBlock<Real> CoarseLevel<Real>::Impl::gridded(int block) const {
  const grid::Box box = cartesian.box(block);
  GriddedBlock<Real> result{box, shares[static_cast<std::size_t>(block)].along, {}, {}};
  for (std::size_t a = 0; a < 3; ++a) {
    const Index first = box.lo[static_cast<int>(a)], end = box.hi[static_cast<int>(a)];
    result.to_coarse[a] = griddings[a].template to_coarse<Real>(first, end);
    result.to_fine[a] = griddings[a].template to_fine<Real>(first, end);
  }
  return result;
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
        // The transforms are not normalised, so the response includes the number of points.
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

template <class Real> std::span<Real *const> CoarseLevel<Real>::Impl::of_blocks(Real *first) {
  pointers.clear();
  for (const int block : cartesian.mine())
    pointers.push_back(first + shares[static_cast<std::size_t>(block)].offset);
  return pointers;
}

/// Starts to gather the blocks' contributions (shares) for each multiplier in `started`. The
/// multipliers are in the order of the calls of start(), which is the same on all ranks.
template <class Real> void CoarseLevel<Real>::Impl::gather_started() {
  for (const std::size_t m : started) {
    gridding->await_shares(m);
    multipliers[m].gather.start();
  }
  started.clear();
}

/// Calls f(row of the grid, columns, offset in the share) for each run of contiguous columns of a
/// share in the planes first <= i < last of the grid. A share that wraps around the periodic grid
/// has two runs per row.
template <class Real>
template <class F>
void CoarseLevel<Real>::Impl::for_rows(const Share &share, Index first, Index last,
                                       const F &f) const {
  const auto &n = coarse->extents();
  const auto &[c0, c1, c2] = share.along;
  const Index before_end = std::min(c2.count, n[2] - c2.first);
  for (Index p = 0; p < c0.count; ++p) {
    const Index i = (c0.first + p) % n[0];
    if (i < first || i >= last) continue;
    for (Index q = 0; q < c1.count; ++q) {
      const Index from = (p * c1.count + q) * c2.count;
      Real *row = coarse->row(i, (c1.first + q) % n[1]);
      f(row + c2.first, before_end, from);
      f(row, c2.count - before_end, from + before_end);
    }
  }
}

/// Sets the grid to the sum of all shares, added in the order of the blocks.
template <class Real>
void CoarseLevel<Real>::Impl::add_shares(const grid::AllGather<Real> &gather) const {
  const auto &n = coarse->extents();
  parallel_ranges(n[0], threads, [&](Index first, Index last, int) {
    for (Index i = first; i < last; ++i)
      std::fill_n(coarse->row(i, 0), n[1] * n[2], Real(0));
    for (const Share &share : shares) {
      const Real *all = gather.of(share.rank).data() + share.offset;
      for_rows(share, first, last, [&](Real *row, Index columns, Index from) {
        for (Index k = 0; k < columns; ++k)
          row[k] += all[from + k];
      });
    }
  });
}

/// Copies the results on the coarse grid to `results`: for each of this rank's blocks the points of
/// its Share.
template <class Real> void CoarseLevel<Real>::Impl::take_shares() {
  Real *const first_result = reinterpret_cast<Real *>(results.data());
  parallel_ranges(coarse->extents()[0], threads, [&](Index first, Index last, int) {
    for (const int block : cartesian.mine()) {
      const Share &share = shares[static_cast<std::size_t>(block)];
      for_rows(share, first, last, [&](const Real *row, Index columns, Index to) {
        std::copy_n(row, columns, first_result + share.offset + to);
      });
    }
  });
}

template <class Real>
CoarseLevel<Real>::CoarseLevel(const Cartesian &cartesian, const std::array<double, 3> &spacings,
                               double reach, std::span<const double> exponents, int threads) {
  cartesian.communicator().agree([&] { check_arguments(spacings, reach, exponents); });
  impl_ = std::make_unique<Impl>(cartesian, spacings, reach, exponents, threads, nullptr);
}
template <class Real>
CoarseLevel<Real>::CoarseLevel(const Cartesian &cartesian, const std::array<double, 3> &spacings,
                               double reach, std::span<const double> exponents, int threads,
                               device::Runtime &runtime) {
  cartesian.communicator().agree([&] { check_arguments(spacings, reach, exponents); });
  impl_ = std::make_unique<Impl>(cartesian, spacings, reach, exponents, threads, &runtime);
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
  const grid::AllGather<Real> &gather = impl_->multipliers[multiplier].gather;
  const int me = impl_->cartesian.communicator().rank();
  impl_->gridding->start_shares(multiplier, in, impl_->of_blocks(gather.of(me).data()));
  impl_->started.push_back(multiplier);
  if (impl_->gridding->shares_at_once()) impl_->gather_started();
}

template <class Real>
void CoarseLevel<Real>::finish(std::size_t multiplier, std::span<const View<Real>> out) {
  auto &m = impl_->multipliers[multiplier];
  impl_->gather_started();
  m.gather.finish();
  impl_->add_shares(m.gather);
  impl_->coarse->apply(m.factors);
  impl_->take_shares();
  impl_->gridding->prolong(multiplier,
                           impl_->of_blocks(reinterpret_cast<Real *>(impl_->results.data())), out);
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
