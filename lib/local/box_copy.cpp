#include "local/box_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/threads.h"
#include "local/passes.h"

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

/// Returns the index of the dimension with stride 1 in the source or destination, depending on
/// `stride`; -1 if there is none.
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

/// Copies element by element; the element size is known at compile time.
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

namespace {

/// Returns the dimensions with more than one point. Dimensions adjacent in both arrays are merged.
std::vector<CopyDimension> merged(const std::vector<CopyDimension> &dimensions) {
  std::vector<CopyDimension> d;
  for (const CopyDimension &one : dimensions)
    if (one.count != 1) d.push_back(one);
  std::sort(d.begin(), d.end(), [](const CopyDimension &a, const CopyDimension &b) {
    return a.destination > b.destination;
  });
  for (std::size_t i = d.size(); i-- > 1;) {
    const CopyDimension &fast = d[i];
    CopyDimension &slow = d[i - 1];
    if (slow.source != fast.count * fast.source ||
        slow.destination != fast.count * fast.destination)
      continue;
    slow = {slow.count * fast.count, fast.source, fast.destination};
    d.erase(d.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return d;
}

/// A loop along one dimension of a box, in steps of `tile` points.
struct Loop {
  CopyDimension dimension;
  std::ptrdiff_t tile;

  std::ptrdiff_t steps() const { return (dimension.count + tile - 1) / tile; }
};

/// A box copied in tiles. Any range of tiles can be copied separately.
class TiledBox {
public:
  TiledBox(const BoxCopy &box, std::ptrdiff_t tile_points)
      : source_(box.source), destination_(box.destination) {
    std::vector<CopyDimension> d = merged(box.dimensions);
    // The three innermost loops have the smallest strides in either array. strided_copy() executes
    // them.
    std::sort(d.begin(), d.end(), [](const CopyDimension &a, const CopyDimension &b) {
      return std::min(a.source, a.destination) > std::min(b.source, b.destination);
    });
    while (d.size() < 3)
      d.insert(d.begin(), {1, 0, 0});
    for (const CopyDimension &one : d)
      loops_.push_back({one, 1});
    cut(tile_points);
    tiles_ = 1;
    for (const Loop &l : loops_)
      tiles_ *= l.steps();
  }

  std::ptrdiff_t tiles() const { return tiles_; }

  void copy(simd::Isa isa, simd::Store store, std::ptrdiff_t tile, std::ptrdiff_t element,
            const std::byte *source, std::byte *destination) const {
    std::ptrdiff_t from = source_;
    std::ptrdiff_t to = destination_;
    std::array<CopyDimension, 3> inner{};
    for (std::size_t i = loops_.size(); i-- > 0;) {
      const Loop &l = loops_[i];
      const std::ptrdiff_t first = tile % l.steps() * l.tile;
      tile /= l.steps();
      from += first * l.dimension.source;
      to += first * l.dimension.destination;
      if (i + 3 < loops_.size()) continue;
      CopyDimension &d = inner[i + 3 - loops_.size()];
      d = l.dimension;
      d.count = std::min(l.tile, d.count - first);
    }
    strided_copy(isa, static_cast<std::size_t>(element), source + from * element,
                 destination + to * element, inner, store);
  }

private:
  /// Chooses the tiles, of about `points` points. If each array has its own contiguous dimension (a
  /// transpose), tiles are squares in these two dimensions. Otherwise they are as long as possible
  /// along the fastest dimension.
  void cut(std::ptrdiff_t points) {
    const std::size_t inner = loops_.size() - 3;
    std::ptrdiff_t room = points;
    const bool transposes = std::count_if(loops_.begin() + static_cast<std::ptrdiff_t>(inner),
                                          loops_.end(), is_contiguous) > 1;
    const auto side = std::max<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(points))), 16);
    for (std::size_t i = loops_.size(); i-- > inner;) {
      Loop &l = loops_[i];
      const std::ptrdiff_t most = transposes && is_contiguous(l) ? side : room;
      l.tile = std::clamp<std::ptrdiff_t>(most, 1, std::max<std::ptrdiff_t>(l.dimension.count, 1));
      room = std::max<std::ptrdiff_t>(room / l.tile, 1);
    }
  }

  static bool is_contiguous(const Loop &l) {
    return l.dimension.count > 1 && (l.dimension.source == 1 || l.dimension.destination == 1);
  }

  std::ptrdiff_t source_, destination_;
  std::vector<Loop> loops_; ///< at least three loops
  std::ptrdiff_t tiles_ = 0;
};

/// Expresses the copy of a box as transposes of two of its dimensions, one for each point of the
/// other dimensions, and appends them to `matrices`. Returns false if this is not possible.
bool append_transposes(const BoxCopy &box, std::size_t element,
                       std::vector<MatrixTranspose> &matrices) {
  std::vector<CopyDimension> outer = merged(box.dimensions);
  std::optional<MatrixTranspose> matrix;
  for (std::size_t b = 1; b < outer.size() && !matrix; ++b)
    for (std::size_t a = 0; a < b && !matrix; ++a) {
      matrix = as_transpose(outer[a], outer[b], element);
      if (!matrix) continue;
      outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(b));
      outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(a));
    }
  if (!matrix) return false;
  matrix->source = box.source;
  matrix->destination = box.destination;
  const std::size_t first = matrices.size();
  matrices.push_back(*matrix);
  for (const CopyDimension &d : outer) {
    const std::size_t last = matrices.size();
    for (std::ptrdiff_t i = 1; i < d.count; ++i)
      for (std::size_t k = first; k < last; ++k) {
        matrices.push_back(matrices[k]);
        matrices.back().source += i * d.source;
        matrices.back().destination += i * d.destination;
      }
  }
  return true;
}

/// Returns the transposes that equal the copies of all boxes. Returns an empty list if a copy is no
/// transpose, or if the data are too small for streaming.
std::vector<MatrixTranspose> as_transposes(const std::vector<BoxCopy> &boxes, std::size_t element) {
  std::ptrdiff_t elements = 0;
  std::vector<MatrixTranspose> matrices;
  for (const BoxCopy &b : boxes) {
    std::ptrdiff_t points = 1;
    for (const CopyDimension &d : b.dimensions)
      points *= d.count;
    elements += points;
    if (points != 0 && !append_transposes(b, element, matrices)) return {};
  }
  if (!exceeds_caches(elements, element)) return {};
  return matrices;
}

class BoxCopyPass final : public Pass {
public:
  BoxCopyPass(const std::vector<BoxCopy> &boxes, std::size_t element, const PassOptions &options)
      : Pass(1), element_(static_cast<std::ptrdiff_t>(element)), threads_(options.threads),
        isa_(options.isa), store_(options.store) {
    const std::ptrdiff_t points =
        std::max<std::ptrdiff_t>(options.tile_bytes / (2 * element_), 256);
    for (const BoxCopy &b : boxes) {
      if (std::any_of(b.dimensions.begin(), b.dimensions.end(),
                      [](const CopyDimension &d) { return d.count == 0; }))
        continue;
      boxes_.emplace_back(b, points);
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + boxes_.back().tiles());
    }
  }

  void execute(std::byte *source, std::byte *destination, RowRange,
               const Poll &poll) const override {
    parallel_ranges(ends_.empty() ? 0 : ends_.back(), threads_,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      auto box = static_cast<std::size_t>(
                          std::upper_bound(ends_.begin(), ends_.end(), first) - ends_.begin());
                      for (std::ptrdiff_t i = first; i < last; ++i) {
                        if (i == ends_[box]) ++box;
                        boxes_[box].copy(isa_, store_, i - (box == 0 ? 0 : ends_[box - 1]),
                                         element_, source, destination);
                        if (thread == 0) poll();
                      }
                      simd::fence(isa_);
                    });
  }

  bool in_place() const override { return false; }
  std::string describe() const override {
    return "copy of " + std::to_string(boxes_.size()) + (boxes_.size() == 1 ? " box" : " boxes") +
           (store_ == simd::Store::streamed ? ", streamed" : "");
  }
  std::size_t scratch_bytes() const override { return 0; }

private:
  std::ptrdiff_t element_;
  int threads_;
  simd::Isa isa_;
  simd::Store store_;                ///< store for pieces contiguous in both arrays
  std::vector<TiledBox> boxes_;      ///< nonempty boxes
  std::vector<std::ptrdiff_t> ends_; ///< for each box: number of tiles of it and the earlier boxes
};

} // namespace

std::unique_ptr<Pass> make_box_copy_pass(const std::vector<BoxCopy> &boxes, std::size_t element,
                                         const PassOptions &options) {
  if (auto transposes = as_transposes(boxes, element); !transposes.empty())
    return make_transpose_pass(std::move(transposes), TransposeRows::none, 1, element, options);
  return std::make_unique<BoxCopyPass>(boxes, element, options);
}

namespace {

std::ptrdiff_t scaled(std::ptrdiff_t elements, std::size_t element) {
  return elements * static_cast<std::ptrdiff_t>(element);
}

std::ptrdiff_t origin(const Piece &p, const TileBox &box) {
  return p.base + box.first_row * p.row_stride + box.first_vec;
}

/// Clears columns first .. last-1 of a tile.
void clear_columns(std::size_t element, std::ptrdiff_t first, std::ptrdiff_t last,
                   const TileBox &box, std::byte *tile, const TileStrides &strides) {
  const auto clear = [&](std::ptrdiff_t offset, std::ptrdiff_t count) {
    std::memset(tile + scaled(offset, element), 0, static_cast<std::size_t>(count) * element);
  };
  for (std::ptrdiff_t r = 0; r < box.rows; ++r)
    if (strides.column == 1) {
      for (std::ptrdiff_t v = 0; v < box.vec; ++v)
        clear(r * strides.row + first + v * strides.vec, last - first);
    } else {
      for (std::ptrdiff_t c = first; c < last; ++c)
        clear(r * strides.row + c * strides.column, box.vec);
    }
}

/// Clears the unused lanes of a tile with one line per lane. Kernels transform unused lanes, too.
/// Old numbers in them would grow with each execution. If two real lines share a complex lane, an
/// unused line would spoil the other one.
void clear_unused_lanes(std::size_t element, std::ptrdiff_t columns, const TileBox &box,
                        std::byte *tile, const TileStrides &strides) {
  const std::ptrdiff_t unused = strides.column - box.lines();
  if (strides.vec != 1 || strides.row != box.vec || unused <= 0) return;
  for (std::ptrdiff_t c = 0; c < columns; ++c)
    std::memset(tile + scaled(c * strides.column + box.lines(), element), 0,
                static_cast<std::size_t>(unused) * element);
}

} // namespace

void gather_tile(simd::Isa isa, std::size_t element, const SplitRows &from, const TileBox &box,
                 const std::byte *source, std::byte *tile, const TileStrides &strides) {
  std::ptrdiff_t next = 0;
  const auto clear_until = [&](std::ptrdiff_t column) {
    if (next < column) clear_columns(element, next, column, box, tile, strides);
  };
  for (const Piece &p : from.pieces) {
    clear_until(p.first);
    next = p.first + p.count;
    strided_copy(isa, element, source + scaled(origin(p, box), element),
                 tile + scaled(p.first * strides.column, element),
                 {{{box.rows, p.row_stride, strides.row},
                   {p.count, p.column_stride, strides.column},
                   {box.vec, 1, strides.vec}}});
  }
  clear_until(from.columns);
  clear_unused_lanes(element, from.columns, box, tile, strides);
}

void scatter_tile(simd::Isa isa, std::size_t element, const SplitRows &to, const TileBox &box,
                  const std::byte *tile, const TileStrides &strides, std::byte *destination,
                  simd::Store store) {
  for (const Piece &p : to.pieces)
    strided_copy(isa, element, tile + scaled(p.first * strides.column, element),
                 destination + scaled(origin(p, box), element),
                 {{{box.rows, strides.row, p.row_stride},
                   {p.count, strides.column, p.column_stride},
                   {box.vec, strides.vec, 1}}},
                 store);
}

} // namespace hybridfft::local
