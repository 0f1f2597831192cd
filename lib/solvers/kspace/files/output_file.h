/// Writes k-Wave output files (HDF5, version 1.2).
///
/// Datasets have three dimensions [z][y][x] and the attributes data_type and domain_type. All
/// members are collective and throw io::IoError on every rank alike. The file appears under its
/// name only with commit().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "io/checkpoint.h"
#include "io/hdf5.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Initial content of an output file.
enum class OutputStart { empty, from_existing };

/// An array of reals in an output, other than a scalar or a list of points.
struct OutputArray {
  enum class Content {
    field, ///< values of the whole grid
    box,   ///< values of a cuboid
    series ///< values of a cuboid over time
  };
  std::string name;
  io::Shape shape;
  Content content;
  std::size_t value_bytes;
};

/// An output file or a checkpoint open for writing. It appears under its name with commit().
class OutputFile {
public:
  /// \param precision of scalars and of arrays to be created
  /// \param compression deflate level 0..9 of arrays
  /// \param start from_existing continues an existing file. Its datasets remain until they are
  /// rewritten with the same shapes; other shapes are an InputError.
  OutputFile(const std::string &path, const grid::Communicator &comm, Precision precision,
             int compression, OutputStart start = OutputStart::empty,
             Writer writer = Writer::together);

  /// Write scalars as [1][1][1].
  void integer(const std::string &dataset, std::uint64_t value) { scalar(dataset, value, "long"); }
  void real(const std::string &dataset, double value) {
    if (precision_ == Precision::single)
      scalar(dataset, static_cast<float>(value), real_data_type(precision_));
    else
      scalar(dataset, value, real_data_type(precision_));
  }
  /// Writes integers of any shape; all ranks pass the same values.
  void integers(const std::string &dataset, const io::Shape &shape,
                const std::vector<std::uint64_t> &values);
  void attribute(const std::string &name, const std::string &value) {
    file_.set_attribute("/", name, value);
  }

  /// Creates a series [1][rows][columns], one row per time step.
  void create_series(const std::string &dataset, std::size_t rows, std::size_t columns) {
    create_real(dataset, {1, rows, columns}, list_options(columns));
  }
  /// Creates a list of integers, [1][1][columns].
  void create_indices(const std::string &dataset, std::size_t columns) {
    create<std::uint64_t>(dataset, {1, 1, columns}, list_options(columns), "long");
  }
  /// write_series() writes this rank's part of a series: columns [first, first + count) of rows
  /// [row, row + rows). write_indices() writes entries [first, first + count) of a list.
  template <class Real>
  void write_series(const std::string &dataset, std::size_t row, std::size_t rows,
                    std::size_t first, std::size_t count, const Real *values) {
    // A rank without columns selects an empty box, whose offset must be inside the dataset.
    write_box(dataset, {{0, row, count == 0 ? 0 : first}, {1, rows, count}}, values);
  }
  void write_indices(const std::string &dataset, std::size_t first, std::size_t count,
                     const std::uint64_t *values) {
    file_.write(dataset, {{0, 0, count == 0 ? 0 : first}, {1, 1, count}}, values);
  }
  /// Creates a dataset of three dimensions, or of four with time as the first one.
  void create_box(const std::string &dataset, const io::Shape &shape);
  /// Writes this rank's part of a dataset from contiguous memory; it may be empty.
  template <class Real>
  void write_box(const std::string &dataset, const io::Hyperslab &box, const Real *values) {
    file_.write_by(writer_, dataset, box, values);
  }
  /// Creates a dataset [Nz][Ny][Nx].
  void create_field(const std::string &dataset, const LocalGrid &local);
  /// Creates a dataset [Nz][Ny][Nx] and writes each rank's part. Adds the values to the checksum,
  /// if given.
  template <class Real>
  void field(const std::string &dataset, const LocalGrid &local, const Field<Real> &values,
             Checksum *checksum = nullptr);

  /// Shortens a series to its first `rows` rows.
  void shrink_series(const std::string &dataset, std::size_t rows);

  /// Fields and cuboids in the order of their creation.
  const std::vector<OutputArray> &arrays() const { return arrays_; }

  /// See io::File.
  void reserve(const std::function<void()> &create) { file_.reserve(create); }
  void commit() { file_.commit(); }
  [[noreturn]] void keep(const std::string &failure) { io::keep_output(file_, failure); }
  void keep_alive() const { file_.keep_alive(); }
  const std::string &path() const { return file_.path(); }
  const io::File &file() const { return file_; }

  bool has_attribute(const std::string &name) const { return file_.has_attribute("/", name); }
  std::string attribute(const std::string &name) const { return file_.attribute("/", name); }
  /// Throws InputError unless the continued file has the dataset.
  void require_existing(const std::string &dataset) const {
    if (!file_.exists(dataset))
      throw InputError(file_.path() + ": dataset " + dataset +
                       " is missing, expected one to go on");
  }
  /// Reads a scalar of a continued file. Throws InputError if it is missing.
  std::uint64_t existing_integer(const std::string &dataset) const {
    require_existing(dataset);
    return file_.read_all<std::uint64_t>(dataset).front();
  }

private:
  template <class T>
  void create(const std::string &dataset, const io::Shape &shape, const io::CreateOptions &options,
              const char *data_type);
  /// Creates an array of reals.
  void create_real(const std::string &dataset, const io::Shape &shape,
                   const io::CreateOptions &options) {
    if (precision_ == Precision::single)
      create<float>(dataset, shape, options, real_data_type(precision_));
    else
      create<double>(dataset, shape, options, real_data_type(precision_));
  }
  template <class T> void scalar(const std::string &dataset, T value, const char *data_type);
  io::CreateOptions list_options(std::size_t columns) const;
  void describe(const std::string &dataset, const std::string &data_type) {
    file_.set_attribute(dataset, "data_type", data_type);
    file_.set_attribute(dataset, "domain_type", "real");
  }

  io::File file_;
  Precision precision_;
  int compression_;
  OutputStart start_;
  Writer writer_;
  grid::Communicator comm_;
  std::vector<OutputArray> arrays_;
};

} // namespace hybridfft::kspace
