/// Parallel HDF5 files: hyperslabs of datasets, and attributes.
///
/// Every function is collective over the file's communicator, and succeeds or throws on all ranks
/// alike. Error messages name the file, the dataset, the value found and the value expected.
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

/// Escapes control characters, which names in foreign files may contain.
std::string printable(std::string_view text);

/// An error of a file, a dataset or an attribute. The message names it, with control characters
/// escaped.
class IoError : public std::runtime_error {
public:
  explicit IoError(const std::string &message) : std::runtime_error(printable(message)) {}
};

/// Extents, one per dimension, slowest first; empty for a scalar.
using Shape = std::vector<std::size_t>;

/// The kind of a dataset's elements.
enum class NumberKind { floating, integer, complex, other };

/// Shape and element type of a dataset.
struct DatasetInfo {
  Shape shape;
  NumberKind kind = NumberKind::other;
  std::size_t bytes = 0; ///< bytes of one element
};

/// A box of a dataset that a rank reads or writes. Ranks without data pass a count of 0.
struct Hyperslab {
  Shape offset;
  Shape count;
};

/// Layout of a box in memory: the first `count` entries of each dimension of a row-major array with
/// the extents `extent`. Empty: the box is contiguous. Padded arrays, such as those of r2c
/// transforms, need no copy.
struct MemoryLayout {
  Shape extent;
};

/// How data are written during a computation. `together`: all ranks write collectively and wait.
/// `thread`: a thread of each rank or a writer rank writes them meanwhile, see
/// File::write_behind().
enum class WriteBy { together, thread };

/// Storage of a new dataset.
struct CreateOptions {
  Shape chunk;      ///< empty: contiguous
  int deflate = -1; ///< 1 to 9: compression level, which needs chunks; 0 and -1: not compressed
  bool may_be_empty = false; ///< extents of 0 are allowed
};

class WriterRanks;

/// An HDF5 file. Element types are float, double, int8, int32, int64, uint64, and std::complex of
/// float and double. Complex numbers are stored as in h5py: a compound of members "r" and "i". HDF5
/// converts between float and double, between sizes of integers and, on reading, from integers to
/// float and double. A value out of range is an IoError. Compressed datasets must be written in
/// their own type.
///
/// Each rank opens a file for reading by itself, without MPI-IO. Links to other files, virtual
/// datasets and filters thus work on many ranks as on one, and no rank waits for another inside
/// HDF5. All ranks open a file for writing collectively; links to other files in it are kept but
/// not followed.
class File {
public:
  /// Opens a file for reading.
  /// \throws IoError if it is missing, unreadable or not HDF5
  static File open(const std::string &path, MPI_Comm comm);
  /// Creates `path` under a temporary name in the same folder; commit() renames it. Without
  /// commit(), the destructor removes the temporary file, and an existing file at `path` remains.
  static File create(const std::string &path, MPI_Comm comm);
  /// Like create(), but starts with a copy of the present content of `path`, so that a failure
  /// loses nothing. The copy needs as much disk space as the file, unless both can share blocks.
  /// \throws IoError with the number of bytes if the space is insufficient
  static File create_copy(const std::string &path, MPI_Comm comm);
  /// Reserves disk space for all datasets and attributes that `create` creates, so that the disk is
  /// not full in later calls. During this call, `create` creates nothing and its writes do nothing.
  /// \throws IoError as create_dataset()
  void reserve(const std::function<void()> &create);
  bool reserving() const; ///< true within reserve()
  /// Marks a created file as in use, so that no other run removes it as abandoned (see
  /// create_temporary). Call it every few hours in runs that write nothing. Local.
  void keep_alive() const;
  /// Flushes and closes the file. Renames a created file to its final name.
  /// \throws IoError if the data could not be written (disk full)
  void commit();

  File(File &&) noexcept;
  File &operator=(File &&) noexcept;
  ~File();

  const std::string &path() const;
  MPI_Comm comm() const;

  /// exists() is true if a dataset has this name; has_link() also for a group, or for a link whose
  /// target is missing.
  bool exists(const std::string &name) const;
  bool has_link(const std::string &name) const;
  /// \throws IoError if the dataset is missing
  DatasetInfo info(const std::string &name) const;

  /// Reads a box.
  /// \throws IoError if the dataset is missing, the box has the wrong dimensions or lies outside,
  /// or the kind cannot be converted
  template <class T>
  void read(const std::string &name, const Hyperslab &box, T *data,
            const MemoryLayout &memory = {}) const;
  /// Reads `count` values of a dataset of any shape, from index `first` on in file order. Throws as
  /// read().
  template <class T>
  void read_run(const std::string &name, std::size_t first, std::size_t count, T *data) const;

  /// Callback for consecutive values of a dataset; `first` is the index of the first one in file
  /// order.
  template <class T> using UseRun = std::function<void(std::size_t first, std::span<const T>)>;
  /// Read a box, or `count` values from index `first` on, and pass all values to `use`. `threads`
  /// threads call `use` concurrently; it must not throw. At most a few MiB, or one chunk, are in
  /// memory at a time. Throw as read().
  template <class T>
  void read_runs(const std::string &name, const Hyperslab &box, int threads,
                 const UseRun<T> &use) const;
  template <class T>
  void read_runs(const std::string &name, std::size_t first, std::size_t count, int threads,
                 const UseRun<T> &use) const;
  /// Throws IoError unless a dataset's filters, and the sources of a virtual dataset, are
  /// available.
  void require_readable(const std::string &name) const;
  /// Reads a whole dataset on every rank, as one vector in file order.
  template <class T> std::vector<T> read_all(const std::string &name) const;

  /// Creates a dataset of elements of type T and reserves its disk space if the file system
  /// supports it. For compressed datasets, write() reserves an upper bound instead.
  /// \throws IoError also if the disk is full
  template <class T>
  void create_dataset(const std::string &name, const Shape &shape,
                      const CreateOptions &options = {});
  template <class T>
  void write(const std::string &name, const Hyperslab &box, const T *data,
             const MemoryLayout &memory = {});
  /// Like write(), but copies the values, which a thread of this rank writes to the file in the
  /// background. The box must be contiguous in memory. BackgroundWriter limits the amount of
  /// waiting data. Only uncompressed datasets of type T with chunks of at least 64 KiB are written
  /// in this way, all others at once. The file system must allow different machines to write
  /// neighbouring bytes of one file at the same time. Until settle(), the same elements must be
  /// neither written again nor read.
  template <class T>
  void write_behind(const std::string &name, const Hyperslab &box, const T *data);
  /// Makes write_behind() send data to writer ranks instead of a thread. Call it before
  /// write_behind().
  void use_writers(std::shared_ptr<WriterRanks> writers);
  /// Calls write() or write_behind(), as `writer` says.
  template <class T>
  void write_by(WriteBy writer, const std::string &name, const Hyperslab &box, const T *data) {
    writer == WriteBy::thread ? write_behind(name, box, data) : write(name, box, data);
  }
  /// Waits until the data of write_behind() are on the disk; commit() does this, too.
  /// \throws IoError if a write failed
  void settle();
  /// Reduces a chunked dataset to a smaller shape and removes the elements outside. Waits for
  /// write_behind() first.
  void shrink(const std::string &name, const Shape &shape);
  /// Creates a dataset and writes rank 0's data. The other ranks pass the same `shape`.
  template <class T>
  void write_all(const std::string &name, const Shape &shape, const std::vector<T> &data,
                 const CreateOptions &options = {});

  /// Names in the root or another group of the file, in alphabetical order. Empty if there is no
  /// such group.
  std::vector<std::string> names(const std::string &group = "/") const;

  /// String attributes. `object` is "/" for the file, or the name of a dataset or group. Reads
  /// fixed-length strings (any padding, with or without terminator) and variable-length strings.
  /// Writes fixed-length, null-terminated strings.
  bool has_attribute(const std::string &object, const std::string &name) const;
  std::string attribute(const std::string &object, const std::string &name) const;
  void set_attribute(const std::string &object, const std::string &name, const std::string &value);
  /// Reads an attribute of one or more numbers, as reals.
  /// \throws IoError if it is missing or not numeric
  std::vector<double> numbers(const std::string &object, const std::string &name) const;
  /// Writes an attribute of numbers: a scalar for one number, else an array.
  /// \tparam T double or std::int64_t
  template <class T>
  void set_numbers(const std::string &object, const std::string &name,
                   const std::vector<T> &values);

  struct Impl;

private:
  explicit File(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft::io
