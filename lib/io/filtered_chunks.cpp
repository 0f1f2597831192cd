#include "io/filtered_chunks.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/threads.h"
#include "io/box.h"
#include "io/handle.h"

#if defined(HFFT_LIBDEFLATE)
#include <libdeflate.h>
#endif

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

/// Advances an index to the next one in the box first ... last, both inclusive.
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

namespace {

/// The filters of a dataset. Bit n of a mask stands for filter n.
struct Filters {
  unsigned resizing = 0; ///< filters that change the number of bytes
  bool deflated = false; ///< the filters are deflate, or shuffle and deflate
  bool shuffled = false;
};

Filters filters_of(hid_t properties) {
  std::vector<H5Z_filter_t> list;
  Filters filters;
  const int number = H5Pget_nfilters(properties);
  for (int n = 0; n < number; ++n) {
    unsigned flags = 0;
    std::size_t values = 0;
    list.push_back(H5Pget_filter2(properties, static_cast<unsigned>(n), &flags, &values, nullptr, 0,
                                  nullptr, nullptr));
    if (list.back() != H5Z_FILTER_SHUFFLE) filters.resizing |= 1U << n;
  }
  filters.shuffled = list == std::vector{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
  filters.deflated = filters.shuffled || list == std::vector{H5Z_FILTER_DEFLATE};
  return filters;
}

/// Inverts the shuffle filter, which stores the first bytes of all elements, then all second bytes,
/// and so on.
void unshuffle(const std::byte *shuffled, std::size_t elements, std::size_t bytes,
               std::byte *values) {
  for (std::size_t b = 0; b < bytes; ++b)
    for (std::size_t n = 0; n < elements; ++n)
      values[n * bytes + b] = shuffled[b * elements + n];
}

enum class Inflated { whole, too_short, too_long, damaged };

/// Buffers and decompressor of one thread, for chunks of `bytes` bytes.
class Unpacker {
public:
  explicit Unpacker(std::size_t bytes) : values(bytes), other(bytes) {}

  std::vector<std::byte> values, other;

#if defined(HFFT_LIBDEFLATE)
  static constexpr bool available = true;

  Inflated inflate(const std::byte *packed, std::size_t packed_bytes) {
    if (!decompressor_) throw std::bad_alloc();
    switch (libdeflate_zlib_decompress(decompressor_.get(), packed, packed_bytes, values.data(),
                                       values.size(), nullptr)) {
    case LIBDEFLATE_SUCCESS:
      return Inflated::whole;
    case LIBDEFLATE_SHORT_OUTPUT:
      return Inflated::too_short;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return Inflated::too_long;
    default:
      return Inflated::damaged;
    }
  }

private:
  std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor_{
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
#else
  static constexpr bool available = false;
  Inflated inflate(const std::byte *, std::size_t) { return Inflated::damaged; }
#endif
};

/// A compressed chunk that has been read, and the part of it in the requested box.
struct PackedChunk {
  std::size_t first, bytes; ///< position of the chunk in packed_
  Hyperslab part;           ///< elements of the chunk in the box, relative to the chunk
  Shape in_box;             ///< first element of this part, relative to the box
};

class ChunksOfDataset final : public FilteredChunks {
public:
  /// \param same_type true if file and memory have the same element type
  ChunksOfDataset(hid_t dataset, Shape chunk, std::size_t element, const Filters &filters,
                  bool same_type, const std::string &label)
      : dataset_(dataset), label_(label), chunk_(std::move(chunk)), element_(element),
        elements_(volume(chunk_, label)), filters_(filters), same_type_(same_type) {}

  const Shape &chunk() const override { return chunk_; }

  bool read(const Hyperslab &box, std::byte *tight, int threads) override {
    if (volume(box.count) == 0) return true;
    const bool all_packed = read_packed(box);
    // More threads than chunks would have nothing to do.
    while (unpackers_.size() < std::min(chunks_.size(), static_cast<std::size_t>(threads)))
      unpackers_.push_back(std::make_unique<Unpacker>(elements_ * element_));
    std::atomic<bool> sound = true, too_short = false, too_long = false;
    parallel_ranges(static_cast<std::ptrdiff_t>(chunks_.size()), threads,
                    [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                      for (std::ptrdiff_t n = first; n < last; ++n) {
                        const PackedChunk &c = chunks_[static_cast<std::size_t>(n)];
                        Unpacker &u = *unpackers_[static_cast<std::size_t>(thread)];
                        const Inflated result = u.inflate(packed_.data() + c.first, c.bytes);
                        if (result == Inflated::too_short) too_short = true;
                        if (result == Inflated::too_long) too_long = true;
                        if (result != Inflated::whole) sound = false;
                        if (result == Inflated::whole && same_type_) store(c, box.count, tight, u);
                      }
                    });
    // HDF5 would complete a short chunk with whatever follows its buffer, and write a long chunk
    // beyond its buffer.
    if (too_short || too_long)
      throw IoError(label_ + ": cannot be read: a chunk unpacks to " +
                    (too_short ? "less" : "more") + expected_bytes());
    return sound && all_packed && same_type_;
  }

private:
  std::string expected_bytes() const {
    return " than the expected " + std::to_string(elements_ * element_) + " bytes";
  }

  /// Reads the compressed bytes of all chunks of a box.
  /// \return false if HDF5 must decompress one of them
  bool read_packed(const Hyperslab &box) {
    chunks_.clear();
    std::size_t end = 0;
    bool all = true;
    Shape counts(chunk_.size());
    for (std::size_t d = 0; d < chunk_.size(); ++d)
      counts[d] = (box.offset[d] + box.count[d] - 1) / chunk_[d] - box.offset[d] / chunk_[d] + 1;
    const std::size_t number = volume(counts);
    for (std::size_t n = 0; n < number; ++n) {
      std::size_t rest = n;
      std::vector<hsize_t> origin(chunk_.size());
      PackedChunk c{end, 0, {Shape(chunk_.size()), Shape(chunk_.size())}, Shape(chunk_.size())};
      for (std::size_t d = chunk_.size(); d-- > 0; rest /= counts[d]) {
        const std::size_t start = (box.offset[d] / chunk_[d] + rest % counts[d]) * chunk_[d];
        const std::size_t from = std::max(start, box.offset[d]);
        origin[d] = start;
        c.part.offset[d] = from - start;
        c.part.count[d] = std::min(start + chunk_[d], box.offset[d] + box.count[d]) - from;
        c.in_box[d] = from - box.offset[d];
      }
      if (!read_chunk(origin, c)) {
        all = false;
        continue;
      }
      end += c.bytes;
      chunks_.push_back(std::move(c));
    }
    return all;
  }

  /// Reads the compressed bytes of a chunk.
  /// \return false if HDF5 must decompress it
  bool read_chunk(const std::vector<hsize_t> &origin, PackedChunk &c) {
    // H5Dget_chunk_info_by_coord() would need a search over all chunks.
    hsize_t bytes = 0;
    if (H5Dget_chunk_storage_size(dataset_, origin.data(), &bytes) < 0 || bytes == 0) return false;
    unsigned skipped = 0;
    c.bytes = static_cast<std::size_t>(bytes);
    if (packed_.size() < c.first + c.bytes) packed_.resize(c.first + c.bytes);
    if (H5Dread_chunk(dataset_, H5P_DEFAULT, origin.data(), &skipped, packed_.data() + c.first) < 0)
      return false;
    if ((skipped & filters_.resizing) == filters_.resizing && c.bytes != elements_ * element_)
      throw IoError(label_ + ": cannot be read: a chunk without packing has " +
                    std::to_string(c.bytes) + " bytes, " +
                    (c.bytes < elements_ * element_ ? "less" : "more") + expected_bytes());
    return skipped == 0 && filters_.deflated && Unpacker::available;
  }

  /// Copies a chunk's part in the box from the decompressed chunk to the box's memory.
  void store(const PackedChunk &c, const Shape &count, std::byte *tight, Unpacker &u) const {
    if (filters_.shuffled) {
      unshuffle(u.values.data(), elements_, element_, u.other.data());
      std::swap(u.values, u.other);
    }
    const std::byte *part = u.values.data() + offset_of(c.part.offset, chunk_) * element_;
    gather(part, chunk_, {Shape(chunk_.size(), 0), c.part.count}, element_, u.other.data());
    scatter(u.other.data(), count, {c.in_box, c.part.count}, element_, tight);
  }

  hid_t dataset_;
  std::string label_;
  Shape chunk_;
  std::size_t element_, elements_;
  Filters filters_;
  bool same_type_;
  std::vector<PackedChunk> chunks_;
  std::vector<std::byte> packed_;
  std::vector<std::unique_ptr<Unpacker>> unpackers_; ///< one per thread
};

} // namespace

std::unique_ptr<FilteredChunks> FilteredChunks::of(hid_t dataset, hid_t memory_type,
                                                   const std::string &label) {
  const Handle properties = own(H5Dget_create_plist(dataset), H5Pclose, label);
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  if (H5Pget_layout(properties.get()) != H5D_CHUNKED || H5Pget_nfilters(properties.get()) == 0)
    return nullptr;
  return std::make_unique<ChunksOfDataset>(dataset, chunk_of(properties.get()),
                                           H5Tget_size(type.get()), filters_of(properties.get()),
                                           H5Tequal(type.get(), memory_type) > 0, label);
}

} // namespace hybridfft::io
