// Reads and writes boxes of datasets, with conversion of types. The ranks agree on collective or
// independent calls. Boxes that are not contiguous in memory pass through a staging buffer, and
// large ones are divided into pieces, because MPI-IO counts bytes in int.
#include "io/file_impl.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "base/threads.h"
#include "io/box.h"
#include "io/filtered_chunks.h"
#include "io/handle.h"
#include "io/temporary.h"

namespace hybridfft::io {

namespace {

/// Maximum number of bytes per call. MPI-IO counts in int, and some implementations add up the
/// bytes of all ranks.
constexpr std::size_t max_bytes = std::size_t{1} << 30;
/// Sizes of the buffers for boxes that are not contiguous in memory, which HDF5 would transfer row
/// by row. The buffer for reading fits into caches.
constexpr std::size_t written_staging_bytes = std::size_t{64} << 20;
constexpr std::size_t read_staging_bytes = std::size_t{4} << 20;
/// Size of HDF5's own buffer for conversions of types.
constexpr std::size_t conversion_bytes = std::size_t{4} << 20;

struct Storage {
  bool chunked = false;
  bool filtered = false;
  bool chunks_are_runs = true; ///< each chunk is a contiguous range of the dataset
  Shape chunk;
  Shape extent;
};

Shape extent_of(hid_t dataset, const std::string &label) {
  const Handle space = own(H5Dget_space(dataset), H5Sclose, label);
  std::vector<hsize_t> n(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), n.data(), nullptr);
  return {n.begin(), n.end()};
}

Storage storage_of(const Transfer &t) {
  const Handle properties = own(H5Dget_create_plist(t.dataset), H5Pclose, t.label);
  Storage storage;
  storage.extent = extent_of(t.dataset, t.label);
  storage.chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED;
  storage.filtered = storage.chunked && H5Pget_nfilters(properties.get()) > 0;
  if (storage.chunked) {
    storage.chunk = chunk_of(properties.get());
    storage.chunks_are_runs = is_run(storage.chunk, storage.extent);
  }
  return storage;
}

bool must_be_collective(const Storage &storage, const Hyperslab &box) {
  return storage.filtered || !storage.chunks_are_runs || !is_run(box.count, storage.extent);
}

std::size_t element_bytes(const Transfer &t) {
  const Handle type = own(H5Dget_type(t.dataset), H5Tclose, t.label);
  return std::max(H5Tget_size(type.get()), H5Tget_size(t.memory_type));
}

/// True if `value` is an infinite 64-bit number. Every floating type can represent infinity, but
/// HDF5 reports it as out of range when it converts to 32 bits.
bool is_infinite(hid_t type, const void *value) {
  double number = 0;
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof number) return false;
  std::memcpy(&number, value, sizeof number);
  return std::isinf(number);
}

/// Creates a property list for transfers. If a number does not fit into its new type,
/// `out_of_range` describes it.
Handle transfer_properties(const Transfer &t, bool collective, std::string &out_of_range) {
  Handle properties = own(H5Pcreate(H5P_DATASET_XFER), H5Pclose, t.label);
  if (collective) check(H5Pset_dxpl_mpio(properties.get(), H5FD_MPIO_COLLECTIVE), t.label);
  check(H5Pset_buffer(properties.get(), conversion_bytes, nullptr, nullptr), t.label);
  const auto refuse = [](H5T_conv_except_t what, hid_t from, hid_t into, void *value, void *,
                         void *data) -> H5T_conv_ret_t {
    if (what != H5T_CONV_EXCEPT_RANGE_HI && what != H5T_CONV_EXCEPT_RANGE_LOW)
      return H5T_CONV_UNHANDLED;
    if (H5Tget_class(into) == H5T_FLOAT && is_infinite(from, value)) return H5T_CONV_UNHANDLED;
    *static_cast<std::string *>(data) =
        "found " + describe_value(from, value) + ", expected " + describe_range(into);
    return H5T_CONV_ABORT;
  };
  check(H5Pset_type_conv_cb(properties.get(), refuse, &out_of_range), t.label);
  return properties;
}

std::vector<hsize_t> sizes(const Shape &shape) { return {shape.begin(), shape.end()}; }

/// Returns the dataset's dataspace with a piece of the box selected, or nothing selected for
/// nullptr.
Handle file_selection(const Transfer &t, const Hyperslab *piece) {
  Handle space = own(H5Dget_space(t.dataset), H5Sclose, t.label);
  if (piece == nullptr) {
    check(H5Sselect_none(space.get()), t.label);
  } else if (!piece->count.empty()) {
    std::vector<hsize_t> start = sizes(t.box.offset);
    for (std::size_t d = 0; d < start.size(); ++d)
      start[d] += piece->offset[d];
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr,
                              sizes(piece->count).data(), nullptr),
          t.label);
  }
  return space;
}

/// Returns a contiguous dataspace in memory with the same dimensions as the selection in the file.
/// With other dimensions HDF5 would search the chunk of each element separately.
Handle tight_space(const Transfer &t, const Shape &count) {
  if (count.empty()) return own(H5Screate(H5S_SCALAR), H5Sclose, t.label);
  return own(H5Screate_simple(static_cast<int>(count.size()), sizes(count).data(), nullptr),
             H5Sclose, t.label);
}

Handle memory_selection(const Transfer &t, const Hyperslab *piece) {
  if (piece == nullptr) {
    Handle space = tight_space(t, {1});
    check(H5Sselect_none(space.get()), t.label);
    return space;
  }
  if (piece->count.empty()) return tight_space(t, {});
  Handle space =
      own(H5Screate_simple(static_cast<int>(t.memory.size()), sizes(t.memory).data(), nullptr),
          H5Sclose, t.label);
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, sizes(piece->offset).data(), nullptr,
                            sizes(piece->count).data(), nullptr),
        t.label);
  return space;
}

/// Reader and Writer have the same interface, so one implementation serves both directions.
struct Reader {
  static constexpr bool reads = true;
  using Bytes = std::byte;
  static herr_t move(const Transfer &t, hid_t type, hid_t memory, hid_t file, hid_t properties,
                     void *data) {
    return H5Dread(t.dataset, type, memory, file, properties, data);
  }
};
struct Writer {
  static constexpr bool reads = false;
  using Bytes = const std::byte;
  static herr_t move(const Transfer &t, hid_t type, hid_t memory, hid_t file, hid_t properties,
                     const void *data) {
    return H5Dwrite(t.dataset, type, memory, file, properties, data);
  }
};

/// Returns the file's type in this machine's byte order if a conversion needs two steps, else
/// nothing. In one step HDF5 mishandles the signs of integers of equal size and foreign byte order:
/// 2^63 would become negative without an error.
Handle type_between(const Transfer &t) {
  const Handle type = own(H5Dget_type(t.dataset), H5Tclose, t.label);
  const bool one_step = H5Tget_class(type.get()) != H5T_INTEGER ||
                        H5Tget_class(t.memory_type) != H5T_INTEGER ||
                        H5Tget_size(type.get()) != H5Tget_size(t.memory_type) ||
                        H5Tget_order(type.get()) == H5Tget_order(t.memory_type) ||
                        H5Tget_sign(type.get()) == H5Tget_sign(t.memory_type);
  if (one_step) return {};
  return own(H5Tget_native_type(type.get(), H5T_DIR_DEFAULT), H5Tclose, t.label);
}

/// Calls `use` on several threads for all values of a piece of a dataset. Each call gets values
/// that are contiguous in the dataset.
void hand_out(const Hyperslab &piece, const Shape &extent, const std::byte *values,
              std::size_t element, int threads, const UseRun &use) {
  const Shape &count = piece.count;
  // The last dimensions covered in full length, and one further dimension before them, form runs
  // that are contiguous in the dataset.
  std::size_t outer = count.size();
  std::size_t length = 1;
  while (outer > 0) {
    length *= count[--outer];
    if (count[outer] != extent[outer]) break;
  }
  Shape stride(count.size(), 1);
  for (std::size_t d = count.size(); d-- > 1;)
    stride[d - 1] = stride[d] * extent[d];
  const std::size_t begin = offset_of(piece.offset, extent);
  const auto position = [&](std::size_t run) {
    std::size_t at = begin;
    for (std::size_t d = outer; d-- > 0; run /= count[d])
      at += run % count[d] * stride[d];
    return at;
  };
  const auto total = static_cast<std::ptrdiff_t>(volume(count));
  parallel_ranges(total, threads, [&](std::ptrdiff_t from, std::ptrdiff_t to, int) {
    const auto last = static_cast<std::size_t>(to);
    std::size_t n = 0;
    for (auto at = static_cast<std::size_t>(from); at < last; at += n) {
      n = std::min(length - at % length, last - at);
      use(position(at / length) + at % length, values + at * element, n);
    }
  });
}

template <class Direction> class Mover {
public:
  using Bytes = typename Direction::Bytes;

  Mover(const Transfer &t, bool collective, Bytes *data, int threads = 1)
      : t_(t), data_(data), threads_(threads), element_(H5Tget_size(t.memory_type)),
        properties_(transfer_properties(t, collective, out_of_range_)) {
    if constexpr (Direction::reads) {
      filtered_ = FilteredChunks::of(t.dataset, t.memory_type, t.label);
      between_ = type_between(t);
    }
  }
  Mover(const Mover &) = delete; // not copyable: HDF5 keeps the address of out_of_range_
  Mover &operator=(const Mover &) = delete;

  /// Moves the pieces by collective calls. Every rank makes the same number of calls, even after a
  /// failure, because the other ranks wait for it.
  void move_together(std::size_t calls) {
    const Pieces pieces(t_.box.count, max_bytes / element_bytes(t_));
    std::string failure;
    std::byte nothing{};
    for (std::size_t i = 0; i < calls; ++i) {
      const bool mine = i < pieces.number();
      const Hyperslab piece = mine ? pieces[i] : Hyperslab{};
      const Handle file = file_selection(t_, mine ? &piece : nullptr);
      const Handle memory = memory_selection(t_, mine ? &piece : nullptr);
      const herr_t status = Direction::move(t_, t_.memory_type, memory.get(), file.get(),
                                            properties_.get(), data_ != nullptr ? data_ : &nothing);
      if (status < 0 && failure.empty()) failure = reason();
    }
    if (!failure.empty()) throw IoError(failure);
  }

  void move_alone() {
    const Pieces pieces = pieces_alone(is_run(t_.box.count, t_.memory));
    std::unique_ptr<std::byte[]> staging;
    for (std::size_t i = 0; i < pieces.number(); ++i) {
      const Hyperslab piece = pieces[i];
      if (is_run(piece.count, t_.memory)) {
        move_tight(piece, data_ + offset_of(piece.offset, t_.memory) * element_);
        continue;
      }
      if (!staging) staging = staging_for(pieces);
      if constexpr (!Direction::reads) gather(data_, t_.memory, piece, element_, staging.get());
      move_tight(piece, staging.get());
      if constexpr (Direction::reads) scatter(staging.get(), t_.memory, piece, element_, data_);
    }
  }

  /// Reads the box and calls `use` with contiguous runs of the dataset.
  void read_runs(const Shape &extent, const UseRun &use) {
    const Pieces pieces = pieces_alone(false);
    const std::unique_ptr<std::byte[]> staging = staging_for(pieces);
    for (std::size_t i = 0; i < pieces.number(); ++i) {
      move_tight(pieces[i], staging.get());
      hand_out(in_dataset(pieces[i]), extent, staging.get(), element_, threads_, use);
    }
  }

private:
  Hyperslab in_dataset(Hyperslab piece) const {
    for (std::size_t d = 0; d < piece.offset.size(); ++d)
      piece.offset[d] += t_.box.offset[d];
    return piece;
  }

  /// Returns the pieces for independent transfers. Pieces of filtered datasets consist of whole
  /// chunks, because HDF5 would decompress a chunk again for each of its parts.
  /// \param tight true if the box is contiguous in memory, so that pieces need no staging buffer
  Pieces pieces_alone(bool tight) const {
    const std::size_t element = element_bytes(t_);
    const std::size_t in_place = max_bytes / element;
    if constexpr (!Direction::reads)
      return {t_.box.count, tight ? in_place : written_staging_bytes / element};
    const Storage storage = storage_of(t_);
    std::size_t staged = read_staging_bytes / element;
    // The buffer has space for one chunk per thread, since each thread decompresses one at a time.
    if (filtered_)
      staged =
          std::max(staged, std::min(volume(filtered_->chunk()) * static_cast<std::size_t>(threads_),
                                    written_staging_bytes / element));
    if (!storage.chunked) return {t_.box.count, tight ? in_place : staged};
    if (!storage.filtered && volume(storage.chunk) > staged) return {t_.box.count, staged};
    return {t_.box, storage.chunk, staged};
  }

  std::unique_ptr<std::byte[]> staging_for(const Pieces &pieces) const {
    return std::make_unique_for_overwrite<std::byte[]>(pieces.most() * element_);
  }

  void move_tight(const Hyperslab &piece, Bytes *tight) {
    if constexpr (Direction::reads)
      if (filtered_ && filtered_->read(in_dataset(piece), tight, threads_)) return;
    const Handle file = file_selection(t_, &piece);
    const Handle memory = tight_space(t_, piece.count);
    const hid_t type = between_ ? between_.get() : t_.memory_type;
    if (Direction::move(t_, type, memory.get(), file.get(), properties_.get(), tight) < 0)
      throw IoError(reason());
    if constexpr (Direction::reads)
      if (between_ && H5Tconvert(type, t_.memory_type, volume(piece.count), tight, nullptr,
                                 properties_.get()) < 0)
        throw IoError(reason());
  }

  /// Reason of a failure. MPI-IO and HDF5 do not report a full disk as such, so the free space is
  /// checked.
  std::string reason() const {
    if (!out_of_range_.empty())
      return t_.label + ": a value does not fit into the type asked for: " + out_of_range_;
    if (Direction::reads) return t_.label + ": cannot be read: " + last_reason();
    const std::string full = full_disk(t_.path, volume(t_.box.count) * element_);
    return t_.label + ": cannot be written: " + (full.empty() ? last_reason() : full);
  }

  const Transfer &t_;
  Bytes *data_;
  int threads_;
  std::size_t element_;
  std::string out_of_range_;
  std::unique_ptr<FilteredChunks>
      filtered_; ///< reader of filtered chunks; nullptr for datasets without filters
  Handle properties_;
  Handle between_; ///< see type_between()
};

} // namespace

TransferAgreement agree(MPI_Comm comm, const Transfer &transfer) {
  const bool collective = must_be_collective(storage_of(transfer), transfer.box);
  const Pieces pieces(transfer.box.count, max_bytes / element_bytes(transfer));
  std::uint64_t most[2] = {collective ? 1u : 0u, pieces.number()};
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  return {most[0] != 0, static_cast<std::size_t>(most[1])};
}

std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer) {
  const Storage storage = storage_of(transfer);
  if (!storage.filtered) return 0;
  const std::size_t dimensions = storage.extent.size();
  const bool empty = volume(transfer.box.count) == 0;
  // `reach` has the end of the box along each axis, then its start along each axis counted from the
  // end of the dataset. One maximum over the ranks thus finds both ends of the bounding box.
  std::vector<std::uint64_t> reach(2 * dimensions, 0);
  for (std::size_t d = 0; d < dimensions && !empty; ++d) {
    reach[d] = transfer.box.offset[d] + transfer.box.count[d];
    reach[dimensions + d] = storage.extent[d] - transfer.box.offset[d];
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, reach.data(), static_cast<int>(reach.size()), MPI_UINT64_T,
                           MPI_MAX, comm),
             "MPI_Allreduce");
  std::size_t bytes = element_bytes(transfer);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::size_t chunk = storage.chunk[d];
    const std::size_t first = (storage.extent[d] - reach[dimensions + d]) / chunk;
    const std::size_t end = (reach[d] + chunk - 1) / chunk;
    bytes *= end > first ? (end - first) * chunk : 0;
  }
  return bytes;
}

void read_box(const Transfer &transfer, void *data) {
  Mover<Reader>(transfer, false, static_cast<std::byte *>(data)).move_alone();
}

void write_box(const Transfer &transfer, const TransferAgreement &agreement, const void *data) {
  Mover<Writer> mover(transfer, agreement.collective, static_cast<const std::byte *>(data));
  if (agreement.collective)
    mover.move_together(agreement.calls);
  else
    mover.move_alone();
}

void read_runs(const Transfer &transfer, int threads, const UseRun &use) {
  Mover<Reader>(transfer, false, nullptr, threads)
      .read_runs(extent_of(transfer.dataset, transfer.label), use);
}

} // namespace hybridfft::io
