/// Adds the contribution of distant blocks to power-law absorption. Its operator |k|^s has a kernel
/// that spans the whole grid, so an overlap with the neighbours cannot represent it.
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

/// Multiplies the spectrum of fields in blocks of a periodic grid by |k|^s. The multiplier is
/// split:
///   |k|^s = local(k) + smooth(k)   (PowerSplit).
/// Blocks compute the local part by transforms of their own periods, extended by the neighbours'
/// points (Basis::points, with a gap of at least twice the overlap). This class adds the smooth
/// part. A smooth window restricts the fields to a coarse grid (Gridding). Each rank gathers and
/// sums the contributions of all blocks, multiplies the spectrum of the sum by smooth(k), and
/// prolongs the result to its blocks.
///
/// The coarse grid has 1/64 of the points for an overlap of 16 points along all axes, and 1/8 for 8
/// points; smaller overlaps are inefficient. Every rank stores and transforms the whole coarse
/// grid. The smooth part has an error of 1e-5 relative to |k|^s. Its bits do not depend on the
/// assignment of blocks to ranks, nor on the number of threads.
template <class Real> class CoarseLevel {
public:
  /// \param spacings  spacing of the points along the axes of `cartesian`, in any unit of length
  /// \param reach     distance beyond a cut covered by the local part, in the same unit: the
  ///                  minimum of overlap times spacing over the distributed axes. The spacing of
  ///                  the coarse points is about a quarter of the reach.
  /// \param exponents s of each multiplier, > -2; |0|^s is 0 for negative s
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks, with the found value, for spacings, a reach
  /// or exponents out of range; Error(HFFT_ERROR_OVERFLOW) if the shares of all blocks have 2^31 or
  /// more coarse points
  ///
  /// Collective over the grid's communicator, in the same order on all ranks; start(), finish() and
  /// apply() are collective, too.
  CoarseLevel(const grid::Cartesian &cartesian, const std::array<double, 3> &spacings, double reach,
              std::span<const double> exponents, int threads);
  /// Constructs the operator for fields on a device. The device's compute stream reads and writes
  /// the fields. The coarse grid is on the host; finish() waits until the device has computed the
  /// shares of its blocks.
  CoarseLevel(const grid::Cartesian &cartesian, const std::array<double, 3> &spacings, double reach,
              std::span<const double> exponents, int threads, device::Runtime &runtime);
  ~CoarseLevel();
  CoarseLevel(CoarseLevel &&) noexcept;
  CoarseLevel &operator=(CoarseLevel &&) noexcept;

  /// Returns the factor of mode k >= 0 in local transforms, which replaces |k|^s.
  double local(std::size_t multiplier, double k) const;

  /// Number of coarse points along each axis.
  grid::Index3 points() const;

  /// Restricts one field per block of this rank and sends the result to the other ranks. Fields are
  /// in the order of the blocks and indexed by global points. Each multiplier may have one start()
  /// in flight.
  /// \throws Error(HFFT_ERROR_MPI)
  void start(std::size_t multiplier, std::span<const grid::View<const Real>> in);
  /// Completes start() and writes the smooth part to all points of the blocks.
  void finish(std::size_t multiplier, std::span<const grid::View<Real>> out);
  /// Calls start() and finish(). `in` and `out` may be the same.
  void apply(std::size_t multiplier, std::span<const grid::View<const Real>> in,
             std::span<const grid::View<Real>> out);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class CoarseLevel<float>;
extern template class CoarseLevel<double>;

} // namespace hybridfft::lfb
