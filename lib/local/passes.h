/// The passes of plans: transforms of columns and planes, and passes without transforms of their
/// own, which clear, copy, transpose, multiply by twiddles, or run the user's work.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"
#include "local/box_copy.h"
#include "local/fft.h"
#include "local/pass.h"

namespace hybridfft::local {

// FFTs along the columns of a local matrix (SplitRows). The pass copies tiles of lines into cache,
// transforms them with FFTW, and copies them back. Choose it if the SIMD kernels do not apply.

/// Memory order of a tile of lines in cache during FFTW's transform.
enum class TileOrder {
  interleaved, ///< point by point: the values of all lines at a point are adjacent
  lines        ///< one contiguous line after another; copies to and from the tile are transposes
};

/// Transform along columns: of complex numbers with a sign, between real numbers, or between real
/// columns and their half spectra.
struct ColumnTransform {
  ColumnTransform(int of_sign) : sign(of_sign) {} // NOLINT(google-explicit-constructor)
  ColumnTransform(LineKind of_line)               // NOLINT(google-explicit-constructor)
      : kind(Kind::r2r), line(of_line) {}
  ColumnTransform(Kind of_kind) // NOLINT(google-explicit-constructor)
      : kind(of_kind) {}
  template <class Real> std::ptrdiff_t element() const {
    return static_cast<std::ptrdiff_t>(input_bytes<Real>(kind));
  }

  Kind kind = Kind::c2c;
  int sign = -1;
  LineKind line = LineKind::fourier;
};

/// Makes a pass that transforms lines of `columns` points from `source` to `destination`. Both have
/// the same rows, columns and vec. Their elements are complex or real, as in the transform. It
/// works in place if source == destination. With Kernel::simd it uses FFTW for lengths without
/// kernels. Throws Failure if FFTW cannot plan.
template <class Real>
std::unique_ptr<Pass> make_column_pass(const SplitRows &source, const SplitRows &destination,
                                       const ColumnTransform &transform, TileOrder order,
                                       const PassOptions &options);

// Multidimensional FFTs of complete rows ("planes") of a local matrix. They use SIMD kernels if
// these support the extents, else FFTW.

/// Transform of one row. The first extent is the number of columns. For r2c and c2r the extents are
/// those of the real array. Every point has `howmany` adjacent values, one for each transform.
struct PlaneTransform {
  Kind kind = Kind::c2c;
  int sign = -1;
  std::vector<std::ptrdiff_t> extents;
  std::ptrdiff_t howmany = 1;
  LineKind line = LineKind::fourier; ///< kind of r2r
};

/// Returns FFTW's description of `rows` consecutive rows, without gaps in source and destination.
FftwShape shape_of(const PlaneTransform &transform, std::ptrdiff_t rows);

/// Makes a pass that transforms every row. `source` and `destination` count complex elements. The
/// real array of r2c and c2r has no gaps except padding: a row has as many bytes as in the complex
/// array. At least one of the arrays has no gaps. In pruned transforms complex rows may have a
/// smaller vec than the spectra have points: the other points are zero or dropped. Only the kernels
/// of Kernel::simd support this. `in_place`: source and destination are one array without gaps.
template <class Real>
std::unique_ptr<Pass> make_plane_pass(const PlaneTransform &transform, const SplitRows &source,
                                      const SplitRows &destination, bool in_place,
                                      const PassOptions &options);

/// Makes a pass with one row, the complete array, which FFTW transforms with its own threads. Out
/// of place, c2r overwrites its input.
template <class Real>
std::unique_ptr<Pass> make_whole_pass(const PlaneTransform &transform, bool in_place,
                                      const PassOptions &options);

// A pass that runs another pass, and then zeroes the elements that the other pass does not write.
// Choose it for pruned spectra and padding with zeros.

/// Makes a pass that runs `pass` and then sets the matrices `cleared` in the destination to zero.
/// Their elements have `element` bytes.
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
/// destination by exp(sign 2 pi i r c / n). The matrix has n elements, so r c < n. Executing the
/// range with the last row multiplies all rows, so this range must be the last one.
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

  /// Returns the number of rows of passes over the box: the points along the slowest axis, or 1 if
  /// it is the only axis.
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
