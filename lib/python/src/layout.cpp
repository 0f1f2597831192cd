// hybridfft._core.Layout: the points of an array on each rank, and their positions in its memory.
#include "bindings.h"

#include <string>
#include <utility>
#include <vector>

#include <hybridfft/hybridfft.hpp>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace hybridfft::python {
namespace {

using Extents = std::vector<std::ptrdiff_t>;

Layout::Options layout_options(std::vector<int> order, Extents padding, std::ptrdiff_t howmany,
                               Fields fields) {
  return {std::move(order), std::move(padding), howmany, fields};
}

using Boxes = std::vector<std::pair<Extents, Extents>>;

Layout from_boxes(const Extents &extents, const Boxes &boxes, const Layout::Options &options) {
  std::vector<IndexBox> list;
  list.reserve(boxes.size());
  for (const auto &[start, count] : boxes)
    list.push_back({start, count});
  return Layout::boxes(extents, std::move(list), options);
}

void require_rank(const Layout &layout, int rank) {
  if (rank < 0 || rank >= layout.ranks())
    throw Error(HFFT_ERROR_ARGUMENT, "rank is " + std::to_string(rank) + ", expected 0 to " +
                                         std::to_string(layout.ranks() - 1));
}

/// Start, count and strides (in elements) of a rank's part. The last stride is the distance between
/// fields.
std::tuple<Extents, Extents, Extents> local_part(const Layout &layout, int rank) {
  require_rank(layout, rank);
  const auto d = static_cast<std::size_t>(layout.dimensions());
  Extents start(d);
  Extents count(d);
  Extents stride(d + 1);
  const detail::LayoutHandle handle(detail::wrap(layout));
  if (!handle || hfft_layout_local(handle.get(), rank, start.data(), count.data(), stride.data()) !=
                     HFFT_SUCCESS)
    detail::Api<double>::raise();
  return {start, count, stride};
}

std::pair<int, std::ptrdiff_t> locate(const Layout &layout, const Extents &index) {
  if (index.size() != static_cast<std::size_t>(layout.dimensions()))
    throw Error(HFFT_ERROR_ARGUMENT, "index has " + std::to_string(index.size()) +
                                         " entries, expected " +
                                         std::to_string(layout.dimensions()));
  for (std::size_t a = 0; a < index.size(); ++a)
    if (const std::ptrdiff_t n = layout.extent(static_cast<int>(a)); index[a] < 0 || index[a] >= n)
      throw Error(HFFT_ERROR_ARGUMENT, "index[" + std::to_string(a) + "] is " +
                                           std::to_string(index[a]) + ", expected 0 to " +
                                           std::to_string(n - 1));
  const Layout::Location at = layout.locate(index);
  return {at.rank, at.offset};
}

/// State of a layout for Python's pickle: extents, order, padding, howmany, fields, parts of a
/// grid, its blocks if they are not the default, and the boxes of a layout without a grid.
using State = std::tuple<Extents, std::vector<int>, Extents, std::ptrdiff_t, int, std::vector<int>,
                         Extents, Boxes>;

Layout restored(const State &state) {
  const auto &[extents, order, padding, howmany, fields, parts, blocks, boxes] = state;
  const auto options = layout_options(order, padding, howmany, static_cast<Fields>(fields));
  if (!boxes.empty()) return from_boxes(extents, boxes, options);
  if (blocks.empty()) return Layout::grid(extents, parts, options);
  std::vector<AxisLayout> axes;
  for (const int axis : order) {
    const auto a = static_cast<std::size_t>(axis);
    axes.push_back({axis, BlockDistribution(extents[a], parts[a], blocks[a]), padding[a]});
  }
  return Layout(std::move(axes), howmany, options.fields);
}

State state_of(const Layout &layout) {
  const auto d = static_cast<std::size_t>(layout.dimensions());
  Extents padding(d);
  Extents blocks(d);
  std::vector<int> order;
  std::vector<int> parts(d);
  for (const AxisLayout &a : layout.axes()) {
    const auto axis = static_cast<std::size_t>(a.axis);
    order.push_back(a.axis);
    padding[axis] = a.padding;
    parts[axis] = a.distribution.parts();
    blocks[axis] = a.distribution.block();
  }
  State state{layout.extents(),
              order,
              padding,
              layout.howmany(),
              static_cast<int>(layout.fields()),
              parts,
              {},
              {}};
  if (restored(state) == layout) return state;
  std::get<6>(state) = blocks;
  if (restored(state) == layout) return state;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const IndexBox box = layout.box(rank);
    std::get<Boxes>(state).emplace_back(box.start, box.count);
  }
  return state;
}

} // namespace

void bind_layout(nb::module_ &m) {
  nb::enum_<Fields>(m, "Fields")
      .value("interleaved", Fields::interleaved)
      .value("separate", Fields::separate);
  nb::class_<Layout>(m, "Layout")
      .def_static(
          "slab",
          [](const Extents &extents, int ranks, bool transposed, std::ptrdiff_t block,
             std::ptrdiff_t howmany, std::ptrdiff_t last_padding) {
            return Layout::slab(extents, ranks, {transposed, block, howmany, last_padding});
          },
          nb::arg("extents"), nb::arg("ranks"), nb::arg("transposed"), nb::arg("block"),
          nb::arg("howmany"), nb::arg("last_padding"))
      .def_static("grid",
                  [](const Extents &extents, const std::vector<int> &parts, std::vector<int> order,
                     Extents padding, std::ptrdiff_t howmany, Fields fields) {
                    return Layout::grid(
                        extents, parts,
                        layout_options(std::move(order), std::move(padding), howmany, fields));
                  })
      .def_static("blocks",
                  [](const std::vector<Extents> &counts, std::vector<int> order, Extents padding,
                     std::ptrdiff_t howmany, Fields fields) {
                    return Layout::grid(counts, layout_options(std::move(order), std::move(padding),
                                                               howmany, fields));
                  })
      .def_static("boxes",
                  [](const Extents &extents, const Boxes &boxes, std::vector<int> order,
                     Extents padding, std::ptrdiff_t howmany, Fields fields) {
                    return from_boxes(
                        extents, boxes,
                        layout_options(std::move(order), std::move(padding), howmany, fields));
                  })
      .def_prop_ro("ranks", &Layout::ranks)
      .def_prop_ro("extents", &Layout::extents)
      .def_prop_ro("howmany", &Layout::howmany)
      .def_prop_ro("fields", &Layout::fields)
      .def("local_part", &local_part, nb::arg("rank"))
      .def(
          "local_size",
          [](const Layout &layout, int rank) {
            require_rank(layout, rank);
            return layout.local_size(rank);
          },
          nb::arg("rank"))
      .def("locate", &locate, nb::arg("index"))
      .def("describe", &Layout::describe)
      .def("__getstate__", &state_of)
      .def("__setstate__",
           [](Layout &layout, const State &state) { new (&layout) Layout(restored(state)); })
      .def(
          "__eq__", [](const Layout &a, const Layout &b) { return a == b; }, nb::is_operator());
}

} // namespace hybridfft::python
