#include "local/box_copy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/threads.h"
#include "local/transpose_pass.h"

namespace hybridfft::local {

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

/// A loop over `count` steps of a box, `tile` points at a time.
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
    // The three innermost loops have the smallest strides on either side. They form one copy.
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
  /// Cuts the dimensions contiguous on one side into squares, so that both sides of a square fit
  /// the cache. A dimension contiguous on both sides is cut into runs of a tile's points.
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

/// Appends the transposes equal to the copy of a box, one for each point of its other dimensions.
/// Returns false if the copy is not a transpose.
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

/// Returns transposes equal to the copies of all boxes if they are large enough; else an empty
/// list.
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
  simd::Store store_;                ///< store of runs that are contiguous on both sides
  std::vector<TiledBox> boxes_;      ///< nonempty boxes
  std::vector<std::ptrdiff_t> ends_; ///< number of tiles of all boxes up to this one
};

} // namespace

std::unique_ptr<Pass> make_box_copy_pass(const std::vector<BoxCopy> &boxes, std::size_t element,
                                         const PassOptions &options) {
  if (auto transposes = as_transposes(boxes, element); !transposes.empty())
    return make_transpose_pass(std::move(transposes), TransposeRows::none, 1, element, options);
  return std::make_unique<BoxCopyPass>(boxes, element, options);
}

} // namespace hybridfft::local
