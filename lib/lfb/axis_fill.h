/// What a basis does along one axis of a block: packs what the neighbours need, and fills the gap.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lfb/basis.h"
#include "lfb/small_product.h"

namespace hybridfft::lfb {

/// Lines of a field of one block along an axis, in groups of `inner` lines beside each other in
/// memory (1 along the contiguous axis). Point x of line i of group o is at
/// data[group(o) + x * stride + i], and the numbers sent for it at
/// message[(o * numbers + q) * inner + i].
template <class Real> struct Lines {
  Real *data = nullptr;
  std::array<std::ptrdiff_t, 2> groups{}, group_strides{};
  std::ptrdiff_t inner = 0;
  std::ptrdiff_t stride = 0;
  std::ptrdiff_t n = 0; ///< points of the block

  std::ptrdiff_t outer() const { return groups[0] * groups[1]; }
  std::ptrdiff_t count() const { return outer() * inner; }
  Real *group(std::ptrdiff_t o) const {
    return data + o / groups[1] * group_strides[0] + o % groups[1] * group_strides[1];
  }
};

/// Which end of its lines a block sends or receives at.
enum class Side { below, above };

template <class Real> class AxisFill {
public:
  /// Throws Error(HFFT_ERROR_ARGUMENT) for a gap that the basis cannot fill.
  AxisFill(const Basis &basis, std::ptrdiff_t gap);

  std::ptrdiff_t numbers() const { return numbers_; }

  /// Writes what the neighbour on a side needs: numbers() values for each line.
  void pack(const Lines<Real> &lines, Side side, Real *message, int threads) const;
  /// Computes the points of the gap after the n points of each line.
  void fill(const Lines<Real> &lines, const Real *from_below, const Real *from_above,
            int threads) const;

private:
  struct Term {
    std::ptrdiff_t column;
    Real factor;
  };
  /// The terms of a point of a bell's gap, one or two.
  using Row = std::vector<Term>;
  struct Received {
    const Real *below, *above;
  };

  void pack_group(const Lines<Real> &lines, Side side, std::ptrdiff_t o, Real *to) const;
  void fill_bell(const Lines<Real> &lines, const Received &received, std::ptrdiff_t outer) const;
  void fill_across(const Lines<Real> &lines, const Received &received, std::ptrdiff_t outer) const;
  void fill_along(const Lines<Real> &lines, const Received &received, std::ptrdiff_t first,
                  std::ptrdiff_t last) const;
  /// Where column c of the coefficients of group `outer` of lines is.
  const Real *column(const Lines<Real> &lines, const Received &received, std::ptrdiff_t outer,
                     std::ptrdiff_t c) const;

  std::ptrdiff_t numbers_, own_, overlap_, gap_;
  SmallMatrix<Real> moments_;      ///< of the points beyond a cut; empty when the points are sent
  std::vector<Row> bell_;          ///< of the points of a bell's gap
  SmallMatrix<Real> continuation_; ///< gap x (2 own + 2 numbers); empty for a bell
};

extern template class AxisFill<float>;
extern template class AxisFill<double>;

} // namespace hybridfft::lfb
