/// Reading of k-Wave input files (HDF5, versions 1.0, 1.1 and 1.2), checked.
///
/// Every dataset has three dimensions [z][y][x], x contiguous; scalars are [1][1][1]. As in k-Wave,
/// only the number of values of an array counts, not its shape, and integers may be stored as reals
/// and the other way round. All members are collective; errors are InputError (or io::IoError) on
/// every rank alike.
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
#include "io/hdf5.h"
#include "kspace/base/errors.h"
#include "kspace/base/field.h"
#include "kspace/files/field_values.h"

namespace hybridfft::kspace {

/// Attribute data_type of arrays in files.
template <class Real>
inline constexpr const char *real_data_type = std::is_same_v<Real, float> ? "float" : "double";

/// Values that a real or a field may have: `any` also none, as the state of a simulation that
/// has diverged.
enum class Values { any, finite, non_negative, positive };

/// An input file, or a checkpoint, that is open for reading.
template <class Real> class InputFile {
public:
  /// Opens and checks the root attributes file_type, major_version, minor_version.
  /// \param host threads that read fields
  InputFile(const std::string &path, const grid::Communicator &comm, grid::Host host = {},
            const std::string &file_type = "input");

  const std::string &path() const { return file_.path(); }
  const grid::Communicator &comm() const { return comm_; }
  int minor_version() const { return minor_version_; }
  /// The attribute file_description, empty when there is none.
  std::string description() const;

  /// True if the file has a dataset, group or link of this name.
  bool has(const std::string &dataset) const { return file_.has_link(dataset); }
  /// True if a dataset is there without any value.
  bool is_empty(const std::string &dataset) const;
  /// True if a dataset has the shape [Nx][Ny][Nz], other than [Nz][Ny][Nx].
  bool is_reversed(const std::string &dataset, const Extents &n) const;
  /// True if a dataset has one value. Throws InputError when it is missing.
  bool is_scalar(const std::string &dataset) const;
  /// Scalars.
  std::uint64_t integer(const std::string &dataset) const;
  double real(const std::string &dataset, Values allowed = Values::finite) const;
  double positive(const std::string &dataset) const { return real(dataset, Values::positive); }

  /// Throw InputError or io::IoError unless an array is there, has its number of values and can be
  /// read; its values are not read.
  void require_field(const std::string &dataset, const Extents &n) const;
  void require_list(const std::string &dataset, std::size_t entries) const;
  void require_rows(const std::string &dataset, std::size_t rows, std::size_t columns) const;
  void require_integers(const std::string &dataset) const;

  /// This rank's part of a dataset [Nz][Ny][Nx], which counts in the checksum, too, if there is
  /// one.
  void field(const std::string &dataset, const LocalGrid &local, Values allowed,
             const Field<Real> &into, Checksum *checksum = nullptr) const;
  /// This rank's part of a dataset of the given shape, tight in memory.
  void box(const std::string &dataset, const io::Shape &expected, const io::Hyperslab &part,
           Real *into) const;

  /// Reads a list of one-based grid indices piece by piece, each checked to be in 1..points, and
  /// calls use(first, indices) with zero-based indices; every rank gets every piece.
  void
  indices(const std::string &dataset, double points,
          const std::function<void(std::size_t first, std::span<const std::int64_t>)> &use) const;
  /// A list of reals, whole, of `expected` entries, which are as allowed.
  std::vector<Real> list(const std::string &dataset, std::size_t expected, Values allowed) const;
  /// Integers of any shape, whole, of at least 0.
  std::vector<std::int64_t> integers(const std::string &dataset, std::size_t expected) const;
  /// Number of values of a dataset of any shape, and bytes of one.
  std::size_t size(const std::string &dataset) const;
  std::size_t value_bytes(const std::string &dataset) const;
  /// Reads a matrix of `rows` x `columns` values, stored [1][rows][columns], a few rows at a time,
  /// and calls use(first_row, rows' values); every rank gets every piece.
  void rows(const std::string &dataset, std::size_t rows, std::size_t columns,
            const std::function<void(std::size_t first, std::span<const Real>)> &use,
            Values allowed = Values::finite) const;

  /// Begins a fingerprint of the reals, fields and lists that are read from now on.
  void begin_fingerprint() { fingerprint_.emplace(); }
  /// A checksum of all values read since, the same for any number of ranks; 0 without a beginning.
  std::int64_t fingerprint() const { return fingerprint_ ? fingerprint_->total(comm_) : 0; }

  /// Throws InputError: "FILE: DATASET is FOUND, expected EXPECTED".
  [[noreturn]] void reject(const std::string &dataset, const std::string &found,
                           const std::string &expected) const;
  /// Throws Unsupported: "FILE: DATASET is FOUND, WHAT is not supported by this version".
  [[noreturn]] void unsupported(const std::string &dataset, const std::string &found,
                                const std::string &what) const;

private:
  /// Shape of a dataset that exists and has three dimensions, or four as a cuboid over time.
  io::Shape shape(const std::string &dataset) const;
  void require_scalar(const std::string &dataset) const;
  /// Throws InputError if any rank has found a value of a field that is not allowed.
  void require_allowed(const std::string &dataset, const Extents &n, Values allowed,
                       const grid::Communicator::ArgMin &mine) const;
  void require_values(const std::string &dataset, std::size_t values, const std::string &expected,
                      const std::string &data_type) const;
  /// Integers that are stored as reals, `first` being the place of the first one, as such.
  void whole_numbers(const std::string &dataset, std::size_t first, std::span<const double> values,
                     std::span<std::int64_t> numbers) const;
  std::vector<std::int64_t> all_integers(const std::string &dataset) const;
  /// Checks the attributes for the type of an array.
  void require_type(const std::string &dataset, const std::string &data_type) const;

  /// Adds values that all ranks have read to the fingerprint, on rank 0.
  template <class T>
  void count(const std::string &dataset, std::size_t first, std::span<const T> values) const {
    if (fingerprint_ && comm_.rank() == 0) fingerprint_->add_list(dataset, first, values);
  }

  grid::Communicator comm_;
  grid::Host host_;
  io::File file_;
  int minor_version_ = 0;
  mutable std::optional<Checksum> fingerprint_;
};

/// "[4][1][2]".
std::string to_string(const io::Shape &shape);
/// The shortest text of a number that gives it back without loss.
template <class Real> std::string to_string(double value);

} // namespace hybridfft::kspace
