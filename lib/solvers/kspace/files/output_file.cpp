#include "solvers/kspace/files/output_file.h"

#include <algorithm>

#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

namespace {

/// Maximum number of values in a chunk with all points of one time step. Larger cuboids do not fit
/// HDF5's chunk cache, so they are divided into chunks of about split_chunk values.
constexpr std::size_t longest_chunk = std::size_t{8} << 20;
constexpr std::size_t split_chunk = std::size_t{2} << 20;
/// Maximum number of bytes of a chunk: HDF5 limits a chunk to 4 GiB.
constexpr std::size_t longest_chunk_bytes = std::size_t{1} << 32;

std::size_t bytes_of(Precision p) {
  return p == Precision::single ? sizeof(float) : sizeof(double);
}

} // namespace

OutputFile::OutputFile(const std::string &path, const grid::Communicator &comm, Precision precision,
                       int compression, OutputStart start, Writer writer)
    : file_(start == OutputStart::empty ? io::File::create(path, comm.handle())
                                        : io::File::create_copy(path, comm.handle())),
      precision_(precision), compression_(compression), start_(start), writer_(writer),
      comm_(comm) {}

template <class T>
void OutputFile::create(const std::string &dataset, const io::Shape &shape,
                        const io::CreateOptions &options, const char *data_type) {
  if (start_ == OutputStart::from_existing && file_.exists(dataset)) {
    const io::DatasetInfo found = file_.info(dataset);
    const auto text = [](const io::Shape &s, std::size_t bytes) {
      return to_string(s) + " of " + std::to_string(8 * bytes) + "-bit values";
    };
    if (found.shape != shape || found.bytes != sizeof(T))
      throw InputError(file_.path() + ": dataset " + dataset + " is " +
                       text(found.shape, found.bytes) + ", expected " + text(shape, sizeof(T)) +
                       " to go on with it");
    return;
  }
  file_.create_dataset<T>(dataset, shape, options);
  describe(dataset, data_type);
}

template <class T>
void OutputFile::scalar(const std::string &dataset, T value, const char *data_type) {
  create<T>(dataset, {1, 1, 1}, {}, data_type);
  file_.write(dataset, {io::Shape(3, 0), io::Shape(3, comm_.rank() == 0 ? 1 : 0)}, &value);
}

void OutputFile::integers(const std::string &dataset, const io::Shape &shape,
                          const std::vector<std::uint64_t> &values) {
  create<std::uint64_t>(dataset, shape, {shape, compression_}, "long");
  const io::Shape none(shape.size(), 0);
  file_.write(dataset, {none, comm_.rank() == 0 ? shape : none}, values.data());
}

io::CreateOptions OutputFile::list_options(std::size_t columns) const {
  return {{1, 1, columns > longest_chunk ? split_chunk : columns}, compression_};
}

void OutputFile::create_box(const std::string &dataset, const io::Shape &shape) {
  io::Shape chunk = shape;
  std::size_t step = 1;
  // A chunk is one time step. Cuboids too large for the chunk cache are divided into slabs.
  const std::size_t spatial = shape.size() - 3;
  if (spatial > 0) chunk[0] = 1;
  for (std::size_t d = spatial; d < shape.size(); ++d)
    step *= shape[d];
  for (std::size_t d = spatial; step > longest_chunk && d + 1 < shape.size(); ++d) {
    const std::size_t plane = step / chunk[d];
    chunk[d] = std::max<std::size_t>(1, split_chunk / plane);
    step = plane * chunk[d];
  }
  create_real(dataset, shape, {chunk, compression_});
  if (file_.reserving()) return;
  arrays_.push_back({dataset, shape,
                     spatial > 0 ? OutputArray::Content::series : OutputArray::Content::box,
                     bytes_of(precision_)});
}

void OutputFile::shrink_series(const std::string &dataset, std::size_t rows) {
  io::Shape shape = file_.info(dataset).shape;
  shape[shape.size() == 4 ? 0 : 1] = rows; // time axis of a cuboid, or of a list
  file_.shrink(dataset, shape);
  for (OutputArray &array : arrays_)
    if (array.name == dataset) array.shape = shape;
}

void OutputFile::create_field(const std::string &dataset, const LocalGrid &local) {
  const Extents &n = local.extents();
  const auto nx = static_cast<std::size_t>(n[0]);
  const auto ny = static_cast<std::size_t>(n[1]);
  const auto nz = static_cast<std::size_t>(n[2]);
  // A chunk is one plane. Planes that exceed HDF5's limit of 4 GiB are divided.
  const std::size_t rows = nx * ny < longest_chunk_bytes / bytes_of(precision_)
                               ? ny
                               : std::max<std::size_t>(1, split_chunk / nx);
  create_real(dataset, {nz, ny, nx}, {{1, rows, nx}, compression_});
  if (file_.reserving()) return;
  arrays_.push_back({dataset, {nz, ny, nx}, OutputArray::Content::field, bytes_of(precision_)});
}

template <class Real>
void OutputFile::field(const std::string &dataset, const LocalGrid &local,
                       const Field<Real> &values, Checksum *checksum) {
  create_field(dataset, local);
  if (file_.reserving()) return;
  Field<Real> copy;
  const Field<Real> *field = &values;
  comm_.agree([&] { field = &values.on_host(copy, 1); });
  file_.write(dataset, local.hyperslab(), field->data(), local.memory());
  if (checksum != nullptr) checksum->add(dataset, *field, local);
}

template void OutputFile::scalar(const std::string &, float, const char *);
template void OutputFile::scalar(const std::string &, double, const char *);
template void OutputFile::scalar(const std::string &, std::uint64_t, const char *);
template void OutputFile::field(const std::string &, const LocalGrid &, const Field<float> &,
                                Checksum *);
template void OutputFile::field(const std::string &, const LocalGrid &, const Field<double> &,
                                Checksum *);

} // namespace hybridfft::kspace
