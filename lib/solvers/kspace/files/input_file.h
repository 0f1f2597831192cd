/// Reads and checks k-Wave input files (HDF5, versions 1.0, 1.1 and 1.2).
///
/// Every dataset has three dimensions [z][y][x], x contiguous; scalars are [1][1][1]. As in k-Wave,
/// only the number of values of an array is checked, not its shape. Integers may be stored as reals
/// and reals as integers. All members are collective. Errors are InputError or io::IoError, thrown
/// on every rank alike.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "io/checkpoint.h"
#include "io/hdf5.h"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/field.h"

namespace hybridfft::kspace {

using io::Precision;

/// Precision of fields of type Real.
template <class Real>
inline constexpr Precision precision_of =
    std::is_same_v<Real, float> ? Precision::single : Precision::double_;

/// Value of the attribute data_type of real arrays.
inline const char *real_data_type(Precision p) {
  return p == Precision::single ? "float" : "double";
}

/// Allowed values of a real or a field. `any` includes NaN, for checkpoints of diverged
/// simulations.
enum class Values { any, finite, non_negative, positive };

/// An input file or a checkpoint, open for reading. Real is the type of the simulation's fields.
class InputFile {
public:
  /// Opens the file and checks the root attributes file_type, major_version, minor_version.
  /// \param precision of the simulation: scalars are rounded to it
  /// \param host threads for reading fields
  InputFile(const std::string &path, const grid::Communicator &comm, Precision precision,
            grid::Host host = {}, const std::string &file_type = "input");

  const std::string &path() const { return file_.path(); }
  const grid::Communicator &comm() const { return comm_; }
  Precision precision() const { return precision_; }
  int minor_version() const { return minor_version_; }
  /// Value of the attribute file_description; empty if it is missing.
  std::string description() const {
    return file_.has_attribute("/", "file_description") ? file_.attribute("/", "file_description")
                                                        : "";
  }

  /// True if the file has a dataset, group or link of this name.
  bool has(const std::string &dataset) const { return file_.has_link(dataset); }
  /// True if a dataset exists and has no values.
  bool is_empty(const std::string &dataset) const;
  /// True if a dataset has the shape [Nx][Ny][Nz] and this differs from [Nz][Ny][Nx].
  bool is_reversed(const std::string &dataset, const Extents &n) const;
  /// True if a dataset has one value. Throws InputError if it is missing.
  bool is_scalar(const std::string &dataset) const;
  /// Read a scalar and throw InputError for a negative integer or a real that is not allowed.
  std::uint64_t integer(const std::string &dataset) const {
    require_scalar(dataset);
    const std::int64_t value = all_integers(dataset).front();
    if (value < 0) reject(dataset, std::to_string(value), "an integer of at least 0");
    return static_cast<std::uint64_t>(value);
  }
  double real(const std::string &dataset, Values allowed = Values::finite) const;
  double positive(const std::string &dataset) const { return real(dataset, Values::positive); }

  /// Throw InputError or io::IoError unless the array exists, has the expected number of values and
  /// is readable. Its values are not read.
  void require_field(const std::string &dataset, const Extents &n) const;
  void require_list(const std::string &dataset, std::size_t entries) const {
    require_values(dataset, entries, "a list of " + std::to_string(entries) + " values", "float");
  }
  void require_rows(const std::string &dataset, std::size_t rows, std::size_t columns) const;
  void require_integers(const std::string &dataset) const {
    require_values(dataset, size(dataset), "", "long");
  }

  /// Reads and checks this rank's part of a dataset [Nz][Ny][Nx]. Adds the values to the checksum,
  /// if given.
  template <class Real>
  void field(const std::string &dataset, const LocalGrid &local, Values allowed,
             const Field<Real> &into, Checksum *checksum = nullptr) const;
  /// Reads this rank's part of a dataset of shape `expected` into contiguous memory.
  template <class Real>
  void box(const std::string &dataset, const io::Shape &expected, const io::Hyperslab &part,
           Real *into) const;

  /// Reads a list of one-based grid indices in pieces and checks that each is in 1..points. Calls
  /// use(first, indices) for each piece with zero-based indices; `first` is the position in the
  /// list. Every rank receives all pieces.
  void
  indices(const std::string &dataset, double points,
          const std::function<void(std::size_t first, std::span<const std::int64_t>)> &use) const;
  /// Reads a list of points as indices() does. Calls use(position in the list, offset in a field)
  /// for each of this rank's points.
  void
  own_points(const std::string &dataset, const LocalGrid &local,
             const std::function<void(std::size_t position, std::ptrdiff_t offset)> &use) const;
  /// Reads a list of `expected` reals and checks their range. Every rank receives the list.
  template <class Real>
  std::vector<Real> list(const std::string &dataset, std::size_t expected, Values allowed) const;
  /// Reads all integers of a dataset of any shape and checks that they are not negative.
  std::vector<std::int64_t> integers(const std::string &dataset, std::size_t expected) const;
  /// Number of values of a dataset of any shape.
  std::size_t size(const std::string &dataset) const;
  /// Bytes of a stored value.
  std::size_t value_bytes(const std::string &dataset) const {
    shape(dataset);
    return file_.info(dataset).bytes;
  }
  /// Reads a matrix stored as [1][rows][columns], a few rows at a time. Calls use(first_row,
  /// values) for each part. Every rank receives all parts.
  template <class Real>
  void rows(const std::string &dataset, std::size_t rows, std::size_t columns,
            const std::function<void(std::size_t first, std::span<const Real>)> &use,
            Values allowed = Values::finite) const;

  /// Starts a checksum of all reals, fields and lists that are read after this call.
  void begin_fingerprint() { fingerprint_.emplace(); }
  /// Returns the checksum of all values read since begin_fingerprint(), or 0 without that call. It
  /// does not depend on the number of ranks.
  std::int64_t fingerprint() const { return fingerprint_ ? fingerprint_->total(comm_) : 0; }

  /// Throws InputError: "FILE: dataset DATASET is FOUND, expected EXPECTED".
  [[noreturn]] void reject(const std::string &dataset, const std::string &found,
                           const std::string &expected) const {
    throw InputError(path() + ": dataset " + dataset + " is " + found + ", expected " + expected);
  }
  /// Throws Unsupported: "FILE: dataset DATASET is FOUND: WHAT is not supported by this version".
  [[noreturn]] void unsupported(const std::string &dataset, const std::string &found,
                                const std::string &what) const {
    throw Unsupported(path() + ": dataset " + dataset + " is " + found + ": " + what +
                      " is not supported by this version");
  }

private:
  /// Returns the shape of an existing dataset. Throws unless it has three dimensions, or four (a
  /// cuboid over time).
  io::Shape shape(const std::string &dataset) const;
  void require_scalar(const std::string &dataset) const;
  /// Throws InputError if any rank has read a value out of range. \param mine first such value of
  /// this rank
  void require_allowed(const std::string &dataset, const Extents &n, Values allowed,
                       const grid::Communicator::ArgMin &mine) const;
  void require_values(const std::string &dataset, std::size_t values, const std::string &expected,
                      const std::string &data_type) const;
  /// Converts integers stored as reals. Throws InputError for other values.
  /// \param first position of the first value in the dataset
  void whole_numbers(const std::string &dataset, std::size_t first, std::span<const double> values,
                     std::span<std::int64_t> numbers) const;
  std::vector<std::int64_t> all_integers(const std::string &dataset) const;
  /// Throws InputError if the attributes of an array contradict its type.
  void require_type(const std::string &dataset, const std::string &data_type) const;

  /// Adds values that all ranks know to the fingerprint. Only rank 0 adds them.
  template <class T>
  void count(const std::string &dataset, std::size_t first, std::span<const T> values) const {
    if (fingerprint_ && comm_.rank() == 0) fingerprint_->add_list(dataset, first, values);
  }

  grid::Communicator comm_;
  Precision precision_;
  grid::Host host_;
  io::File file_;
  int minor_version_ = 0;
  mutable std::optional<Checksum> fingerprint_;
};

/// Formats a shape as "[4][1][2]".
std::string to_string(const io::Shape &shape);
/// Formats a number with the fewest digits that preserve its value.
std::string to_string(double value);
/// Formats a computed number with at most the digits of single precision.
inline std::string short_string(double value) {
  return to_string(double{static_cast<float>(value)});
}

} // namespace hybridfft::kspace
