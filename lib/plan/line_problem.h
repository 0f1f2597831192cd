/// Distributed one-dimensional transforms by the four-step algorithm (Bailey, FFTs in external or
/// hierarchical memory, J. Supercomputing 4, 1990). A line becomes a matrix, so the paths of
/// two-dimensional arrays apply to it. Arguments follow FFTW's interface.
#pragma once

#include <cstddef>
#include <optional>

#include "plan/problem.h"
#include "plan/slab_problem.h"

namespace hybridfft::plan {

/// A line of n = rows x columns points, as a matrix with rows of `columns` neighbouring points. The
/// spectrum X[k], k = k0 + rows k1, has rows of `rows` neighbouring numbers, one for each k1.
struct LineShape {
  std::ptrdiff_t rows = 1, columns = 1;
};

/// Returns the shape closest to a square whose rows end at the ends of the given blocks of the line
/// and of its spectrum. Blocks are in points; 0 means any block. Without blocks every n has a
/// shape: a prime number of points is one row on one rank.
std::optional<LineShape> shape_of_line(std::ptrdiff_t n, std::ptrdiff_t iblock = 0,
                                       std::ptrdiff_t oblock = 0);

/// Layouts of a line before and after the transform, in whole rows of its matrix. Points of
/// scrambled data are numbered in memory order.
struct LineLayouts {
  Layout in, out;
};

/// Checks the arguments of a line and returns its layouts. Blocks are in points; 0: the default. Of
/// the flags only HFFT_SCRAMBLED_IN and HFFT_SCRAMBLED_OUT matter. Throws Failure.
LineLayouts line_layouts(const Arguments &arguments, int ranks);

/// Returns a c2c problem for a line of this shape; all other fields have their defaults. Blocks
/// count rows of the input and of the output; 0: the default. In scrambled data row k0 of the
/// spectrum has the numbers X[k0 + rows k1] for all k1.
Problem line_problem(int sign, const LineShape &shape, std::ptrdiff_t howmany, unsigned scrambled,
                     std::ptrdiff_t iblock, std::ptrdiff_t oblock, int ranks);

/// Checks the arguments of this rank in a call with one dimension. Throws Failure.
Problem check_line(const Arguments &arguments, int ranks);

} // namespace hybridfft::plan
