/// Packing for neighbours and filling of gaps on a device: what AxisFill does on the host.
///
/// Ends are Packing or Filling: where rows of results go, and what they come from.
#pragma once

#include "lfb/lines.h"

namespace hybridfft::lfb {

/// A part of a line's rows, for one thread. Neighbouring k are neighbouring lines where lines lie
/// beside each other in memory; else neighbouring parts of one line, whose rows do.
struct LinePart {
  Index group, part, line;

  template <class Real>
  HFFT_HOST_DEVICE LinePart(const Lines<Real> &lines, Index parts, Index j, Index k)
      : group((lines.inner > 1 ? j : k) / parts), part((lines.inner > 1 ? j : k) % parts),
        line(lines.inner > 1 ? k : 0) {}
};

/// The box of (i, j, k) for lines in `parts` parts each.
template <class Real> grid::Box box_of(const Lines<Real> &lines, Index parts) {
  const Index all = lines.outer() * parts;
  return lines.inner > 1 ? grid::Box(1, all, lines.inner) : grid::Box(1, 1, all);
}

/// The numbers of both sides are points: index i is the side.
template <class Real> struct PackPoints {
  Packing<Real> ends[2];

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Packing<Real> &e = ends[i];
    const LinePart at(e.lines, e.numbers, j, k);
    e.to(at.group, at.part)[at.line] = e.from(at.group, at.part)[at.line];
  }
};

/// A matrix of few rows and columns: term (r, c) at values[c * rows + r].
template <class Real> struct DenseMatrix {
  const Real *values = nullptr;
  Index rows = 0, columns = 0;
};

/// Rows that a thread computes of each line where lines lie beside each other: it reads the line's
/// numbers once for all of them.
inline constexpr Index rows_at_once = 8;

/// Products of a matrix with the numbers of lines, of `Sides` sides: index i.
template <class Real, class Ends, int Sides> struct MultiplyDense {
  Ends ends[Sides];
  DenseMatrix<Real> matrix;

  Index parts() const {
    return ends[0].lines.inner > 1 ? (matrix.rows + rows_at_once - 1) / rows_at_once : matrix.rows;
  }

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Ends &e = ends[i];
    if (e.lines.inner > 1)
      return rows(e, {e.lines, (matrix.rows + rows_at_once - 1) / rows_at_once, j, k});
    const LinePart at(e.lines, matrix.rows, j, k);
    Real sum = 0;
    for (Index c = 0; c < matrix.columns; ++c)
      sum += matrix.values[c * matrix.rows + at.part] * *e.from(at.group, c);
    *e.to(at.group, at.part) = sum;
  }

private:
  HFFT_HOST_DEVICE void rows(const Ends &e, const LinePart &at) const {
    const Index first = at.part * rows_at_once, left = matrix.rows - first;
    Real sums[rows_at_once] = {};
    for (Index c = 0; c < matrix.columns; ++c) {
      const Real value = e.from(at.group, c)[at.line];
      const Real *factors = matrix.values + c * matrix.rows + first;
      for (Index r = 0; r < rows_at_once; ++r)
        if (r < left) sums[r] += factors[r] * value;
    }
    for (Index r = 0; r < rows_at_once; ++r)
      if (r < left) e.to(at.group, first + r)[at.line] = sums[r];
  }
};

/// A sparse matrix, as SparseMatrix has it.
template <class Real> struct SparseTerms {
  const Index *ends = nullptr, *columns = nullptr;
  const Real *factors = nullptr;

  HFFT_HOST_DEVICE Index begin(Index row) const { return row == 0 ? 0 : ends[row - 1]; }
};

/// The gaps of a bell, of which a point has one or two terms.
template <class Real> struct FillBell {
  Filling<Real> ends;
  SparseTerms<Real> matrix;
  Index rows = 0;

  HFFT_HOST_DEVICE void operator()(Index, Index j, Index k) const {
    const LinePart at(ends.lines, rows, j, k);
    Real sum = 0;
    for (Index t = matrix.begin(at.part); t < matrix.ends[at.part]; ++t)
      sum += matrix.factors[t] * ends.from(at.group, matrix.columns[t])[at.line];
    ends.to(at.group, at.part)[at.line] = sum;
  }
};

} // namespace hybridfft::lfb
