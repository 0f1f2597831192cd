#include "io/chunk_runs.h"

#include <algorithm>
#include <array>

#include "io/box.h"
#include "io/handle.h"

namespace hybridfft::io {

namespace {

std::size_t address_of(hid_t dataset, const Shape &origin, const std::string &label) {
  const std::vector<hsize_t> at(origin.begin(), origin.end());
  unsigned filters = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  check(H5Dget_chunk_info_by_coord(dataset, at.data(), &filters, &address, &bytes), label);
  if (address == HADDR_UNDEF) throw IoError(label + ": a chunk has no place in the file");
  return static_cast<std::size_t>(address);
}

/// Advances an index within first ... last, both inclusive.
/// \return false after the last index
bool advance(Shape &index, const Shape &first, const Shape &last, std::size_t dimensions) {
  for (std::size_t d = dimensions; d-- > 0;) {
    if (++index[d] <= last[d]) return true;
    index[d] = first[d];
  }
  return false;
}

void append(std::vector<ByteRun> &runs, const ByteRun &run) {
  if (!runs.empty() && runs.back().memory + runs.back().bytes == run.memory &&
      runs.back().file + runs.back().bytes == run.file)
    runs.back().bytes += run.bytes;
  else
    runs.push_back(run);
}

} // namespace

Shape chunk_of(hid_t creation_properties) {
  std::array<hsize_t, H5S_MAX_RANK> n{};
  const int dimensions = H5Pget_chunk(creation_properties, H5S_MAX_RANK, n.data());
  return {n.begin(), n.begin() + dimensions};
}

std::optional<Shape> direct_chunks(hid_t dataset, hid_t memory_type, const std::string &label) {
  const Handle properties = own(H5Dget_create_plist(dataset), H5Pclose, label);
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED || H5Pget_nfilters(properties.get()) > 0 ||
      H5Tequal(type.get(), memory_type) <= 0)
    return std::nullopt;
  Shape chunk = chunk_of(properties.get());
  if (volume(chunk, label) * H5Tget_size(memory_type) < smallest_direct_chunk) return std::nullopt;
  return chunk;
}

std::vector<ByteRun> chunk_runs(hid_t dataset, const Shape &chunk, const Hyperslab &box,
                                std::size_t element, const std::string &label) {
  std::vector<ByteRun> runs;
  const std::size_t dimensions = chunk.size();
  if (volume(box.count, label) == 0) return runs;
  Shape first(dimensions);
  Shape last(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    first[d] = box.offset[d] / chunk[d];
    last[d] = (box.offset[d] + box.count[d] - 1) / chunk[d];
  }
  Shape at = first;
  do {
    Shape origin(dimensions);
    Shape from(dimensions); // first and last element of the box within this chunk
    Shape to(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
      origin[d] = at[d] * chunk[d];
      from[d] = std::max(box.offset[d], origin[d]);
      to[d] = std::min(box.offset[d] + box.count[d], origin[d] + chunk[d]) - 1;
    }
    const std::size_t address = address_of(dataset, origin, label);
    const std::size_t length = (to.back() - from.back() + 1) * element;
    Shape row = from;
    do {
      Shape in_chunk(dimensions);
      Shape in_box(dimensions);
      for (std::size_t d = 0; d < dimensions; ++d) {
        in_chunk[d] = row[d] - origin[d];
        in_box[d] = row[d] - box.offset[d];
      }
      append(runs, {offset_of(in_box, box.count) * element,
                    address + offset_of(in_chunk, chunk) * element, length});
    } while (advance(row, from, to, dimensions - 1));
  } while (advance(at, first, last, dimensions));
  return runs;
}

} // namespace hybridfft::io
