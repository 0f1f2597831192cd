/// Parallel HDF5 files: datasets read and written by hyperslabs, string attributes.
///
/// Every function is collective over the file's communicator and succeeds or throws on all ranks
/// alike; messages name the file, the dataset, the value found and the value expected.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hybridfft::io {

/// Returns the text with control characters escaped, as names in files of others may have them.
std::string printable(std::string_view text);

/// An error of a file, a dataset or an attribute, with its name. The message is printable().
class IoError : public std::runtime_error {
public:
  explicit IoError(const std::string &message) : std::runtime_error(printable(message)) {}
};

/// An entry for each dimension, the slowest first; empty for a scalar.
using Shape = std::vector<std::size_t>;

/// The kind of a dataset's elements.
enum class Kind { floating, integer, complex, other };

/// Shape and element type of a dataset.
struct DatasetInfo {
  Shape shape;
  Kind kind = Kind::other;
  std::size_t bytes = 0; ///< bytes of one element
};

/// A box of a dataset that a rank reads or writes; empty (some count is 0) on ranks without data.
struct Hyperslab {
  Shape offset;
  Shape count;
};

/// The memory that holds a box: a row-major array of `extent` per dimension whose first `count`
/// entries of each dimension are used. Empty means tight (extent == count). This is how an
/// r2c-padded array is read and written without a second array of its size.
struct MemoryLayout {
  Shape extent;
};

/// Storage of a new dataset.
struct CreateOptions {
  Shape chunk;      ///< empty: contiguous
  int deflate = -1; ///< 1..9 compress (which needs a chunk), 0 and -1 do not
};

/// Element types: float, double, int32/64, uint64, and std::complex of float and double, which
/// are stored as h5py does: a compound of members "r" and "i". HDF5 converts between float and
/// double, between integer sizes and, when it reads, integers to float and double; a value that
/// does not fit is an IoError. Compressed datasets are written in their own type only.
///
/// A file that is read is opened by each rank without MPI-IO: all that HDF5 can read on one rank
/// (links to other files, virtual datasets, filters), it can read on many, and no rank waits for
/// another within HDF5. Files that are written belong to all ranks together; links lead out of them
/// only as far as they are left alone.
class File {
public:
  /// Opens for reading. Throws IoError: not found, not readable, not HDF5.
  static File open(const std::string &path, MPI_Comm comm);
  /// Opens an existing file for changing it.
  static File open_for_update(const std::string &path, MPI_Comm comm);
  /// Creates `path` under a temporary name in the same folder; commit() gives it its own name.
  /// Destroyed without commit(), the temporary file is removed and a file that was at `path` stays.
  static File create(const std::string &path, MPI_Comm comm);
  /// Like create(), but with the content that `path` has now: it is changed in a copy, so that
  /// nothing is lost when that fails. The copy needs as much room on the disk, unless the file
  /// system shares equal blocks of files; IoError names the bytes if there are fewer.
  static File create_copy(const std::string &path, MPI_Comm comm);
  /// Reserves the room of all datasets and attributes that `create` creates, so that the disk is
  /// not too full for them later. Within it nothing is created, and writes do nothing. Throws
  /// IoError as create_dataset().
  void reserve(const std::function<void()> &create);
  bool reserving() const; ///< true within reserve()
  /// To be called at least every few hours while nothing is written to a created file, so that no
  /// other run takes it for an abandoned one (see create_temporary). Local.
  void keep_alive() const;
  /// Flushes, closes, and for a created file renames it to its name. Throws IoError when the data
  /// could not be written (disk full).
  void commit();

  File(File &&) noexcept;
  File &operator=(File &&) noexcept;
  ~File();

  const std::string &path() const;
  MPI_Comm comm() const;

  /// True if a dataset has the name; or if a dataset, group or link has it.
  bool exists(const std::string &name) const;
  bool has_link(const std::string &name) const;
  /// Throws IoError when the dataset is missing.
  DatasetInfo info(const std::string &name) const;

  /// Reads a box. Throws IoError: missing, wrong number of dimensions, box outside, kind that
  /// cannot be converted.
  template <class T>
  void read(const std::string &name, const Hyperslab &box, T *data,
            const MemoryLayout &memory = {}) const;
  /// Reads `count` values, from number `first` on in the order of the file, for datasets of any
  /// shape. Throws the same.
  template <class T>
  void read_run(const std::string &name, std::size_t first, std::size_t count, T *data) const;

  /// Takes values of a dataset that lie one after the other there, the first of them being number
  /// `first` in the order of the file.
  template <class T> using UseRun = std::function<void(std::size_t first, std::span<const T>)>;
  /// Read a box, or `count` values from number `first` on, and hand all of it to `use`, which is
  /// called concurrently by so many threads and must not throw. A few MiB, or a whole chunk, are in
  /// memory at a time. Throw the same.
  template <class T>
  void read_runs(const std::string &name, const Hyperslab &box, int threads,
                 const UseRun<T> &use) const;
  template <class T>
  void read_runs(const std::string &name, std::size_t first, std::size_t count, int threads,
                 const UseRun<T> &use) const;
  /// Throws IoError unless the filters of a dataset, and the sources of a virtual one, are there.
  void require_readable(const std::string &name) const;
  /// Reads the whole dataset on every rank, as one vector in file order.
  template <class T> std::vector<T> read_all(const std::string &name) const;

  /// Creates a dataset of elements of type T. Throws IoError also when the disk has no room for it,
  /// which is reserved if the file system can do that; for compressed ones, so is the most that a
  /// write may need.
  template <class T>
  void create_dataset(const std::string &name, const Shape &shape,
                      const CreateOptions &options = {});
  template <class T>
  void write(const std::string &name, const Hyperslab &box, const T *data,
             const MemoryLayout &memory = {});
  /// The same for a box that is tight in memory, but the values are copied, and written by a thread
  /// of this rank while it goes on; BackgroundWriter limits the bytes that wait. Only datasets in
  /// chunks of 64 KiB or more, of their own type and not compressed; others are written at once.
  /// The file system has to be coherent between machines, byte by byte. The same elements must not
  /// be written again, nor read, before settle().
  template <class T>
  void write_behind(const std::string &name, const Hyperslab &box, const T *data);
  /// Waits till those values are on the disk; commit() does it too. Throws IoError when it could
  /// not be written.
  void settle();
  /// Creates a dataset and writes it from rank 0's data (the same on all ranks).
  template <class T>
  void write_all(const std::string &name, const Shape &shape, const std::vector<T> &data,
                 const CreateOptions &options = {});

  /// String attributes. `object` is "/" for the file or the name of a dataset. Reads fixed-length
  /// (any padding, with or without terminator) and variable-length strings; writes fixed-length,
  /// null-terminated.
  bool has_attribute(const std::string &object, const std::string &name) const;
  std::string attribute(const std::string &object, const std::string &name) const;
  void set_attribute(const std::string &object, const std::string &name, const std::string &value);
  /// An attribute of numbers, one or an array of them, as reals. Throws IoError when it is missing
  /// or holds something else.
  std::vector<double> numbers(const std::string &object, const std::string &name) const;

  struct Impl;

private:
  explicit File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft::io
