#include "lfb/axis_fill.h"

#include <algorithm>
#include <array>

#include "base/threads.h"

namespace hybridfft::lfb {

namespace {

/// Numbers that one line has to do with, at most: those of a continuation, or of a packed side.
constexpr std::ptrdiff_t most_numbers = 256;
template <class Real>
using LineBuffers = std::array<std::array<Real, most_numbers>, SmallMatrix<Real>::most_lines>;

} // namespace

template <class Real>
AxisFill<Real>::AxisFill(const Basis &basis, std::ptrdiff_t gap)
    : numbers_(basis.numbers()), own_(basis.own()), overlap_(basis.overlap()), gap_(gap) {
  if (!basis.moments().empty())
    moments_ = SmallMatrix<Real>(numbers_, overlap_, basis.moments().data());
  const std::vector<double> all = basis.coefficients(gap);
  const std::ptrdiff_t columns = 2 * own_ + 2 * numbers_;
  if (basis.kind() == Basis::Kind::continuation) {
    continuation_ = SmallMatrix<Real>(gap, columns, all.data());
    return;
  }
  bell_.resize(static_cast<std::size_t>(gap));
  for (std::ptrdiff_t g = 0; g < gap; ++g)
    for (std::ptrdiff_t c = 0; c < columns; ++c) {
      const auto factor = static_cast<Real>(all[static_cast<std::size_t>(g * columns + c)]);
      if (factor != 0) bell_[static_cast<std::size_t>(g)].push_back({c, factor});
    }
}

template <class Real>
void AxisFill<Real>::pack_group(const Lines<Real> &lines, Side side, std::ptrdiff_t o,
                                Real *to) const {
  // The points from the cut on.
  std::array<const Real *, most_numbers> points{};
  const Real *line = lines.group(o);
  for (std::ptrdiff_t j = 0; j < overlap_; ++j)
    points[static_cast<std::size_t>(j)] =
        line + (side == Side::below ? j : lines.n - 1 - j) * lines.stride;
  if (moments_.empty()) {
    for (std::ptrdiff_t q = 0; q < numbers_; ++q)
      std::copy_n(points[static_cast<std::size_t>(q)], lines.inner, to + q * lines.inner);
    return;
  }
  std::array<Real *, most_numbers> rows{};
  for (std::ptrdiff_t q = 0; q < numbers_; ++q)
    rows[static_cast<std::size_t>(q)] = to + q * lines.inner;
  if (lines.inner > 1) return moments_.across(points.data(), rows.data(), lines.inner);
  std::array<Real, most_numbers> values{};
  for (std::ptrdiff_t j = 0; j < overlap_; ++j)
    values[static_cast<std::size_t>(j)] = *points[static_cast<std::size_t>(j)];
  const Real *from = values.data();
  moments_.along(&from, &to, 1);
}

template <class Real>
void AxisFill<Real>::pack(const Lines<Real> &lines, Side side, Real *message, int threads) const {
  parallel_ranges(lines.outer(), threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t o = first; o < last; ++o)
      pack_group(lines, side, o, message + o * numbers_ * lines.inner);
  });
}

template <class Real>
const Real *AxisFill<Real>::column(const Lines<Real> &lines, const Received &received,
                                   std::ptrdiff_t outer, std::ptrdiff_t c) const {
  const Real *line = lines.group(outer);
  if (c < own_) return line + (lines.n - own_ + c) * lines.stride;
  if (c < 2 * own_) return line + (c - own_) * lines.stride;
  const Real *from = c < 2 * own_ + numbers_ ? received.above : received.below;
  return from + (outer * numbers_ + (c - 2 * own_) % numbers_) * lines.inner;
}

template <class Real>
void AxisFill<Real>::fill_bell(const Lines<Real> &lines, const Received &received,
                               std::ptrdiff_t outer) const {
  Real *gap = lines.group(outer) + lines.n * lines.stride;
  for (const Row &row : bell_) {
    std::fill_n(gap, lines.inner, Real{0});
    for (const Term &term : row) {
      const Real *from = column(lines, received, outer, term.column);
#pragma omp simd
      for (std::ptrdiff_t i = 0; i < lines.inner; ++i)
        gap[i] += term.factor * from[i];
    }
    gap += lines.stride;
  }
}

template <class Real>
void AxisFill<Real>::fill_across(const Lines<Real> &lines, const Received &received,
                                 std::ptrdiff_t outer) const {
  std::array<const Real *, most_numbers> columns{};
  for (std::ptrdiff_t c = 0; c < continuation_.columns(); ++c)
    columns[static_cast<std::size_t>(c)] = column(lines, received, outer, c);
  std::array<Real *, most_numbers> gap{};
  for (std::ptrdiff_t g = 0; g < gap_; ++g)
    gap[static_cast<std::size_t>(g)] = lines.group(outer) + (lines.n + g) * lines.stride;
  continuation_.across(columns.data(), gap.data(), lines.inner);
}

/// Lines whose points are contiguous, some at a time.
template <class Real>
void AxisFill<Real>::fill_along(const Lines<Real> &lines, const Received &received,
                                std::ptrdiff_t first, std::ptrdiff_t last) const {
  constexpr std::ptrdiff_t most = SmallMatrix<Real>::most_lines;
  LineBuffers<Real> values;
  std::array<const Real *, most> from{};
  std::array<Real *, most> to{};
  for (std::ptrdiff_t o = first; o < last; o += most) {
    const std::ptrdiff_t count = std::min(most, last - o);
    for (std::ptrdiff_t l = 0; l < count; ++l) {
      const auto at = static_cast<std::size_t>(l);
      Real *next = values[at].data();
      for (const auto &[c, number] : {std::pair{std::ptrdiff_t{0}, own_},
                                      {own_, own_},
                                      {2 * own_, numbers_},
                                      {2 * own_ + numbers_, numbers_}})
        next = std::copy_n(column(lines, received, o + l, c), number, next);
      from[at] = values[at].data();
      to[at] = lines.group(o + l) + lines.n;
    }
    continuation_.along(from.data(), to.data(), count);
  }
}

template <class Real>
void AxisFill<Real>::fill(const Lines<Real> &lines, const Real *from_below, const Real *from_above,
                          int threads) const {
  const Received received{from_below, from_above};
  parallel_ranges(lines.outer(), threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    if (!continuation_.empty() && lines.inner == 1 && lines.stride == 1)
      return fill_along(lines, received, first, last);
    for (std::ptrdiff_t o = first; o < last; ++o)
      if (continuation_.empty())
        fill_bell(lines, received, o);
      else
        fill_across(lines, received, o);
  });
}

template class AxisFill<float>;
template class AxisFill<double>;

} // namespace hybridfft::lfb
