/// Transposes of matrices that exceed the caches: square tiles are transposed in registers,
/// gathered in a buffer that fits in the cache, and streamed to memory while later tiles are read.
///
/// Two to four times faster there than copies through the caches (bench/micro/transpose.cpp),
/// slower for arrays that stay in a cache.
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

/// The transpose that copies the box of `a` and `b` does; no value if it is another kind of copy,
/// or if a side of the matrix is too short for streaming.
std::optional<MatrixTranspose> as_transpose(const CopyDimension &a, const CopyDimension &b,
                                            std::size_t element);

/// True if copies of `elements` elements should be streamed.
bool exceeds_caches(std::ptrdiff_t elements, std::size_t element);

/// Meaning of the rows of a transpose pass.
enum class TransposeRows { none, of_source, of_destination };

/// A pass over matrices of elements of 4, 8 or 16 bytes. The arrays do not overlap. Executions of a
/// range of rows (number: `rows`) transpose these rows of every source or of every destination
/// matrix; with TransposeRows::none the pass has one row for everything.
std::unique_ptr<Pass> make_transpose_pass(std::vector<MatrixTranspose> matrices,
                                          TransposeRows meaning, std::ptrdiff_t rows,
                                          std::size_t element, const PassOptions &options);

} // namespace hybridfft::local
