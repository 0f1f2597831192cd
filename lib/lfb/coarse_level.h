/// The part of power-law absorption that no overlap can give: the contribution of distant blocks.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/cartesian.hpp"

namespace hybridfft::lfb {

/// Multiplications by |k|^s of fields that lie in blocks of a periodic grid. The kernel of |k|^s
/// reaches across the whole grid, and so is taken apart:
///   |k|^s = local(k) + smooth(k)   (PowerSplit).
/// Blocks compute the first part by transforms of their own periods, which the neighbours' points
/// continue (Basis::points, with at least twice the overlap between the ends of a block). This
/// class adds the missing part: fields are brought to a coarse grid by a smooth window (Gridding),
/// each rank gets the sums of all blocks, multiplies their spectrum by smooth(k), and brings the
/// result back.
///
/// The coarse grid has 1/64 of the points when the overlap is 16 points along all axes, 1/8 with 8
/// points: overlaps below that are better avoided. Every rank holds and transforms all of it. The
/// result is the smooth part to 1e-5 of the values of |k|^s, and depends on the blocks alone, not
/// on the ranks that have them nor on threads, not even in the last bit.
template <class Real> class CoarseLevel {
public:
  /// \param spacings  of the points along the axes of `cartesian`, in one unit
  /// \param reach     how far beyond a cut the local part sees points of neighbours, in this unit:
  ///                  the least product of overlap and spacing among the axes that are cut. The
  ///                  coarse points are about a quarter of it apart.
  /// \param exponents s of each multiplier, > -2; |k|^s counts as 0 at k = 0 where it is infinite
  /// Collective over the grid's communicator, in the same order on all ranks; so are start(),
  /// finish() and apply(). Throws Error(HFFT_ERROR_ARGUMENT) on all ranks for spacings, a reach and
  /// exponents out of range, with the value found; Error(HFFT_ERROR_OVERFLOW) when the blocks'
  /// shares have 2^31 or more coarse points together.
  CoarseLevel(const grid::Cartesian &cartesian, const std::array<double, 3> &spacings, double reach,
              std::span<const double> exponents, int threads);
  /// The same for fields on a device, which are read and written in its compute stream. The host
  /// has the coarse grid; finish() waits until the device has computed the shares of its blocks.
  CoarseLevel(const grid::Cartesian &cartesian, const std::array<double, 3> &spacings, double reach,
              std::span<const double> exponents, int threads, device::Runtime &runtime);
  ~CoarseLevel();
  CoarseLevel(CoarseLevel &&) noexcept;
  CoarseLevel &operator=(CoarseLevel &&) noexcept;

  /// The factor of mode k >= 0 in local transforms, also at k = 0, in place of |k|^s.
  double local(std::size_t multiplier, double k) const;

  /// Numbers of points of the coarse grid along the axes.
  grid::Index3 points() const;

  /// Takes one field of each of this rank's blocks, in their order and indexed by their points, and
  /// sends the shares that the other ranks need of it. Each multiplier may be under way once. Throw
  /// Error(HFFT_ERROR_MPI).
  void start(std::size_t multiplier, std::span<const grid::View<const Real>> in);
  /// Writes the smooth part of the fields of start() to all points of the blocks.
  void finish(std::size_t multiplier, std::span<const grid::View<Real>> out);
  /// Both; in and out may be the same.
  void apply(std::size_t multiplier, std::span<const grid::View<const Real>> in,
             std::span<const grid::View<Real>> out);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class CoarseLevel<float>;
extern template class CoarseLevel<double>;

} // namespace hybridfft::lfb
