/// One-dimensional transforms of lines that are distributed over ranks, as FFTW's interface names
/// them: four steps (Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4, 1990).
#pragma once

#include <cstddef>
#include <optional>

#include "plan/problem.h"
#include "plan/slab_problem.h"

namespace hybridfft::plan {

/// A line of n = rows x columns points, as a matrix with rows of `columns` neighbouring points. Its
/// spectrum X[k], k = k0 + rows k1, has rows of `rows` neighbouring numbers, one for each k1.
struct LineShape {
  std::ptrdiff_t rows = 1, columns = 1;
};

/// The shape next to a square whose rows end at the ends of these blocks of the line and of its
/// spectrum, in points; 0: any. Without blocks there is one for every n: a prime number of points
/// is one row, on one rank.
std::optional<LineShape> shape_of_line(std::ptrdiff_t n, std::ptrdiff_t iblock = 0,
                                       std::ptrdiff_t oblock = 0);

/// The part of a line that a rank has: whole rows.
struct LinePart {
  std::ptrdiff_t count = 0, start = 0; ///< points
};

/// Points before and after the transform, and the complex numbers that arrays need, at least 1.
struct LineParts {
  LinePart in, out;
  std::ptrdiff_t size = 1;
};

/// Checks the arguments and returns the parts of rank `me`. The flags HFFT_SCRAMBLED_IN and
/// HFFT_SCRAMBLED_OUT count. Throws Failure.
LineParts line_parts(std::ptrdiff_t n, std::ptrdiff_t howmany, unsigned flags, int ranks, int me,
                     std::size_t real_bytes);

/// The problem of a line with this shape, c2c, with nothing else set. Blocks are those of the rows
/// of the input and of the output; 0: the default. With scrambled data row k0 of the spectrum has
/// the numbers X[k0 + rows k1] of all k1.
Problem line_problem(int sign, const LineShape &shape, std::ptrdiff_t howmany, unsigned scrambled,
                     std::ptrdiff_t iblock, std::ptrdiff_t oblock, int ranks);

/// Checks the arguments of this rank, of a call with one dimension. Throws Failure.
Problem check_line(const Arguments &arguments, int ranks);

} // namespace hybridfft::plan
