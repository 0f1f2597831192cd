#include "capi/layout_handle.h"

#include <numeric>

#include "base/error.h"
#include "capi/options.h"
#include "layout/tiling.h"

namespace hybridfft::capi {

namespace {

void require_pointer(const void *p, const char *name) {
  if (p == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, std::string(name) + " is NULL");
}

void require_dimensions(int rnk) {
  // Maximum number of axes; sets of many more axes would overflow.
  constexpr int most = 16;
  if (rnk < 1 || rnk > most)
    throw Failure(HFFT_ERROR_EXTENTS, "rank (number of dimensions) is " + std::to_string(rnk) +
                                          ", expected 1 to " + std::to_string(most));
}

Layout made(const hfft_layout_s &l, const Layout::Options &options) {
  return l.boxes ? Layout::boxes(l.extents, *l.boxes, options)
                 : Layout::grid(l.extents, l.parts, options);
}

hfft_layout_s finished(hfft_layout_s l) {
  l.layout = made(l, l.options);
  return l;
}

} // namespace

hfft_layout_s grid_layout(int rnk, const ptrdiff_t *n, const int *parts) {
  require_dimensions(rnk);
  require_pointer(n, "the array of extents n");
  require_pointer(parts, "the array parts");
  hfft_layout_s l;
  l.extents.assign(n, n + rnk);
  l.parts.assign(parts, parts + rnk);
  return finished(std::move(l));
}

hfft_layout_s block_layout(int rnk, const int *parts, const ptrdiff_t *counts) {
  require_dimensions(rnk);
  require_pointer(parts, "the array parts");
  require_pointer(counts, "the array counts");
  std::vector<std::vector<ptrdiff_t>> blocks;
  hfft_layout_s l;
  for (int a = 0; a < rnk; counts += parts[a++]) {
    if (parts[a] < 1)
      throw Failure(HFFT_ERROR_LAYOUT, "parts[" + std::to_string(a) + "] is " +
                                           std::to_string(parts[a]) + ", expected 1 or more");
    blocks.emplace_back(counts, counts + parts[a]);
    l.extents.push_back(sum_of_counts(blocks.back(), static_cast<std::size_t>(a)));
  }
  l.boxes = boxes_of_counts(blocks);
  return finished(std::move(l));
}

hfft_layout_s box_layout(int rnk, const ptrdiff_t *n, int ranks, const ptrdiff_t *starts,
                         const ptrdiff_t *counts) {
  require_dimensions(rnk);
  require_pointer(n, "the array of extents n");
  require_pointer(starts, "the array starts");
  require_pointer(counts, "the array counts");
  if (ranks < 1)
    throw Failure(HFFT_ERROR_LAYOUT, "ranks is " + std::to_string(ranks) + ", expected 1 or more");
  hfft_layout_s l;
  l.extents.assign(n, n + rnk);
  l.boxes.emplace();
  for (int r = 0; r < ranks; ++r, starts += rnk, counts += rnk)
    l.boxes->push_back({{starts, starts + rnk}, {counts, counts + rnk}});
  return finished(std::move(l));
}

void set_options(hfft_layout_s *layout, const Layout::Options &options) {
  require_pointer(layout, "the layout");
  layout->layout = made(*layout, options);
  layout->options = options;
}

const Layout &require_layout(const hfft_layout_s *layout, const char *name) {
  require_pointer(layout, name);
  return layout->layout;
}

void require_rank(const Layout &layout, int rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw Failure(HFFT_ERROR_ARGUMENT, "rank is " + std::to_string(rank) + ", expected 0 to " +
                                           std::to_string(layout.ranks() - 1));
}

plan::Problem layout_problem(int kind, const hfft_layout_s *in, const hfft_layout_s *out, int sign,
                             const hfft_options *options) {
  const hfft_options o = options_of(options);
  plan::Problem p;
  p.kind = kind_of(kind);
  p.sign = sign;
  p.in = require_layout(in, "the input's layout");
  p.out = require_layout(out, "the output's layout");
  if (o.axes != nullptr && o.naxes < 0)
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "naxes is " + std::to_string(o.naxes) + ", expected 0 or more");
  if (o.axes != nullptr) {
    p.axes.assign(o.axes, o.axes + o.naxes);
  } else {
    p.axes.resize(static_cast<std::size_t>(p.in.dimensions()));
    std::iota(p.axes.begin(), p.axes.end(), 0);
  }
  plan::set_kinds(p, o.kinds);
  if (o.modes != nullptr) p.modes.assign(o.modes, o.modes + p.in.dimensions());
  p.flags = o.flags;
  p.scale = o.scale;
  p.threads = threads_of(o);
  p.time_limit = time_limit_of(o);
  return p;
}

} // namespace hybridfft::capi
