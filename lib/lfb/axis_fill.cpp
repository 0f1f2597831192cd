#include "lfb/axis_fill.h"

#include <algorithm>
#include <array>

#include "base/threads.h"

namespace hybridfft::lfb {

namespace {

/// Values of neighbouring lines that are worked on at once: they stay in registers.
constexpr std::ptrdiff_t run = 32;

/// to += factor x from.
template <class Real>
void add_run(Real *__restrict to, const Real *from, Real factor, std::ptrdiff_t count) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < count; ++i)
    to[i] += factor * from[i];
}

/// to = sum of factor x source(column) over terms; source(c) points to `count` values.
template <class Real, class Row, class Source>
void combine(const Row &terms, const Source &source, Real *to, std::ptrdiff_t count) {
  for (std::ptrdiff_t begin = 0; begin < count; begin += run) {
    const std::ptrdiff_t values = std::min(run, count - begin);
    std::array<Real, run> sum{};
    for (const auto &term : terms)
      add_run(sum.data(), source(term.column) + begin, term.factor, values);
    std::copy_n(sum.data(), values, to + begin);
  }
}

} // namespace

template <class Real>
AxisFill<Real>::AxisFill(const Basis &basis, std::ptrdiff_t gap)
    : numbers_(basis.numbers()), own_(basis.own()), rows_(static_cast<std::size_t>(gap)) {
  const std::span<const double> moments = basis.moments();
  for (std::size_t m = 0; m < moments.size(); ++m) {
    const auto j = static_cast<std::ptrdiff_t>(m) % basis.overlap();
    if (j == 0) moments_.emplace_back();
    moments_.back().push_back({j, static_cast<Real>(moments[m])});
  }
  const std::vector<double> all = basis.coefficients(gap);
  const std::ptrdiff_t columns = 2 * own_ + 2 * numbers_;
  for (std::ptrdiff_t g = 0; g < gap; ++g)
    for (std::ptrdiff_t c = 0; c < columns; ++c) {
      const auto factor = static_cast<Real>(all[static_cast<std::size_t>(g * columns + c)]);
      if (factor != 0) rows_[static_cast<std::size_t>(g)].push_back({c, factor});
    }
  if (basis.kind() != Basis::Kind::continuation) return;
  for (std::ptrdiff_t c = 0; c < columns; ++c)
    for (std::ptrdiff_t g = 0; g < gap; ++g)
      transposed_.push_back(static_cast<Real>(all[static_cast<std::size_t>(g * columns + c)]));
}

template <class Real>
void AxisFill<Real>::pack(const Lines<Real> &lines, Side side, Real *message, int threads) const {
  // The point j cells from the cut.
  const auto point = [&](const Real *line, std::ptrdiff_t j) {
    return line + (side == Side::below ? j : lines.n - 1 - j) * lines.stride;
  };
  parallel_ranges(lines.outer(), threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t o = first; o < last; ++o) {
      const Real *line = lines.group(o);
      const auto source = [&](std::ptrdiff_t j) { return point(line, j); };
      Real *to = message + o * numbers_ * lines.inner;
      for (std::ptrdiff_t q = 0; q < numbers_; ++q, to += lines.inner) {
        if (moments_.empty())
          std::copy_n(source(q), lines.inner, to);
        else
          combine(moments_[static_cast<std::size_t>(q)], source, to, lines.inner);
      }
    }
  });
}

template <class Real>
void AxisFill<Real>::fill(const Lines<Real> &lines, const Real *from_below, const Real *from_above,
                          int threads) const {
  parallel_ranges(lines.outer(), threads, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t o = first; o < last; ++o)
      if (lines.stride == 1 && !transposed_.empty())
        fill_line(lines.group(o), lines.n, from_below + o * numbers_, from_above + o * numbers_);
      else
        fill_runs(lines, from_below, from_above, o);
  });
}

template <class Real>
void AxisFill<Real>::fill_runs(const Lines<Real> &lines, const Real *from_below,
                               const Real *from_above, std::ptrdiff_t outer) const {
  Real *line = lines.group(outer);
  const Real *below = from_below + outer * numbers_ * lines.inner;
  const Real *above = from_above + outer * numbers_ * lines.inner;
  const auto source = [&](std::ptrdiff_t c) -> const Real * {
    if (c < own_) return line + (lines.n - own_ + c) * lines.stride;
    if (c < 2 * own_) return line + (c - own_) * lines.stride;
    if (c < 2 * own_ + numbers_) return above + (c - 2 * own_) * lines.inner;
    return below + (c - 2 * own_ - numbers_) * lines.inner;
  };
  Real *gap = line + lines.n * lines.stride;
  for (const Row &row : rows_) {
    combine(row, source, gap, lines.inner);
    gap += lines.stride;
  }
}

/// The sum over columns of a line whose gap is contiguous: vectors run along the gap.
template <class Real>
void AxisFill<Real>::fill_line(Real *line, std::ptrdiff_t n, const Real *from_below,
                               const Real *from_above) const {
  const auto points = static_cast<std::ptrdiff_t>(rows_.size());
  const Real *factors = transposed_.data();
  for (std::ptrdiff_t begin = 0; begin < points; begin += run) {
    const std::ptrdiff_t count = std::min(run, points - begin);
    std::array<Real, run> sum{};
    const Real *column = factors + begin;
    const auto add = [&](const Real *values, std::ptrdiff_t number) {
      for (std::ptrdiff_t c = 0; c < number; ++c, column += points)
        add_run(sum.data(), column, values[c], count);
    };
    add(line + n - own_, own_);
    add(line, own_);
    add(from_above, numbers_);
    add(from_below, numbers_);
    std::copy_n(sum.data(), count, line + n + begin);
  }
}

template class AxisFill<float>;
template class AxisFill<double>;

} // namespace hybridfft::lfb
