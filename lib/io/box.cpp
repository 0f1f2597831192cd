#include "io/box.h"

#include <algorithm>
#include <cstring>

namespace hybridfft::io {

namespace {

std::size_t product(const Shape &shape, std::size_t first) {
  std::size_t n = 1;
  for (std::size_t d = first; d < shape.size(); ++d)
    n *= shape[d];
  return n;
}

/// Calls f(offset in the array, offset in contiguous memory, elements) for each row of a piece.
template <class F> void for_rows(const Shape &extent, const Hyperslab &piece, const F &f) {
  const Shape &count = piece.count;
  if (product(count, 0) == 0) return;
  const std::size_t length = count.empty() ? 1 : count.back();
  const std::size_t rows = product(count, 0) / length;
  Shape index = piece.offset;
  for (std::size_t row = 0; row < rows; ++row) {
    f(offset_of(index, extent), row * length, length);
    for (std::size_t d = count.size() - 1; d-- > 0;) {
      if (++index[d] < piece.offset[d] + count[d]) break;
      index[d] = piece.offset[d];
    }
  }
}

} // namespace

std::size_t volume(const Shape &shape, const std::string &where) {
  std::size_t n = 1;
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(n, extent, &n))
      throw IoError(where + ": found the shape " + to_string(shape) +
                    ", whose elements are too many to be counted");
  return n;
}

std::string to_string(const Shape &shape) {
  std::string text;
  for (const std::size_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

bool is_reversed(const Shape &found, const Shape &expected) {
  return found != expected &&
         std::equal(found.rbegin(), found.rend(), expected.begin(), expected.end());
}

bool is_run(const Shape &count, const Shape &extent) {
  std::size_t d = count.size();
  while (d > 0 && count[d - 1] == extent[d - 1])
    --d;
  // Inner axes are complete, and one more axis may be partial. All slower axes must have a count of
  // one.
  return product(count, 0) == 0 || d < 2 ||
         std::all_of(count.begin(), count.begin() + static_cast<std::ptrdiff_t>(d) - 1,
                     [](std::size_t n) { return n == 1; });
}

std::size_t offset_of(const Shape &index, const Shape &extent) {
  std::size_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d)
    offset = offset * extent[d] + index[d];
  return offset;
}

std::vector<Hyperslab> boxes_of_run(const Shape &extent, std::size_t first, std::size_t count,
                                    const std::string &where) {
  const std::size_t all = volume(extent, where);
  if (first > all || count > all - first)
    throw IoError(where + ": found the values " + std::to_string(first) + " to " +
                  std::to_string(first + count) + ", expected some of " + std::to_string(all));
  std::vector<Hyperslab> boxes;
  if (extent.empty() && count > 0) boxes.push_back({});
  while (count > 0 && !extent.empty()) {
    Hyperslab box{Shape(extent.size(), 0), Shape(extent.size(), 1)};
    std::size_t rest = first;
    for (std::size_t d = extent.size(); d-- > 0; rest /= extent[d])
      box.offset[d] = rest % extent[d];
    // The box takes the whole extent of the fastest axis, then of the next slower one, and so on.
    // It stops at an axis along which it begins after index 0, or if too few elements remain.
    std::size_t axis = extent.size() - 1;
    std::size_t inner = 1;
    while (axis > 0 && box.offset[axis] == 0 && count / inner >= extent[axis]) {
      box.count[axis] = extent[axis];
      inner *= extent[axis--];
    }
    box.count[axis] = std::min(count / inner, extent[axis] - box.offset[axis]);
    const std::size_t taken = inner * box.count[axis];
    boxes.push_back(std::move(box));
    first += taken;
    count -= taken;
  }
  return boxes;
}

Pieces::Pieces(const Shape &count, std::size_t most)
    : Pieces({Shape(count.size(), 0), count}, Shape(count.size(), 1), most) {}

Pieces::Pieces(const Hyperslab &box, const Shape &chunk, std::size_t most)
    : box_(box), chunk_(chunk), length_(chunk), cuts_(chunk.size(), 1) {
  if (product(box.count, 0) == 0) {
    number_ = 0;
    return;
  }
  // Starting with the last axis, a piece has as many chunks as fit along each axis. After the first
  // axis that it does not cover completely, it has one chunk along each remaining axis.
  std::size_t elements = product(chunk, 0);
  bool whole = true;
  for (std::size_t d = chunk.size(); d-- > 0;) {
    const std::size_t span = box.offset[d] % chunk[d] + box.count[d];
    if (whole) length_[d] *= std::clamp<std::size_t>(most / elements, 1, 1 + (span - 1) / chunk[d]);
    cuts_[d] = 1 + (span - 1) / length_[d];
    whole = whole && cuts_[d] == 1;
    elements = elements / chunk[d] * (whole ? box.count[d] : length_[d]);
    number_ *= cuts_[d];
  }
}

std::size_t Pieces::most() const {
  std::size_t elements = 1;
  for (std::size_t d = 0; d < length_.size(); ++d)
    elements *= std::min(length_[d], box_.count[d]);
  return elements;
}

Hyperslab Pieces::operator[](std::size_t i) const {
  Hyperslab piece{Shape(box_.count.size(), 0), box_.count};
  for (std::size_t d = box_.count.size(); d-- > 0; i /= cuts_[d]) {
    const std::size_t begin = box_.offset[d];
    const std::size_t from = begin - begin % chunk_[d] + i % cuts_[d] * length_[d];
    piece.offset[d] = std::max(from, begin) - begin;
    piece.count[d] = std::min(from + length_[d], begin + box_.count[d]) - begin - piece.offset[d];
  }
  return piece;
}

void gather(const std::byte *array, const Shape &extent, const Hyperslab &piece,
            std::size_t element, std::byte *tight) {
  for_rows(extent, piece, [&](std::size_t from, std::size_t to, std::size_t n) {
    std::memcpy(tight + to * element, array + from * element, n * element);
  });
}

void scatter(const std::byte *tight, const Shape &extent, const Hyperslab &piece,
             std::size_t element, std::byte *array) {
  for_rows(extent, piece, [&](std::size_t to, std::size_t from, std::size_t n) {
    std::memcpy(array + to * element, tight + from * element, n * element);
  });
}

} // namespace hybridfft::io
