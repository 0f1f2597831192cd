/// Passes without transforms of their own: they clear, copy, transpose, multiply by twiddles, or
/// run the user's work.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"
#include "local/box_copy.h"
#include "local/pass.h"

namespace hybridfft::local {

// A pass that runs another pass, and then sets elements that this pass does not write to zero.
// Choose it for pruned spectra and padding with zeros.

/// Makes a pass that runs `pass` and then clears the rows of `cleared`, elements of `element`
/// bytes, in the destination.
std::unique_ptr<Pass> make_clearing_pass(std::unique_ptr<Pass> pass, std::vector<SplitRows> cleared,
                                         std::size_t element, const PassOptions &options);

// Copies the rows of one matrix in pieces (SplitRows) to another, without a transform. Choose it
// for a change of memory order.

/// Makes a copy pass. Source and destination have the same rows, columns and vec. Elements have
/// `element` bytes (8 or 16).
std::unique_ptr<Pass> make_copy_pass(const SplitRows &source, const SplitRows &destination,
                                     std::size_t element, const PassOptions &options);

// Streamed transposes of matrices larger than the caches. Square tiles are transposed in registers,
// collected in a buffer in cache, and streamed to memory while later tiles are read.
//
// Choose them for large arrays: they are two to four times faster than copies through the caches
// (bench/micro/transpose.cpp). They are slower for arrays in cache.

/// Element (i, j) moves from source + i * source_step + j to destination + j * destination_step +
/// i. Offsets and steps count elements.
struct MatrixTranspose {
  std::ptrdiff_t rows, cols;
  std::ptrdiff_t source, source_step;
  std::ptrdiff_t destination, destination_step;
};

/// Returns the transpose that equals the copy of a box with dimensions `a` and `b`. Returns no
/// value if the copy is no transpose, or if a side of the matrix is too short for streaming.
std::optional<MatrixTranspose> as_transpose(const CopyDimension &a, const CopyDimension &b,
                                            std::size_t element);

/// Returns true if copies of `elements` elements should be streamed.
bool exceeds_caches(std::ptrdiff_t elements, std::size_t element);

/// Meaning of the rows of a transpose pass: rows of the source, of the destination, or no rows.
enum class TransposeRows { none, of_source, of_destination };

/// Makes a pass that transposes matrices of elements of 4, 8 or 16 bytes. The arrays must not
/// overlap. Execution of a range of the `rows` rows transposes these rows of every source matrix,
/// or of every destination matrix. With TransposeRows::none the pass has one row for everything.
std::unique_ptr<Pass> make_transpose_pass(std::vector<MatrixTranspose> matrices,
                                          TransposeRows meaning, std::ptrdiff_t rows,
                                          std::size_t element, const PassOptions &options);

// A pass that runs another pass, the FFT along one axis of a matrix, and then multiplies the matrix
// by roots of unity (twiddles). Choose it between the two FFTs of a four-step transform (Bailey
// 1990).

/// A part of a matrix in memory. Row r and column c of the part are row `row` + r and column
/// `column` + c of the matrix. Offsets count complex elements.
struct MatrixPart {
  std::ptrdiff_t row = 0, column = 0;   ///< first row and first column of the part
  std::ptrdiff_t rows = 0, columns = 0; ///< numbers of rows and columns
  std::ptrdiff_t base = 0;              ///< offset of the first element
  std::ptrdiff_t row_stride = 0, column_stride = 0;
  std::ptrdiff_t fields = 1, field_stride = 1; ///< number of values of a point, and their stride
};

/// Makes a pass that runs `pass` and then multiplies element (r, c) of the matrix in the
/// destination by exp(sign 2 pi i r c / n). The matrix has n elements, so r c < n. Each row is
/// multiplied soon after `pass` has written it.
template <class Real>
std::unique_ptr<Pass> make_twiddled_pass(std::unique_ptr<Pass> pass, std::vector<MatrixPart> parts,
                                         std::ptrdiff_t n, int sign, const PassOptions &options);

// Passes of operators. The first one applies the caller's work to an array between two transforms.
// The second one is a chain: a transform, the work and the next transform, a few rows at a time.
// Choose the chain if a few rows fit into cache, because the array between the transforms then
// causes no memory traffic.

/// The caller's work on `count` points along an axis, from the point `first` on. It is called
/// concurrently, and must not throw.
struct PointWork {
  using Call = void (*)(const std::ptrdiff_t *first, int axis, std::ptrdiff_t count, void *values,
                        void *user);
  Call call = nullptr;
  void *user = nullptr;
};

/// A box of an array in memory, without gaps.
struct WorkBox {
  IndexBox box;
  std::vector<int> order;         ///< axes from the slowest to the fastest
  std::size_t bytes_of_point = 0; ///< bytes of all values of a point

  /// Returns the number of rows of its passes: the points along the slowest axis, or 1 if it is the
  /// only axis.
  std::ptrdiff_t rows() const;
  std::size_t bytes_of_row() const;
  std::size_t bytes() const { return static_cast<std::size_t>(rows()) * bytes_of_row(); }
};

/// Makes a pass that applies the work to all points of the box, line by line, in place.
std::unique_ptr<Pass> make_work_pass(const WorkBox &box, const PointWork &work, int threads);

/// Passes with the same number of rows, executed one after another on a few rows at a time.
struct PassChain {
  std::unique_ptr<Pass> before; ///< pass that writes the rows of the box
  std::unique_ptr<Pass> work;   ///< the work, in place
  std::unique_ptr<Pass>
      after; ///< pass that reads the rows of the box; nullptr: the rows are in the destination
};

/// Makes the pass of a chain. If there is a pass after the work, the rows of the box are stored in
/// the scratch of the chain. Throws std::bad_alloc.
std::unique_ptr<Pass> make_chain_pass(PassChain chain, const WorkBox &box, int threads);

} // namespace hybridfft::local
