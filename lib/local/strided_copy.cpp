#include "local/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace hybridfft::local {

namespace {

using Box = std::array<CopyDimension, 3>;

/// Sorts the dimensions by destination stride, the smallest last, and merges dimensions adjacent in
/// both arrays.
void simplify(Box &box) {
  for (CopyDimension &d : box)
    if (d.count == 1) d = {1, 0, 0};
  std::sort(box.begin(), box.end(), [](const CopyDimension &a, const CopyDimension &b) {
    return a.count == 1 ? b.count != 1 : b.count != 1 && a.destination > b.destination;
  });
  for (std::size_t outer = 2; outer-- > 0;)
    for (std::size_t inner = outer + 1; inner < 3; ++inner) {
      CopyDimension &o = box[outer];
      CopyDimension &i = box[inner];
      if (o.count > 1 && i.count > 1 && o.source == i.count * i.source &&
          o.destination == i.count * i.destination) {
        i.count *= o.count;
        o = {1, 0, 0};
      }
    }
}

/// Returns the position of the dimension with stride 1 in one of the arrays, or -1.
int contiguous(const Box &box, std::ptrdiff_t CopyDimension::*stride) {
  for (int i = 2; i >= 0; --i)
    if (box[static_cast<std::size_t>(i)].count > 1 && box[static_cast<std::size_t>(i)].*stride == 1)
      return i;
  return -1;
}

std::ptrdiff_t bytes_of(std::ptrdiff_t elements, std::size_t element) {
  return elements * static_cast<std::ptrdiff_t>(element);
}

void copy_runs(simd::Isa isa, simd::Store store, std::size_t element, const std::byte *source,
               std::byte *destination, const CopyDimension &a, const CopyDimension &b,
               std::ptrdiff_t run) {
  for (std::ptrdiff_t i = 0; i < a.count; ++i)
    simd::copy_runs(isa, store, element, static_cast<std::size_t>(b.count),
                    static_cast<std::size_t>(run), source + bytes_of(i * a.source, element),
                    static_cast<std::size_t>(b.source),
                    destination + bytes_of(i * a.destination, element),
                    static_cast<std::size_t>(b.destination));
}

/// Copies element by element, with an element size known at compile time.
template <std::size_t element>
void copy_elements(const std::byte *source, std::byte *destination, const Box &box) {
  const auto &[outer, middle, inner] = box;
  for (std::ptrdiff_t i = 0; i < outer.count; ++i)
    for (std::ptrdiff_t j = 0; j < middle.count; ++j) {
      const std::byte *from = source + bytes_of(i * outer.source + j * middle.source, element);
      std::byte *to =
          destination + bytes_of(i * outer.destination + j * middle.destination, element);
      for (std::ptrdiff_t k = 0; k < inner.count; ++k)
        std::memcpy(to + bytes_of(k * inner.destination, element),
                    from + bytes_of(k * inner.source, element), element);
    }
}

void copy_elements(simd::Isa isa, std::size_t element, const std::byte *source,
                   std::byte *destination, const Box &box) {
  if (element == 8) return copy_elements<8>(source, destination, box);
  if (element == 16) return copy_elements<16>(source, destination, box);
  for (std::ptrdiff_t i = 0; i < box[2].count; ++i)
    copy_runs(isa, simd::Store::cached, element, source + bytes_of(i * box[2].source, element),
              destination + bytes_of(i * box[2].destination, element), box[0], box[1], 1);
}

} // namespace

void strided_copy(simd::Isa isa, std::size_t element, const std::byte *source,
                  std::byte *destination, Box box, simd::Store store) {
  for (const CopyDimension &d : box)
    if (d.count == 0) return;
  simplify(box);
  const int in = contiguous(box, &CopyDimension::source);
  const int out = contiguous(box, &CopyDimension::destination);
  if (in >= 0 && in == out) {
    const auto run = static_cast<std::size_t>(in);
    copy_runs(isa, store, element, source, destination, box[(run + 1) % 3], box[(run + 2) % 3],
              box[run].count);
  } else if (in >= 0 && out >= 0) {
    const CopyDimension &cols = box[static_cast<std::size_t>(in)];
    const CopyDimension &rows = box[static_cast<std::size_t>(out)];
    const CopyDimension &rest = box[static_cast<std::size_t>(3 - in - out)];
    for (std::ptrdiff_t i = 0; i < rest.count; ++i)
      simd::transpose(
          isa, element, static_cast<std::size_t>(rows.count), static_cast<std::size_t>(cols.count),
          source + bytes_of(i * rest.source, element), static_cast<std::size_t>(rows.source),
          destination + bytes_of(i * rest.destination, element),
          static_cast<std::size_t>(cols.destination));
  } else {
    copy_elements(isa, element, source, destination, box);
  }
}

} // namespace hybridfft::local
