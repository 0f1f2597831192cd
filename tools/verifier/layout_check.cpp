// Compares each offset of the library's LayoutViews with the boxes of box.h.
#include "verifier/layout_check.h"

#include <algorithm>

namespace hybridfft::verifier {

namespace {

std::string compare(const char *side, const LayoutView &view, const DataBox &box,
                    std::size_t allocated) {
  const std::string name = std::string("LayoutView of the ") + side;
  if (view.size() != box.elements())
    return name + " spans " + std::to_string(view.size()) + " elements instead of " +
           std::to_string(box.elements());
  if (allocated < static_cast<std::size_t>(box.elements()))
    return name + ": allocation of " + std::to_string(allocated) + " elements is too small for " +
           std::to_string(box.elements());
  std::string error;
  std::vector<bool> seen(static_cast<std::size_t>(view.size()), false);
  box.for_each([&](std::ptrdiff_t offset, const Index &expected, std::ptrdiff_t) {
    Index found(expected.size(), -1);
    seen[static_cast<std::size_t>(offset)] = true;
    if (error.empty() && (!view.global(offset, found) || found != expected))
      error = name + " is wrong at offset " + std::to_string(offset);
  });
  Index ignored(box.dimensions());
  for (std::size_t i = 0; i < seen.size() && error.empty(); ++i)
    if (!seen[i] && view.global(static_cast<std::ptrdiff_t>(i), ignored))
      error = name + " takes the padding at offset " + std::to_string(i) + " for data";
  return error;
}

template <class Real, Kind K>
std::string compare_views(const Problem &p, const DataBox &in, const DataBox &out, MPI_Comm comm) {
  Options options;
  options.comm = comm;
  options.transposed_in = p.transposed_in;
  options.transposed_out = p.transposed_out;
  options.howmany = p.howmany;
  options.block_in = p.block_in;
  options.block_out = p.block_out;
  try {
    const LocalSizes sizes = local_sizes<Real, K>(p.extents, options);
    const std::string error = compare("input", sizes.in, in, sizes.allocate_in);
    return error.empty() ? compare("output", sizes.out, out, sizes.allocate_out) : error;
  } catch (const std::exception &e) {
    return std::string("local_sizes: ") + e.what();
  }
}

template <class Real>
std::string compare_views(const Problem &p, const DataBox &in, const DataBox &out, MPI_Comm comm) {
  switch (p.kind) {
  case Kind::r2c:
    return compare_views<Real, Kind::r2c>(p, in, out, comm);
  case Kind::c2r:
    return compare_views<Real, Kind::c2r>(p, in, out, comm);
  default:
    return compare_views<Real, Kind::c2c>(p, in, out, comm);
  }
}

} // namespace

std::string range_error(std::ptrdiff_t n, std::ptrdiff_t block, LocalRange range, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (block == 0) block = (n + size - 1) / size;
  const std::ptrdiff_t start = std::min(n, rank * block);
  const std::ptrdiff_t count = std::min(block, n - start);
  if (range.start == start && range.count == count) return {};
  return "rank " + std::to_string(rank) + " got " + std::to_string(range.count) + " points from " +
         std::to_string(range.start) + " instead of " + std::to_string(count) + " from " +
         std::to_string(start);
}

std::string view_error(const Problem &p, const DataBox &in, const DataBox &out, MPI_Comm comm) {
  return p.single ? compare_views<float>(p, in, out, comm)
                  : compare_views<double>(p, in, out, comm);
}

} // namespace hybridfft::verifier
