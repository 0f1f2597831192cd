#include "local/transpose_rectangle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/memory.h"
#include "base/threads.h"

namespace hybridfft::local {
namespace {

/// The array is seen as m x n with m < n throughout. Taking it to its transpose (rows < cols) means
/// the passes forwards; taking it back (rows > cols) means their inverses, in reverse order.
struct Shape {
  std::size_t m, n;
  std::size_t c; ///< gcd(m, n)
  std::size_t a; ///< m / c
  std::size_t b; ///< n / c

  Shape(std::size_t rows, std::size_t cols)
      : m(std::min(rows, cols)), n(std::max(rows, cols)), c(std::gcd(m, n)), a(m / c), b(n / c) {}
};

/// Columns are permuted in strips: all rows of a strip are copied to a buffer that should stay in
/// the second-level cache, but no run is shorter than a cache line or longer than a page.
constexpr std::size_t strip_bytes = std::size_t{512} << 10;
constexpr std::size_t longest_run = 4096;

std::size_t strip_width(const Shape &s, std::size_t element) {
  const std::size_t run =
      std::clamp(strip_bytes / (s.m * element), alignment / element, longest_run / element);
  return std::min(run / (alignment / element) * (alignment / element), s.n);
}

/// A few long rows are permuted by all threads together, with one buffer.
bool rows_in_common(const Shape &s, int threads) {
  return s.m < 8 * static_cast<std::size_t>(threads);
}

std::size_t round_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::size_t strip_scratch(const Shape &s, std::size_t element) {
  return round_up(s.m * strip_width(s, element) * element);
}

/// Column j of the new matrix is column j of the old one rotated and, in the last pass, with its
/// rows permuted: new (i, j) = old ((row(i) + turn(j)) mod m, j).
enum class ColumnStep { rotate, finish };

template <class T> class Rectangle {
public:
  Rectangle(const Shape &s, T *data, int threads, std::byte *scratch)
      : s_(s), data_(data), threads_(threads), scratch_(scratch) {}

  void forwards() {
    if (s_.c > 1) columns<false>(ColumnStep::rotate);
    rows<false>();
    columns<false>(ColumnStep::finish);
  }
  void backwards() {
    columns<true>(ColumnStep::finish);
    rows<true>();
    if (s_.c > 1) columns<true>(ColumnStep::rotate);
  }

private:
  T *buffer(int thread, std::size_t bytes) const {
    return reinterpret_cast<T *>(scratch_ + static_cast<std::size_t>(thread) * bytes);
  }

  std::size_t turn(ColumnStep pass, std::size_t j) const {
    return pass == ColumnStep::rotate ? j / s_.b : j % s_.m;
  }

  /// (i n - floor(i / a)) mod m, or i.
  class RowOf {
  public:
    RowOf(const Shape &s, ColumnStep pass) : s_(s), pass_(pass) {}
    std::size_t operator()(std::size_t i) const {
      if (pass_ == ColumnStep::rotate) return i;
      return (i * (s_.n % s_.m) + s_.m - i / s_.a) % s_.m;
    }

  private:
    const Shape &s_;
    ColumnStep pass_;
  };

  template <bool inverse> void columns(ColumnStep pass) {
    const std::size_t width = strip_width(s_, sizeof(T));
    const auto strips = static_cast<std::ptrdiff_t>((s_.n + width - 1) / width);
    parallel_ranges(strips, threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
      T *const strip = buffer(thread, strip_scratch(s_, sizeof(T)));
      for (std::ptrdiff_t k = first; k < last; ++k) {
        const std::size_t j = static_cast<std::size_t>(k) * width;
        permute_strip<inverse>(pass, j, std::min(width, s_.n - j), strip);
      }
    });
  }

  template <bool inverse>
  void permute_strip(ColumnStep pass, std::size_t first, std::size_t width, T *strip) {
    std::array<std::size_t, longest_run / sizeof(T)> turns;
    for (std::size_t j = 0; j < width; ++j)
      turns[j] = turn(pass, first + j);
    const RowOf row_of(s_, pass);
    if (!inverse) copy_rows(data_ + first, s_.n, strip, width, width);
    for (std::size_t i = 0; i < s_.m; ++i) {
      T *const row = data_ + i * s_.n + first;
      const std::size_t start = row_of(i);
      for (std::size_t j = 0; j < width; ++j) {
        std::size_t from = start + turns[j];
        if (from >= s_.m) from -= s_.m;
        if (inverse)
          strip[from * width + j] = row[j];
        else
          row[j] = strip[from * width + j];
      }
    }
    if (inverse) copy_rows(strip, width, data_ + first, s_.n, width);
  }

  void copy_rows(const T *from, std::size_t ld_from, T *to, std::size_t ld_to,
                 std::size_t width) const {
    for (std::size_t i = 0; i < s_.m; ++i)
      std::memcpy(to + i * ld_to, from + i * ld_from, width * sizeof(T));
  }

  template <bool inverse> void rows() {
    if (rows_in_common(s_, threads_)) {
      T *const copy = buffer(0, 0);
      for (std::size_t i = 0; i < s_.m; ++i) {
        in_parts([&](std::size_t j, std::size_t end) { permute_row<inverse>(i, j, end, copy); });
        in_parts([&](std::size_t j, std::size_t end) { replace_row(i, j, end, copy); });
      }
      return;
    }
    parallel_ranges(static_cast<std::ptrdiff_t>(s_.m), threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      T *const copy = buffer(thread, round_up(s_.n * sizeof(T)));
                      for (auto i = static_cast<std::size_t>(first);
                           i < static_cast<std::size_t>(last); ++i) {
                        permute_row<inverse>(i, 0, s_.n, copy);
                        replace_row(i, 0, s_.n, copy);
                      }
                    });
  }

  template <class F> void in_parts(const F &f) const {
    parallel_ranges(static_cast<std::ptrdiff_t>(s_.n), threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      f(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
                    });
  }

  /// Element j of row i belongs at (((i + floor(j / b)) mod m) + j m) mod n, which is advanced from
  /// one j to the next without dividing.
  template <bool inverse>
  void permute_row(std::size_t i, std::size_t first, std::size_t last, T *copy) const {
    const T *const row = data_ + i * s_.n;
    std::size_t source_row = (i + first / s_.b) % s_.m;
    std::size_t place = (source_row + first * s_.m) % s_.n;
    std::size_t until_turn = s_.b - first % s_.b;
    for (std::size_t j = first; j < last; ++j) {
      if (inverse)
        copy[j] = row[place];
      else
        copy[place] = row[j];
      place += s_.m;
      if (--until_turn == 0) {
        until_turn = s_.b;
        ++place;
        if (++source_row == s_.m) {
          source_row = 0;
          place -= s_.m;
        }
      }
      if (place >= s_.n) place -= s_.n;
    }
  }

  void replace_row(std::size_t i, std::size_t first, std::size_t last, const T *copy) const {
    std::memcpy(data_ + i * s_.n + first, copy + first, (last - first) * sizeof(T));
  }

  const Shape s_;
  T *data_;
  int threads_;
  std::byte *scratch_;
};

/// An element of any type, without alignment.
template <std::size_t Bytes> struct Item { std::byte bytes[Bytes]; };

template <class T>
void transpose_as(std::size_t rows, std::size_t cols, std::byte *a, int threads,
                  std::byte *scratch) {
  Rectangle<T> rectangle(Shape(rows, cols), reinterpret_cast<T *>(a), threads, scratch);
  if (rows < cols)
    rectangle.forwards();
  else
    rectangle.backwards();
}

} // namespace

std::size_t transpose_rectangle_scratch(std::size_t element, std::size_t rows, std::size_t cols,
                                        int threads) {
  const Shape s(rows, cols);
  const int used = std::max(threads, 1);
  const auto each = static_cast<std::size_t>(used);
  const std::size_t row = round_up(s.n * element);
  return std::max(each * strip_scratch(s, element), rows_in_common(s, used) ? row : each * row);
}

void transpose_rectangle(std::size_t element, std::size_t rows, std::size_t cols, std::byte *a,
                         int threads, std::byte *scratch) {
  const int used = std::max(threads, 1);
  switch (element) {
  case 4:
    return transpose_as<Item<4>>(rows, cols, a, used, scratch);
  case 8:
    return transpose_as<Item<8>>(rows, cols, a, used, scratch);
  default:
    return transpose_as<Item<16>>(rows, cols, a, used, scratch);
  }
}

} // namespace hybridfft::local
