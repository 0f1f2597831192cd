/// Device kernels. PackPoints, MultiplyDense and FillBell pack messages and fill gaps, as AxisFill
/// does on the host. MultiplyLines restricts blocks to a coarse grid and prolongs them. Template
/// parameter Ends is Packing or Filling: it locates operands and results.
#pragma once

#include "hybridfft/grid/box.hpp"
#include "solvers/lfb/lines.h"

namespace hybridfft::lfb {

using grid::Index;

/// Arrays of a SparseMatrix in the memory of a device.
template <class Real> struct SparseTerms {
  const Index *ends = nullptr, *columns = nullptr;
  const Real *factors = nullptr;

  /// Index of the first term of a row.
  HFFT_HOST_DEVICE Index begin(Index row) const { return row == 0 ? 0 : ends[row - 1]; }
};

/// Work of one thread: some rows of the result of one line. If lines are adjacent in memory,
/// neighbouring threads (k) process neighbouring lines. Otherwise they process neighbouring rows of
/// one line. In both cases they access neighbouring addresses.
struct LinePart {
  Index group, part, line;

  template <class Real>
  HFFT_HOST_DEVICE LinePart(const Lines<Real> &lines, Index parts, Index j, Index k)
      : LinePart(Divided(lines.inner > 1 ? j : k, parts), lines.inner > 1 ? k : 0) {}

private:
  HFFT_HOST_DEVICE LinePart(const Divided &at, Index k)
      : group(at.quotient), part(at.remainder), line(k) {}
};

/// Returns the box of thread indices (i, j, k) for lines of `parts` parts each.
template <class Real> grid::Box box_of(const Lines<Real> &lines, Index parts) {
  const Index all = lines.outer() * parts;
  return lines.inner > 1 ? grid::Box(1, all, lines.inner) : grid::Box(1, 1, all);
}

/// Copies points to the messages for both sides. Index i is the side.
template <class Real> struct PackPoints {
  Packing<Real> ends[2];

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Packing<Real> &e = ends[i];
    const LinePart at(e.lines, e.numbers, j, k);
    const auto group = e.group(at.group);
    group.to(at.part)[at.line] = group.from(at.part)[at.line];
  }
};

/// View of a small dense matrix. Element (r, c) is values[c * rows + r].
template <class Real> struct DenseMatrix {
  const Real *values = nullptr;
  Index rows = 0, columns = 0;
};

/// Rows per thread if lines are adjacent in memory. A thread reads the operands of its line once
/// for all of these rows.
inline constexpr Index rows_at_once = 8;

/// Multiplies the operands of lines on `Sides` sides by a dense matrix. Index i is the side.
template <class Real, class Ends, int Sides> struct MultiplyDense {
  Ends ends[Sides];
  DenseMatrix<Real> matrix;

  /// Number of parts of each line.
  HFFT_HOST_DEVICE Index parts() const {
    return ends[0].lines.inner > 1 ? (matrix.rows + rows_at_once - 1) / rows_at_once : matrix.rows;
  }

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Ends &e = ends[Sides == 1 ? 0 : i];
    const LinePart at(e.lines, parts(), j, k);
    const auto group = e.group(at.group);
    if (e.lines.inner > 1) return rows(group, at);
    Real sum = 0;
    for (Index c = 0; c < matrix.columns; ++c)
      sum += matrix.values[c * matrix.rows + at.part] * *group.from(c);
    *group.to(at.part) = sum;
  }

private:
  HFFT_HOST_DEVICE void rows(const typename Ends::Group &group, const LinePart &at) const {
    const Index first = at.part * rows_at_once, left = matrix.rows - first;
    Real sums[rows_at_once] = {};
    for (Index c = 0; c < matrix.columns; ++c) {
      const Real value = group.from(c)[at.line];
      const Real *factors = matrix.values + c * matrix.rows + first;
      for (Index r = 0; r < rows_at_once; ++r)
        if (r < left) sums[r] += factors[r] * value;
    }
    for (Index r = 0; r < rows_at_once; ++r)
      if (r < left) group.to(first + r)[at.line] = sums[r];
  }
};

/// Fills gaps for a bell. Each point of the gap has one or two terms.
template <class Real> struct FillBell {
  Filling<Real> ends;
  SparseTerms<Real> matrix;
  Index rows = 0;

  HFFT_HOST_DEVICE void operator()(Index, Index j, Index k) const {
    const LinePart at(ends.lines, rows, j, k);
    const auto group = ends.group(at.group);
    Real sum = 0;
    for (Index t = matrix.begin(at.part); t < matrix.ends[at.part]; ++t)
      sum += matrix.factors[t] * group.from(matrix.columns[t])[at.line];
    group.to(at.part)[at.line] = sum;
  }
};

/// View of the values [i][j][k] of a box, with contiguous k.
template <class T> struct Values {
  T *first = nullptr;
  Index step_i = 0, step_j = 0;

  HFFT_HOST_DEVICE T *at(Index i, Index j, Index k) const {
    return first + i * step_i + j * step_j + k;
  }
};

/// Multiplies the lines along an axis by a sparse matrix. One call computes the result at point (i,
/// j, k).
template <class Real> struct MultiplyLines {
  SparseTerms<Real> matrix;
  int axis = 0;
  Values<const Real> from;
  Values<Real> to;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index row = axis == 0 ? i : axis == 1 ? j : k;
    const Index step = axis == 0 ? from.step_i : axis == 1 ? from.step_j : 1;
    const Real *line = from.at(axis == 0 ? 0 : i, axis == 1 ? 0 : j, axis == 2 ? 0 : k);
    Real sum = 0;
    for (Index t = matrix.begin(row); t < matrix.ends[row]; ++t)
      sum += matrix.factors[t] * line[matrix.columns[t] * step];
    *to.at(i, j, k) = sum;
  }
};

} // namespace hybridfft::lfb
