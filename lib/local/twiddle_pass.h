/// A pass decorator for four-step transforms (Bailey 1990): it multiplies a matrix by roots of
/// unity after the FFT along one of its axes. Choose it between the two FFTs of a long line.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "local/pass.h"

namespace hybridfft::local {

/// A part of a matrix in memory. Row r and column c of the part are row `row` + r and column
/// `column` + c of the matrix. Offsets count complex elements.
struct MatrixPart {
  std::ptrdiff_t row = 0, column = 0;   ///< first row and first column of the part
  std::ptrdiff_t rows = 0, columns = 0; ///< numbers of rows and columns
  std::ptrdiff_t base = 0;              ///< offset of the first element
  std::ptrdiff_t row_stride = 0, column_stride = 0;
  std::ptrdiff_t fields = 1, field_stride = 1; ///< number of values of a point, and their stride
};

/// Makes a pass that runs `pass` and then multiplies element (r, c) of the matrix by exp(sign 2 pi
/// i r c / n), in the destination. The matrix has n elements, so r c < n. The factors of each row
/// are applied after `pass` has written it.
template <class Real>
std::unique_ptr<Pass> make_twiddled_pass(std::unique_ptr<Pass> pass, std::vector<MatrixPart> parts,
                                         std::ptrdiff_t n, int sign, const PassOptions &options);

} // namespace hybridfft::local
