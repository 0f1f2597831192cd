#include "solvers/kspace/files/output_file.h"

#include <algorithm>

#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

namespace {

/// Maximum number of values in a chunk with all points of one time step. Larger cuboids do not fit
/// HDF5's chunk cache and are divided.
constexpr std::size_t longest_chunk = std::size_t{8} << 20;
constexpr std::size_t split_chunk = std::size_t{2} << 20;
/// Maximum number of values of a chunk: HDF5 limits a chunk to 4 GiB.
template <class Real> constexpr std::size_t longest_plane = (std::size_t{1} << 32) / sizeof(Real);

} // namespace

template <class Real>
OutputFile<Real>::OutputFile(const std::string &path, const grid::Communicator &comm,
                             int compression, OutputStart start, Writer writer)
    : file_(start == OutputStart::empty ? io::File::create(path, comm.handle())
                                        : io::File::create_copy(path, comm.handle())),
      compression_(compression), start_(start), writer_(writer), comm_(comm) {}

template <class Real>
void OutputFile<Real>::describe(const std::string &dataset, const std::string &data_type) {
  file_.set_attribute(dataset, "data_type", data_type);
  file_.set_attribute(dataset, "domain_type", "real");
}

template <class Real>
template <class T>
void OutputFile<Real>::create(const std::string &dataset, const io::Shape &shape,
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

template <class Real>
template <class T>
void OutputFile<Real>::scalar(const std::string &dataset, T value, const char *data_type) {
  create<T>(dataset, {1, 1, 1}, {}, data_type);
  file_.write(dataset, {io::Shape(3, 0), io::Shape(3, comm_.rank() == 0 ? 1 : 0)}, &value);
}

template <class Real>
void OutputFile<Real>::integer(const std::string &dataset, std::uint64_t value) {
  scalar(dataset, value, "long");
}

template <class Real> void OutputFile<Real>::real(const std::string &dataset, double value) {
  scalar(dataset, static_cast<Real>(value), real_data_type<Real>);
}

template <class Real> void OutputFile<Real>::require_existing(const std::string &dataset) const {
  if (!file_.exists(dataset))
    throw InputError(file_.path() + ": dataset " + dataset + " is missing, expected one to go on");
}

template <class Real>
std::uint64_t OutputFile<Real>::existing_integer(const std::string &dataset) const {
  require_existing(dataset);
  return file_.read_all<std::uint64_t>(dataset).front();
}

template <class Real>
void OutputFile<Real>::integers(const std::string &dataset, const io::Shape &shape,
                                const std::vector<std::uint64_t> &values) {
  create<std::uint64_t>(dataset, shape, {shape, compression_}, "long");
  const io::Shape none(shape.size(), 0);
  file_.write(dataset, {none, comm_.rank() == 0 ? shape : none}, values.data());
}

template <class Real>
void OutputFile<Real>::attribute(const std::string &name, const std::string &value) {
  file_.set_attribute("/", name, value);
}

template <class Real> io::CreateOptions OutputFile<Real>::list_options(std::size_t columns) const {
  return {{1, 1, columns > longest_chunk ? split_chunk : columns}, compression_};
}

template <class Real>
void OutputFile<Real>::create_series(const std::string &dataset, std::size_t rows,
                                     std::size_t columns) {
  create<Real>(dataset, {1, rows, columns}, list_options(columns), real_data_type<Real>);
}

template <class Real>
void OutputFile<Real>::create_indices(const std::string &dataset, std::size_t columns) {
  create<std::uint64_t>(dataset, {1, 1, columns}, list_options(columns), "long");
}

template <class Real>
void OutputFile<Real>::write(const std::string &dataset, const io::Hyperslab &box,
                             const Real *values) {
  file_.write_by(writer_, dataset, box, values);
}

template <class Real>
void OutputFile<Real>::write_series(const std::string &dataset, std::size_t row, std::size_t rows,
                                    std::size_t first, std::size_t count, const Real *values) {
  // A rank without columns selects an empty box, whose offset must be inside the dataset.
  write(dataset, {{0, row, count == 0 ? 0 : first}, {1, rows, count}}, values);
}

template <class Real>
void OutputFile<Real>::write_indices(const std::string &dataset, std::size_t first,
                                     std::size_t count, const std::uint64_t *values) {
  file_.write(dataset, {{0, 0, count == 0 ? 0 : first}, {1, 1, count}}, values);
}

template <class Real>
void OutputFile<Real>::create_box(const std::string &dataset, const io::Shape &shape) {
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
  create<Real>(dataset, shape, {chunk, compression_}, real_data_type<Real>);
  if (file_.reserving()) return;
  arrays_.push_back({dataset, shape,
                     spatial > 0 ? OutputArray::Content::series : OutputArray::Content::box,
                     sizeof(Real)});
}

template <class Real>
void OutputFile<Real>::write_box(const std::string &dataset, const io::Hyperslab &box,
                                 const Real *values) {
  write(dataset, box, values);
}

template <class Real>
void OutputFile<Real>::shrink_series(const std::string &dataset, std::size_t rows) {
  io::Shape shape = file_.info(dataset).shape;
  shape[shape.size() == 4 ? 0 : 1] = rows; // time axis of a cuboid, or of a list
  file_.shrink(dataset, shape);
  for (OutputArray &array : arrays_)
    if (array.name == dataset) array.shape = shape;
}

template <class Real>
void OutputFile<Real>::create_field(const std::string &dataset, const LocalGrid &local) {
  const Extents &n = local.extents();
  const auto nx = static_cast<std::size_t>(n[0]);
  const auto ny = static_cast<std::size_t>(n[1]);
  const auto nz = static_cast<std::size_t>(n[2]);
  // A chunk is one plane, or a part of a plane above HDF5's limit of 4 GiB.
  const std::size_t rows =
      nx * ny < longest_plane<Real> ? ny : std::max<std::size_t>(1, split_chunk / nx);
  create<Real>(dataset, {nz, ny, nx}, {{1, rows, nx}, compression_}, real_data_type<Real>);
  if (file_.reserving()) return;
  arrays_.push_back({dataset, {nz, ny, nx}, OutputArray::Content::field, sizeof(Real)});
}

template <class Real>
void OutputFile<Real>::field(const std::string &dataset, const LocalGrid &local,
                             const Field<Real> &values, Checksum *checksum) {
  create_field(dataset, local);
  if (file_.reserving()) return;
  Field<Real> copy;
  const Field<Real> *field = &values;
  comm_.agree([&] { field = &values.on_host(copy, 1); });
  file_.write(dataset, local.hyperslab(), field->data(), local.memory());
  if (checksum != nullptr) checksum->add(dataset, *field, local);
}

template class OutputFile<float>;
template class OutputFile<double>;

} // namespace hybridfft::kspace
