#include "solvers/lfb/axis_fill.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace hybridfft::lfb {

namespace {

/// Maximum number of operands or results of a line.
constexpr std::ptrdiff_t max_numbers = 256;
template <class Real>
using LineBuffers = std::array<std::array<Real, max_numbers>, SmallMatrix<Real>::max_lines>;

/// Multiplies the contiguous lines [first, last) by a matrix, Matrix::max_lines at a time. line(o,
/// buffer) returns the addresses of the operands and of the result of line o. It may copy the
/// operands into the buffer.
template <class Real, class Matrix, class Line>
void multiply_along(const Matrix &matrix, std::ptrdiff_t first, std::ptrdiff_t last,
                    const Line &line) {
  constexpr std::ptrdiff_t most = Matrix::max_lines;
  LineBuffers<Real> values;
  std::array<const Real *, most> from{};
  std::array<Real *, most> to{};
  for (std::ptrdiff_t o = first; o < last; o += most) {
    const std::ptrdiff_t count = std::min(most, last - o);
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      const auto at = static_cast<std::size_t>(l);
      std::tie(from[at], to[at]) = line(o + l, values[at].data());
    }
    matrix.along(from.data(), to.data(), count);
  }
}

} // namespace

template <class Real>
AxisFill<Real>::AxisFill(const Basis &basis, std::ptrdiff_t gap)
    : overlap_(basis.overlap()), gap_(gap) {
  if (!basis.moments().empty())
    moments_ = SmallMatrix<Real>(basis.numbers(), overlap_, basis.moments().data());
  const std::vector<double> all = basis.coefficients(gap);
  if (basis.kind() == Basis::GapRule::continuation)
    continuation_ = MirroredMatrix<Real>(gap, basis.own(), basis.numbers(), all.data());
  else
    bell_ = SparseMatrix<Real>::of(gap, basis.columns(), all.data());
}

template <class Real>
void AxisFill<Real>::pack_across(const Packing<Real> &packing, std::ptrdiff_t o) const {
  const auto group = packing.group(o);
  std::array<const Real *, max_numbers> points{};
  for (std::ptrdiff_t j = 0; j < overlap_; ++j)
    points[static_cast<std::size_t>(j)] = group.from(j);
  std::array<Real *, max_numbers> rows{};
  for (std::ptrdiff_t q = 0; q < packing.numbers; ++q)
    rows[static_cast<std::size_t>(q)] = group.to(q);
  moments_.across(points.data(), rows.data(), packing.lines.inner);
}

template <class Real>
void AxisFill<Real>::pack_along(const Packing<Real> &packing, std::ptrdiff_t first,
                                std::ptrdiff_t last) const {
  multiply_along<Real>(moments_, first, last, [&](std::ptrdiff_t o, Real *buffer) {
    const auto line = packing.group(o);
    if (packing.side == AxisSide::below) return std::pair(line.cut, line.to(0));
    std::reverse_copy(line.cut - overlap_ + 1, line.cut + 1, buffer);
    return std::pair<const Real *, Real *>(buffer, line.to(0));
  });
}

template <class Real>
void AxisFill<Real>::pack(const Packing<Real> &packing, Index first, Index end) const {
  const Lines<Real> &lines = packing.lines;
  if (!moments_.empty() && lines.inner == 1 && lines.stride == 1)
    return pack_along(packing, first, end);
  for (Index o = first; o < end; ++o)
    if (moments_.empty()) {
      const auto group = packing.group(o);
      for (Index q = 0; q < packing.numbers; ++q)
        std::copy_n(group.from(q), lines.inner, group.to(q));
    } else {
      pack_across(packing, o);
    }
}

template <class Real>
void AxisFill<Real>::fill_bell(const Filling<Real> &filling, std::ptrdiff_t outer) const {
  const std::ptrdiff_t inner = filling.lines.inner;
  const auto group = filling.group(outer);
  for (std::ptrdiff_t g = 0; g < gap_; ++g) {
    Real *gap = group.to(g);
    std::fill_n(gap, inner, Real{0});
    for (std::ptrdiff_t t = bell_.begin(g); t < bell_.begin(g) + bell_.terms(g); ++t) {
      const auto term = static_cast<std::size_t>(t);
      const Real *from = group.from(bell_.columns[term]);
      const Real factor = bell_.factors[term];
#pragma omp simd
      for (std::ptrdiff_t i = 0; i < inner; ++i)
        gap[i] += factor * from[i];
    }
  }
}

template <class Real>
void AxisFill<Real>::fill_across(const Filling<Real> &filling, std::ptrdiff_t outer) const {
  const auto group = filling.group(outer);
  std::array<const Real *, max_numbers> columns{};
  for (std::ptrdiff_t c = 0; c < continuation_.columns(); ++c)
    columns[static_cast<std::size_t>(c)] = group.from(c);
  std::array<Real *, max_numbers> gap{};
  for (std::ptrdiff_t g = 0; g < gap_; ++g)
    gap[static_cast<std::size_t>(g)] = group.to(g);
  continuation_.across(columns.data(), gap.data(), filling.lines.inner);
}

template <class Real>
void AxisFill<Real>::fill_along(const Filling<Real> &filling, std::ptrdiff_t first,
                                std::ptrdiff_t last) const {
  const std::ptrdiff_t own = filling.own, numbers = filling.numbers;
  multiply_along<Real>(continuation_, first, last, [&](std::ptrdiff_t o, Real *buffer) {
    const auto line = filling.group(o);
    Real *next = buffer;
    for (const auto &[c, number] : {std::pair{std::ptrdiff_t{0}, own},
                                    {own, own},
                                    {2 * own, numbers},
                                    {2 * own + numbers, numbers}})
      next = std::copy_n(line.from(c), number, next);
    return std::pair<const Real *, Real *>(buffer, line.to(0));
  });
}

template <class Real>
void AxisFill<Real>::fill(const Filling<Real> &filling, Index first, Index end) const {
  const Lines<Real> &lines = filling.lines;
  if (!continuation_.empty() && lines.inner == 1 && lines.stride == 1)
    return fill_along(filling, first, end);
  for (Index o = first; o < end; ++o)
    if (continuation_.empty())
      fill_bell(filling, o);
    else
      fill_across(filling, o);
}

template class AxisFill<float>;
template class AxisFill<double>;

} // namespace hybridfft::lfb
