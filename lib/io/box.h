/// Boxes of row-major arrays: whether they are contiguous, and how they are cut into pieces.
#pragma once

#include <cstddef>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Product of the entries, 1 for none; throws IoError, which names `where`, when it overflows.
std::size_t volume(const Shape &shape, const std::string &where = "an array");

/// "4 x 5 x 6", "scalar" without dimensions.
std::string to_string(const Shape &shape);

/// True if the extents are the reverse of the expected ones, and differ from them.
bool is_reversed(const Shape &found, const Shape &expected);

/// True if a box of `count` within an array of `extent` is one contiguous run of elements.
bool is_run(const Shape &count, const Shape &extent);

/// Elements between a box's first element and its element at `index`, in an array of `extent`.
std::size_t offset_of(const Shape &index, const Shape &extent);

/// Elements `first` to `first + count` in memory order as boxes, one after the other: at most
/// 2 n - 1 boxes for an array of n dimensions. Throws IoError, which names `where`, when they are
/// not all there.
std::vector<Hyperslab> boxes_of_run(const Shape &extent, std::size_t first, std::size_t count,
                                    const std::string &where = "an array");

/// A box cut into pieces of bounded size, in memory order. Pieces of a contiguous box are
/// contiguous.
class Pieces {
public:
  /// \param most elements of a piece, at least 1
  Pieces(const Shape &count, std::size_t most);
  /// A box of an array that is stored in chunks: no two pieces have parts of the same chunk, and a
  /// piece has more than one chunk only where these have at most `most` elements.
  Pieces(const Hyperslab &box, const Shape &chunk, std::size_t most);

  std::size_t number() const { return number_; }
  /// Elements of the largest piece, at most.
  std::size_t most() const;
  /// Piece i; its offset is relative to the box.
  Hyperslab operator[](std::size_t i) const;

private:
  Hyperslab box_;
  Shape chunk_;
  Shape length_; ///< length of a whole piece along each axis, a multiple of the chunk's
  Shape cuts_;   ///< pieces along each axis
  std::size_t number_ = 1;
};

/// Copies a piece from (gather) or to (scatter) its place in an array of `extent`, whose element
/// at the box's origin is `array`, to or from contiguous memory.
void gather(const std::byte *array, const Shape &extent, const Hyperslab &piece,
            std::size_t element, std::byte *tight);
void scatter(const std::byte *tight, const Shape &extent, const Hyperslab &piece,
             std::size_t element, std::byte *array);

} // namespace hybridfft::io
