// Creates, reads and writes HDF5 datasets by boxes. All ranks take part; transfers are divided so
// that buffers stay small.
#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>

#include "base/mpi.h"
#include "io/box.h"
#include "io/file_impl.h"
#include "io/filtered_chunks.h"
#include "io/handle.h"

namespace hybridfft::io {

namespace {

Shape shape_of(hid_t dataset, const std::string &label) {
  const Handle space = own(H5Dget_space(dataset), H5Sclose, label);
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL)
    throw IoError(label + ": holds no values (a null dataspace)");
  std::vector<hsize_t> n(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), n.data(), nullptr);
  return {n.begin(), n.end()};
}

void require_elements(const Shape &shape, const std::string &label) {
  if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end())
    throw IoError(label + ": found the shape " + to_string(shape) +
                  ", expected at least one element along every dimension");
}

void require_kind(hid_t dataset, hid_t wanted, bool writing, const std::string &label) {
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  const NumberKind kind = kind_of(type.get());
  if (!writing && kind == NumberKind::integer && kind_of(wanted) == NumberKind::floating) return;
  if (kind != kind_of(wanted) || kind == NumberKind::other)
    throw IoError(label + ": holds values of type " + describe_type(type.get()) + ", expected " +
                  describe_type(wanted));
}

/// Throws if a compressed dataset needs a conversion of types: HDF5 cannot convert while several
/// ranks write compressed chunks.
void require_writable(hid_t dataset, hid_t memory_type, const std::string &label) {
  const Handle properties = own(H5Dget_create_plist(dataset), H5Pclose, label);
  const Handle type = own(H5Dget_type(dataset), H5Tclose, label);
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED && H5Pget_nfilters(properties.get()) > 0 &&
      H5Tequal(type.get(), memory_type) <= 0)
    throw IoError(label + ": is compressed and holds values of type " + describe_type(type.get()) +
                  ", found values of type " + describe_type(memory_type) + " to be written");
}

void require_inside(const Hyperslab &box, const MemoryLayout &memory, const Shape &shape,
                    const std::string &label) {
  const std::string found =
      ": found the box of " + to_string(box.count) + " at " + to_string(box.offset);
  if (box.offset.size() != shape.size() || box.count.size() != shape.size())
    throw IoError(label + found + ", expected " + std::to_string(shape.size()) +
                  " dimensions, those of its shape " + to_string(shape));
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (box.offset[d] > shape[d] || box.count[d] > shape[d] - box.offset[d])
      throw IoError(label + found + ", expected one inside of its shape " + to_string(shape));
  if (memory.extent.empty()) return;
  bool fits = memory.extent.size() == shape.size();
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = memory.extent[d] >= box.count[d];
  if (!fits)
    throw IoError(label + found + ", expected one that fits into the array of " +
                  to_string(memory.extent) + " in memory");
}

Handle creation_properties(const Shape &shape, const CreateOptions &options,
                           const std::string &label) {
  Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, label);
  // Without time stamps, equal calls create files with equal bytes.
  check(H5Pset_obj_track_times(properties.get(), false), label);
  const bool compressed = options.deflate > 0;
  // No fill values: they would be written first and then overwritten. Compressed chunks, however,
  // need valid content from the start.
  if (!compressed) check(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER), label);
  if (options.deflate < -1 || options.deflate > 9)
    throw IoError(label + ": found the deflate level " + std::to_string(options.deflate) +
                  ", expected 0 to 9, or -1 for none");
  if (options.chunk.empty()) {
    if (compressed) throw IoError(label + ": compression needs a chunk, found none");
    return properties;
  }
  bool fits = options.chunk.size() == shape.size();
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = options.chunk[d] > 0 && options.chunk[d] <= shape[d];
  if (!fits)
    throw IoError(label + ": found the chunk " + to_string(options.chunk) +
                  ", expected one that is not empty and fits into its shape " + to_string(shape));
  const std::vector<hsize_t> chunk(options.chunk.begin(), options.chunk.end());
  check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), label);
  if (compressed)
    check(H5Pset_deflate(properties.get(), static_cast<unsigned>(options.deflate)), label);
  return properties;
}

/// Disk space needed by a new dataset, in bytes.
struct Footprint {
  std::size_t data = 0;     ///< 0 for compressed datasets, as their size is unknown
  std::size_t metadata = 0; ///< upper bound
};

Footprint footprint_of(const Shape &shape, const CreateOptions &options, std::size_t element,
                       const std::string &label) {
  std::size_t chunks = 1;
  for (std::size_t d = 0; d < options.chunk.size(); ++d)
    chunks *= (shape[d] + options.chunk[d] - 1) / options.chunk[d];
  const std::size_t chunk_elements = volume(options.chunk.empty() ? shape : options.chunk, label);
  Footprint bytes;
  if (__builtin_mul_overflow(chunks, chunk_elements, &bytes.data) ||
      __builtin_mul_overflow(bytes.data, element, &bytes.data) || bytes.data > PTRDIFF_MAX)
    throw IoError(label + ": found the shape " + to_string(shape) +
                  ", whose bytes are too many to be counted");
  if (options.deflate > 0) bytes.data = 0;
  // An object header takes some hundred bytes, and the index of chunks at most 128 bytes per chunk.
  bytes.metadata = 4096 + 128 * chunks;
  return bytes;
}

void create_in(const File::Impl &file, const std::string &name, hid_t type, const Shape &shape,
               hid_t properties, const std::string &failed) {
  const std::vector<hsize_t> n(shape.begin(), shape.end());
  const Handle space =
      own(n.empty() ? H5Screate(H5S_SCALAR)
                    : H5Screate_simple(static_cast<int>(n.size()), n.data(), nullptr),
          H5Sclose, failed);
  const Handle links = own(H5Pcreate(H5P_LINK_CREATE), H5Pclose, failed);
  check(H5Pset_create_intermediate_group(links.get(), 1), failed);
  own(H5Dcreate2(file.id(), name.c_str(), type, space.get(), links.get(), properties,
                 file.access_list()),
      H5Dclose, failed);
}

/// An open dataset and a description of the data to be moved.
struct Access {
  Handle dataset, type;
  Transfer transfer;
};

/// Opens a dataset and checks box, memory and types. Local.
template <class T>
Access prepare(const File::Impl &file, const std::string &name, const Hyperslab &box,
               const MemoryLayout &memory, bool writing) {
  const std::string label = file.label(name);
  Access access;
  access.dataset = file.open_dataset(name);
  access.type = element_type<T>();
  const Shape shape = shape_of(access.dataset.get(), label);
  require_elements(shape, label);
  require_kind(access.dataset.get(), access.type.get(), writing, label);
  require_inside(box, memory, shape, label);
  if (writing)
    require_writable(access.dataset.get(), access.type.get(), label);
  else
    require_readable(access.dataset.get(), label);
  access.transfer = {access.dataset.get(),
                     access.type.get(),
                     box,
                     memory.extent.empty() ? box.count : memory.extent,
                     label,
                     file.on_disk()};
  return access;
}

/// Prepares to read a whole dataset.
template <class T> Access prepare_whole(const File::Impl &file, const std::string &name) {
  const Shape shape = shape_of(file.open_dataset(name).get(), file.label(name));
  return prepare<T>(file, name, {Shape(shape.size(), 0), shape}, {}, false);
}

/// Divides the values `first` to `first + count - 1` of a dataset into boxes and calls f with a
/// transfer for each. `whole` describes the whole dataset.
template <class F>
void for_boxes(const Transfer &whole, std::size_t first, std::size_t count, const F &f) {
  Transfer part = whole;
  for (Hyperslab &box : boxes_of_run(whole.box.count, first, count, whole.label)) {
    part.box = std::move(box);
    part.memory = part.box.count;
    f(part);
  }
}

template <class T> UseRun typed(const File::UseRun<T> &use) {
  return [&use](std::size_t first, const void *values, std::size_t count) {
    use(first, {static_cast<const T *>(values), count});
  };
}

} // namespace

bool File::exists(const std::string &name) const {
  const QuietErrors quiet;
  return asked_at_root(impl_->comm, [&] { return is_dataset(*impl_, name); });
}

bool File::has_link(const std::string &name) const {
  const QuietErrors quiet;
  return asked_at_root(impl_->comm, [&] { return link_exists(*impl_, name); });
}

DatasetInfo File::info(const std::string &name) const {
  const QuietErrors quiet;
  const auto numbers = from_root(impl_->comm, [&] {
    const Handle dataset = impl_->open_dataset(name);
    const Handle type = own(H5Dget_type(dataset.get()), H5Tclose, impl_->label(name));
    const Shape shape = shape_of(dataset.get(), impl_->label(name));
    std::vector<std::uint64_t> all{static_cast<std::uint64_t>(kind_of(type.get())),
                                   H5Tget_size(type.get())};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
  });
  DatasetInfo info;
  info.kind = static_cast<NumberKind>(numbers[0]);
  info.bytes = static_cast<std::size_t>(numbers[1]);
  info.shape.assign(numbers.begin() + 2, numbers.end());
  return info;
}

template <class T>
void File::create_dataset(const std::string &name, const Shape &shape,
                          const CreateOptions &options) {
  const QuietErrors quiet;
  const std::string label = impl_->label(name);
  const std::string failed = label + " cannot be created";
  Handle properties;
  Footprint bytes;
  together(impl_->comm, [&] {
    if (!options.may_be_empty) require_elements(shape, label);
    if (link_exists(*impl_, name)) throw IoError(label + " exists already");
    properties = creation_properties(shape, options, label);
    bytes = footprint_of(shape, options, sizeof(T), label);
  });
  impl_->reserve_space(bytes.data, bytes.metadata, failed);
  if (impl_->reserving) return;
  together(impl_->comm, [&] {
    create_in(*impl_, name, element_type<T>().get(), shape, properties.get(), failed);
  });
}

template <class T>
void File::read(const std::string &name, const Hyperslab &box, T *data,
                const MemoryLayout &memory) const {
  const QuietErrors quiet;
  together(impl_->comm,
           [&] { read_box(prepare<T>(*impl_, name, box, memory, false).transfer, data); });
}

template <class T>
void File::read_run(const std::string &name, std::size_t first, std::size_t count, T *data) const {
  const QuietErrors quiet;
  together(impl_->comm, [&] {
    for_boxes(prepare_whole<T>(*impl_, name).transfer, first, count, [&](const Transfer &part) {
      read_box(part, data);
      data += volume(part.box.count);
    });
  });
}

template <class T>
void File::read_runs(const std::string &name, const Hyperslab &box, int threads,
                     const UseRun<T> &use) const {
  const QuietErrors quiet;
  together(impl_->comm, [&] {
    io::read_runs(prepare<T>(*impl_, name, box, {}, false).transfer, threads, typed(use));
  });
}

template <class T>
void File::read_runs(const std::string &name, std::size_t first, std::size_t count, int threads,
                     const UseRun<T> &use) const {
  const QuietErrors quiet;
  together(impl_->comm, [&] {
    const auto read = [&](const Transfer &part) { io::read_runs(part, threads, typed(use)); };
    for_boxes(prepare_whole<T>(*impl_, name).transfer, first, count, read);
  });
}

void File::require_readable(const std::string &name) const {
  const QuietErrors quiet;
  together(impl_->comm, [&] {
    if (mpi::rank(impl_->comm) == 0)
      io::require_readable(impl_->open_dataset(name).get(), impl_->label(name));
  });
}

template <class T>
void File::write(const std::string &name, const Hyperslab &box, const T *data,
                 const MemoryLayout &memory) {
  if (impl_->reserving) return;
  const QuietErrors quiet;
  Access access;
  together(impl_->comm, [&] { access = prepare<T>(*impl_, name, box, memory, true); });
  const TransferAgreement agreement = agree(impl_->comm, access.transfer);
  const std::size_t compressed = compressed_bytes(impl_->comm, access.transfer);
  if (compressed > 0)
    impl_->require_space(compressed, access.transfer.label + " cannot be written");
  together(impl_->comm, [&] { write_box(access.transfer, agreement, data); });
}

template <class T>
void File::write_behind(const std::string &name, const Hyperslab &box, const T *data) {
  if (impl_->reserving) return;
  const QuietErrors quiet;
  bool direct = true;
  std::vector<ByteRun> runs;
  std::unique_ptr<std::byte[]> copy;
  together(impl_->comm, [&] {
    impl_->require_background_success();
    const Access access = prepare<T>(*impl_, name, box, {}, true);
    const Transfer &t = access.transfer;
    const std::optional<Shape> chunk = direct_chunks(t.dataset, t.memory_type, t.label);
    direct = chunk.has_value();
    if (!direct) return;
    if (!impl_->background) impl_->background = impl_->make_writer();
    runs = chunk_runs(t.dataset, *chunk, box, sizeof(T), t.label);
    const std::size_t bytes = volume(box.count) * sizeof(T);
    copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (bytes > 0) std::memcpy(copy.get(), data, bytes);
  });
  if (direct)
    impl_->background->add(std::move(copy), std::move(runs));
  else
    write(name, box, data);
}

void File::shrink(const std::string &name, const Shape &shape) {
  if (impl_->reserving) return;
  settle();
  const QuietErrors quiet;
  together(impl_->comm, [&] {
    const Handle dataset = impl_->open_dataset(name);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    check(H5Dset_extent(dataset.get(), extents.data()), impl_->label(name) + " cannot be shrunk");
  });
}

template <class T> std::vector<T> File::read_all(const std::string &name) const {
  const QuietErrors quiet;
  return from_root(impl_->comm, [&] {
    const Access access = prepare_whole<T>(*impl_, name);
    std::vector<T> values(volume(access.transfer.box.count));
    read_box(access.transfer, values.data());
    return values;
  });
}

template <class T>
void File::write_all(const std::string &name, const Shape &shape, const std::vector<T> &data,
                     const CreateOptions &options) {
  const bool root = mpi::rank(impl_->comm) == 0;
  together(impl_->comm, [&] {
    if (root && volume(shape) != data.size())
      throw IoError(impl_->label(name) + ": found " + std::to_string(data.size()) +
                    " values, expected those of the shape " + to_string(shape));
  });
  create_dataset<T>(name, shape, options);
  if (options.may_be_empty && data.empty()) return;
  // Rank 0 writes all values. The other ranks pass an empty box; for a scalar they pass no
  // dimensions.
  const Shape zeros(shape.size(), 0);
  write<T>(name, {zeros, root ? shape : zeros}, data.data());
}

#define HFFT_INSTANTIATE(T)                                                                        \
  template void File::create_dataset<T>(const std::string &, const Shape &,                        \
                                        const CreateOptions &);                                    \
  template void File::read<T>(const std::string &, const Hyperslab &, T *, const MemoryLayout &)   \
      const;                                                                                       \
  template void File::read_run<T>(const std::string &, std::size_t, std::size_t, T *) const;       \
  template void File::read_runs<T>(const std::string &, const Hyperslab &, int, const UseRun<T> &) \
      const;                                                                                       \
  template void File::read_runs<T>(const std::string &, std::size_t, std::size_t, int,             \
                                   const UseRun<T> &) const;                                       \
  template void File::write<T>(const std::string &, const Hyperslab &, const T *,                  \
                               const MemoryLayout &);                                              \
  template void File::write_behind<T>(const std::string &, const Hyperslab &, const T *);          \
  template std::vector<T> File::read_all<T>(const std::string &) const;                            \
  template void File::write_all<T>(const std::string &, const Shape &, const std::vector<T> &,     \
                                   const CreateOptions &);
HFFT_INSTANTIATE(float)
HFFT_INSTANTIATE(double)
HFFT_INSTANTIATE(std::int8_t)
HFFT_INSTANTIATE(std::int32_t)
HFFT_INSTANTIATE(std::int64_t)
HFFT_INSTANTIATE(std::uint64_t)
HFFT_INSTANTIATE(std::complex<float>)
HFFT_INSTANTIATE(std::complex<double>)
#undef HFFT_INSTANTIATE

} // namespace hybridfft::io
