/// Boxes of row-major arrays: tests for contiguity, and division into pieces.
#pragma once

#include <cstddef>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Returns the product of the entries; 1 if there are none.
/// \throws IoError with `where` if it overflows
std::size_t volume(const Shape &shape, const std::string &where = "an array");

/// Formats "4 x 5 x 6", or "scalar" without dimensions.
std::string to_string(const Shape &shape);

/// True if the extents are the reverse of the expected ones, and differ from them.
bool is_reversed(const Shape &found, const Shape &expected);

/// True if a box of `count` elements in an array of `extent` elements per axis is contiguous.
bool is_run(const Shape &count, const Shape &extent);

/// Number of elements before the element at `index` in an array of `extent`.
std::size_t offset_of(const Shape &index, const Shape &extent);

/// Divides the elements `first` to `first + count - 1`, in memory order, into consecutive boxes: at
/// most 2 n - 1 for an array of n dimensions.
/// \throws IoError with `where` if some elements are outside the array
std::vector<Hyperslab> boxes_of_run(const Shape &extent, std::size_t first, std::size_t count,
                                    const std::string &where = "an array");

/// Divides a box into pieces of bounded size, in memory order. Pieces of a contiguous box are
/// contiguous.
class Pieces {
public:
  /// \param most maximum number of elements of a piece, at least 1
  Pieces(const Shape &count, std::size_t most);
  /// Divides a box of a chunked array so that no two pieces share a chunk. A piece has several
  /// chunks only if they have at most `most` elements together.
  Pieces(const Hyperslab &box, const Shape &chunk, std::size_t most);

  std::size_t number() const { return number_; }
  /// Upper bound of the number of elements of a piece.
  std::size_t most() const;
  /// Returns piece i. Its offset is relative to the box.
  Hyperslab operator[](std::size_t i) const;

private:
  Hyperslab box_;
  Shape chunk_;
  Shape length_; ///< length of a full piece along each axis, a multiple of the chunk's
  Shape cuts_;   ///< number of pieces along each axis
  std::size_t number_ = 1;
};

/// Copy a piece from an array of `extent` elements per axis to contiguous memory, or back.
/// \param array   first element of the box
/// \param piece   its offset is relative to the box
/// \param element bytes of an element
void gather(const std::byte *array, const Shape &extent, const Hyperslab &piece,
            std::size_t element, std::byte *tight);
void scatter(const std::byte *tight, const Shape &extent, const Hyperslab &piece,
             std::size_t element, std::byte *array);

} // namespace hybridfft::io
