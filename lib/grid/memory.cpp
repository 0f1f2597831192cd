// Allocates arrays, lays out their rows, and checks their sizes.
#include <algorithm>
#include <limits>

#include "base/memory.h"
#include "base/threads.h"
#include "hybridfft/error.hpp"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::grid::detail {

namespace {

void require_counted(bool counted) {
  if (!counted) throw Error(HFFT_ERROR_OVERFLOW, "an array has more bytes than 64 bits can count");
}

constexpr Index most = std::numeric_limits<Index>::max();

Index times(Index a, Index b) {
  require_counted(b == 0 || a <= most / b);
  return a * b;
}

} // namespace

RowLayout RowLayout::of(const Box &inner, const Widths &ghosts, std::size_t value_bytes,
                        const Alignment &alignment) {
  for (int a = 0; a < 3; ++a)
    if (ghosts.below[a] < 0 || ghosts.above[a] < 0)
      throw Error(HFFT_ERROR_ARGUMENT, "an array has " + std::to_string(ghosts.below[a]) + " and " +
                                           std::to_string(ghosts.above[a]) + " ghosts along axis " +
                                           std::to_string(a) + ", expected none or more");
  if (alignment.point < 0 || alignment.lines < 0)
    throw Error(HFFT_ERROR_ARGUMENT,
                "an array's alignment has point " + std::to_string(alignment.point) + " and " +
                    std::to_string(alignment.lines) + " lines, expected none or more");
  if (inner.empty()) return {};
  const Box all = grown(inner, ghosts);
  const auto bytes = static_cast<Index>(value_bytes);
  const auto line = static_cast<Index>(hybridfft::alignment);
  RowLayout layout;
  if (line % bytes == 0) {
    const Index per_line = line / bytes;
    const auto lines = [&](Index values) { return (values + per_line - 1) / per_line; };
    const Index aligned = inner.lo[2] + std::min(alignment.point, inner.extent(2));
    const Index before = lines(aligned - all.lo[2]);
    layout.lead = before * per_line - (aligned - all.lo[2]);
    layout.pitch = ((before + lines(all.hi[2] - aligned)) | 1) * per_line;
    layout.before = times(alignment.lines, per_line);
  } else {
    layout.pitch = all.extent(2);
  }
  layout.values = times(times(all.extent(0), all.extent(1)), layout.pitch);
  require_counted(layout.values <= most - layout.before);
  layout.values += layout.before;
  times(layout.values, bytes);
  return layout;
}

void *allocate(std::size_t bytes, int threads) {
  if (bytes == 0) return nullptr;
  void *memory = hybridfft::allocate(bytes, threads);
  if (memory == nullptr)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory: an array of " + std::to_string(bytes) +
                                              " bytes could not be allocated");
  return memory;
}

void deallocate(void *memory) noexcept { hybridfft::deallocate(memory); }

void require_host(Place place) {
  if (place != Place::host)
    throw Error(HFFT_ERROR_ARGUMENT,
                "an array: found Place::device without a Device, expected Place::host or a Device");
}

void require_same(bool boxes) {
  if (!boxes)
    throw Error(HFFT_ERROR_ARGUMENT, "a copy between arrays of different boxes, ghosts or "
                                     "alignments, expected the same ones");
}

void for_ranges(Index n, int threads, void (*work)(const void *, Index, Index),
                const void *object) {
  parallel_ranges(n, threads, [&](Index first, Index last, int) { work(object, first, last); });
}

} // namespace hybridfft::grid::detail
