#include "io/transfer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "io/box.h"
#include "io/element.h"
#include "io/handle.h"
#include "io/temporary.h"

namespace hybridfft::io {

namespace {

/// MPI-IO counts in int; some implementations also add up bytes of all ranks.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
/// Size of the buffer for boxes with gaps in memory: HDF5 would move them row by row.
constexpr std::size_t staging_bytes = std::size_t{64} << 20;
/// Size of HDF5's own buffer for converting types.
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
    std::vector<hsize_t> chunk(storage.extent.size());
    H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    storage.chunk.assign(chunk.begin(), chunk.end());
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

/// A transfer property list; out_of_range is set for a number that does not fit into its new type.
Handle transfer_properties(const Transfer &t, bool collective, std::string &out_of_range) {
  Handle properties = own(H5Pcreate(H5P_DATASET_XFER), H5Pclose, t.label);
  if (collective) check(H5Pset_dxpl_mpio(properties.get(), H5FD_MPIO_COLLECTIVE), t.label);
  check(H5Pset_buffer(properties.get(), conversion_bytes, nullptr, nullptr), t.label);
  const auto refuse = [](H5T_conv_except_t what, hid_t from, hid_t into, void *value, void *,
                         void *data) -> H5T_conv_ret_t {
    if (what != H5T_CONV_EXCEPT_RANGE_HI && what != H5T_CONV_EXCEPT_RANGE_LOW)
      return H5T_CONV_UNHANDLED;
    *static_cast<std::string *>(data) =
        "found " + describe_value(from, value) + ", expected " + describe_range(into);
    return H5T_CONV_ABORT;
  };
  check(H5Pset_type_conv_cb(properties.get(), refuse, &out_of_range), t.label);
  return properties;
}

std::vector<hsize_t> sizes(const Shape &shape) { return {shape.begin(), shape.end()}; }

/// The dataset's space with the piece of the box selected; no piece: nothing.
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

Handle tight_space(const Transfer &t, std::size_t elements) {
  const hsize_t n = elements;
  return own(H5Screate_simple(1, &n, nullptr), H5Sclose, t.label);
}

Handle memory_selection(const Transfer &t, const Hyperslab *piece) {
  if (piece == nullptr || piece->count.empty()) {
    Handle space = tight_space(t, 1);
    if (piece == nullptr) check(H5Sselect_none(space.get()), t.label);
    return space;
  }
  Handle space =
      own(H5Screate_simple(static_cast<int>(t.memory.size()), sizes(t.memory).data(), nullptr),
          H5Sclose, t.label);
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, sizes(piece->offset).data(), nullptr,
                            sizes(piece->count).data(), nullptr),
        t.label);
  return space;
}

/// The two directions, for code that is the same for both.
struct Reader {
  static constexpr bool reads = true;
  using Bytes = std::byte;
  static herr_t move(const Transfer &t, hid_t memory, hid_t file, hid_t properties, void *data) {
    return H5Dread(t.dataset, t.memory_type, memory, file, properties, data);
  }
};
struct Writer {
  static constexpr bool reads = false;
  using Bytes = const std::byte;
  static herr_t move(const Transfer &t, hid_t memory, hid_t file, hid_t properties,
                     const void *data) {
    return H5Dwrite(t.dataset, t.memory_type, memory, file, properties, data);
  }
};

template <class Direction> class Mover {
public:
  using Bytes = typename Direction::Bytes;

  Mover(const Transfer &t, bool collective, Bytes *data)
      : t_(t), data_(data), element_(H5Tget_size(t.memory_type)),
        properties_(transfer_properties(t, collective, out_of_range_)) {}
  Mover(const Mover &) = delete; // HDF5 keeps the address of out_of_range_
  Mover &operator=(const Mover &) = delete;

  /// Every rank makes the same number of calls; a failed one does not keep it from the others.
  void move_together(std::size_t calls) {
    const Pieces pieces(t_.box.count, most_bytes / element_bytes(t_));
    std::string failure;
    std::byte nothing{};
    for (std::size_t i = 0; i < calls; ++i) {
      const bool mine = i < pieces.number();
      const Hyperslab piece = mine ? pieces[i] : Hyperslab{};
      const Handle file = file_selection(t_, mine ? &piece : nullptr);
      const Handle memory = memory_selection(t_, mine ? &piece : nullptr);
      const herr_t status = Direction::move(t_, memory.get(), file.get(), properties_.get(),
                                            data_ != nullptr ? data_ : &nothing);
      if (status < 0 && failure.empty()) failure = reason();
    }
    if (!failure.empty()) throw IoError(failure);
  }

  void move_alone() {
    if (is_run(t_.box.count, t_.memory)) {
      const Pieces pieces(t_.box.count, most_bytes / element_bytes(t_));
      for (std::size_t i = 0; i < pieces.number(); ++i) {
        const Hyperslab piece = pieces[i];
        move_tight(piece, data_ + offset_of(piece.offset, t_.memory) * element_);
      }
    } else {
      move_staged();
    }
  }

  /// Reads elements first to first + count of a dataset whose box is all of it.
  void read_run(std::size_t first, std::size_t count, Bytes *data) {
    for (const Hyperslab &box : boxes_of_run(t_.box.count, first, count, t_.label)) {
      const Pieces pieces(box.count, most_bytes / element_bytes(t_));
      for (std::size_t i = 0; i < pieces.number(); ++i) {
        Hyperslab piece = pieces[i];
        for (std::size_t d = 0; d < piece.offset.size(); ++d)
          piece.offset[d] += box.offset[d];
        move_tight(piece, data);
        data += volume(piece.count) * element_;
      }
    }
  }

private:
  void move_tight(const Hyperslab &piece, Bytes *tight) {
    const Handle file = file_selection(t_, &piece);
    const Handle memory = tight_space(t_, volume(piece.count));
    if (Direction::move(t_, memory.get(), file.get(), properties_.get(), tight) < 0)
      throw IoError(reason());
  }

  void move_staged() {
    const Pieces pieces(t_.box.count, staging_bytes / element_bytes(t_));
    const auto staging = std::make_unique_for_overwrite<std::byte[]>(
        std::min(staging_bytes, volume(t_.box.count) * element_));
    for (std::size_t i = 0; i < pieces.number(); ++i) {
      const Hyperslab piece = pieces[i];
      if constexpr (!Direction::reads) gather(data_, t_.memory, piece, element_, staging.get());
      move_tight(piece, staging.get());
      if constexpr (Direction::reads) scatter(staging.get(), t_.memory, piece, element_, data_);
    }
  }

  /// MPI-IO says only that a write failed, HDF5 no more than that.
  std::string reason() const {
    if (!out_of_range_.empty())
      return t_.label + ": a value does not fit into the type asked for: " + out_of_range_;
    if (Direction::reads) return t_.label + ": cannot be read: " + last_reason();
    const std::string full = full_disk(t_.path, volume(t_.box.count) * element_);
    return t_.label + ": cannot be written: " + (full.empty() ? last_reason() : full);
  }

  const Transfer &t_;
  Bytes *data_;
  std::size_t element_;
  std::string out_of_range_;
  Handle properties_;
};

} // namespace

Agreement agree(MPI_Comm comm, const Transfer &transfer) {
  const bool collective = must_be_collective(storage_of(transfer), transfer.box);
  const Pieces pieces(transfer.box.count, most_bytes / element_bytes(transfer));
  std::uint64_t most[2] = {collective ? 1u : 0u, pieces.number()};
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  return {most[0] != 0, static_cast<std::size_t>(most[1])};
}

std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer) {
  const Storage storage = storage_of(transfer);
  if (!storage.filtered) return 0;
  const std::size_t dimensions = storage.extent.size();
  const bool empty = volume(transfer.box.count) == 0;
  // Ends, and starts counted from the far end, so that one maximum finds both.
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

void write_box(const Transfer &transfer, const Agreement &agreement, const void *data) {
  Mover<Writer> mover(transfer, agreement.collective, static_cast<const std::byte *>(data));
  if (agreement.collective)
    mover.move_together(agreement.calls);
  else
    mover.move_alone();
}

void read_rows(const Transfer &transfer, std::size_t first, const Rows &rows, void *data) {
  auto *to = static_cast<std::byte *>(data);
  Mover<Reader> mover(transfer, false, to);
  if (rows.pitch == rows.length || rows.count <= 1)
    return mover.read_run(first, rows.count * rows.length, to);
  const std::size_t element = H5Tget_size(transfer.memory_type);
  const std::size_t row = rows.length * element;
  const std::size_t at_once =
      std::clamp<std::size_t>(staging_bytes / std::max<std::size_t>(row, 1), 1, rows.count);
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(at_once * row);
  for (std::size_t done = 0; done < rows.count; done += at_once) {
    const std::size_t n = std::min(at_once, rows.count - done);
    mover.read_run(first + done * rows.length, n * rows.length, staging.get());
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(to + (done + i) * rows.pitch * element, staging.get() + i * row, row);
  }
}

} // namespace hybridfft::io
