/// Streamed transposes of matrices larger than the caches. Square tiles are transposed in
/// registers, collected in a buffer in cache, and streamed to memory while later tiles are read.
///
/// Choose them for large arrays: they are two to four times faster than cached copies
/// (bench/micro/transpose.cpp). They are slower for arrays in cache.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "local/pass.h"
#include "local/strided_copy.h"

namespace hybridfft::local {

/// Element (i, j) moves from source + i * source_step + j to destination + j * destination_step +
/// i. Offsets and steps count elements.
struct MatrixTranspose {
  std::ptrdiff_t rows, cols;
  std::ptrdiff_t source, source_step;
  std::ptrdiff_t destination, destination_step;
};

/// Returns the transpose equal to the copy of box `a` x `b`. Returns no value if the copy is no
/// transpose, or if a side of the matrix is too short for streaming.
std::optional<MatrixTranspose> as_transpose(const CopyDimension &a, const CopyDimension &b,
                                            std::size_t element);

/// Returns true if copies of `elements` elements should be streamed.
bool exceeds_caches(std::ptrdiff_t elements, std::size_t element);

/// Meaning of the rows of a transpose pass: rows of the source, of the destination, or no rows.
enum class TransposeRows { none, of_source, of_destination };

/// Makes a pass over matrices of elements of 4, 8 or 16 bytes. The arrays must not overlap.
/// Execution of a range of the `rows` rows transposes these rows of every source or of every
/// destination matrix. With TransposeRows::none the pass has one row for everything.
std::unique_ptr<Pass> make_transpose_pass(std::vector<MatrixTranspose> matrices,
                                          TransposeRows meaning, std::ptrdiff_t rows,
                                          std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
