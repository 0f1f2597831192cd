// hybridfft._core.Layout: which points of an array each rank has, and where in its memory.
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

Layout from_boxes(const Extents &extents, const std::vector<std::pair<Extents, Extents>> &boxes,
                  const Layout::Options &options) {
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

/// Start, count and, in elements, strides of a rank's part; the last stride is from field to field.
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
                  [](const Extents &extents, const std::vector<std::pair<Extents, Extents>> &boxes,
                     std::vector<int> order, Extents padding, std::ptrdiff_t howmany,
                     Fields fields) {
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
      .def(
          "__eq__", [](const Layout &a, const Layout &b) { return a == b; }, nb::is_operator());
}

} // namespace hybridfft::python
