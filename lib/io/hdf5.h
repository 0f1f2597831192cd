/// Parallel HDF5 files: datasets read and written by hyperslabs, and string attributes.
///
/// Every function is collective over the file's communicator, and succeeds or throws on all ranks
/// alike. Messages name the file, the dataset, the found and the expected value.
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

/// An error of a file, a dataset or an attribute, including its name. The message is printable().
class IoError : public std::runtime_error {
public:
  explicit IoError(const std::string &message) : std::runtime_error(printable(message)) {}
};

/// One entry per dimension, the slowest first; empty for a scalar.
using Shape = std::vector<std::size_t>;

/// The kind of a dataset's elements.
enum class NumberKind { floating, integer, complex, other };

/// Shape and element type of a dataset.
struct DatasetInfo {
  Shape shape;
  NumberKind kind = NumberKind::other;
  std::size_t bytes = 0; ///< bytes of one element
};

/// A box of a dataset, read or written by a rank. Ranks without data pass a count of 0.
struct Hyperslab {
  Shape offset;
  Shape count;
};

/// Memory of a box: a row-major array with the extents `extent`. The box takes the first `count`
/// entries of each dimension. Empty means tight (extent == count). Padded arrays, as of r2c
/// transforms, are thus read and written without a second array.
struct MemoryLayout {
  Shape extent;
};

/// Writer of data during a computation. `together`: all ranks wait and write collectively.
/// `thread`: a thread of each rank writes, or a writer rank, see File::write_behind().
enum class WriteBy { together, thread };

/// Storage of a new dataset.
struct CreateOptions {
  Shape chunk;               ///< empty: contiguous
  int deflate = -1;          ///< 1 to 9: level of compression, which needs a chunk; 0 and -1: none
  bool may_be_empty = false; ///< extents of 0 are no error
};

class WriterRanks;

/// A file of datasets. Element types are float, double, int8, int32, int64, uint64, and
/// std::complex of float and double. Complex numbers are stored like h5py's: a compound of members
/// "r" and "i". HDF5 converts between float and double, between integer sizes and, on reading, from
/// integers to float and double. A value out of range is an IoError. Compressed datasets are
/// written in their own type only.
///
/// A file for reading is opened by each rank without MPI-IO. Links to other files, virtual datasets
/// and filters thus work on many ranks as on one, and no rank waits for another inside HDF5. A file
/// for writing is opened by all ranks collectively; its links to other files are kept but never
/// followed.
class File {
public:
  /// Opens a file for reading.
  /// \throws IoError if it is missing, unreadable or not HDF5
  static File open(const std::string &path, MPI_Comm comm);
  /// Opens an existing file for changes.
  static File open_for_update(const std::string &path, MPI_Comm comm);
  /// Creates `path` under a temporary name in the same folder; commit() renames it. Without
  /// commit(), the destructor removes the temporary file, and an existing file at `path` remains.
  static File create(const std::string &path, MPI_Comm comm);
  /// Like create(), but starts from a copy of the present content of `path`, so nothing is lost by
  /// a failure. The copy needs as much disk space, unless the file system shares equal blocks.
  /// \throws IoError with the number of bytes if the space is insufficient
  static File create_copy(const std::string &path, MPI_Comm comm);
  /// Reserves disk space for all datasets and attributes that `create` creates, so that later calls
  /// do not find a full disk. Within `create` nothing is created, and writes do nothing.
  /// \throws IoError like create_dataset()
  void reserve(const std::function<void()> &create);
  bool reserving() const; ///< true within reserve()
  /// Marks a created file as in use, so that no other run removes it as abandoned (see
  /// create_temporary). Call it every few hours while nothing is written. Local.
  void keep_alive() const;
  /// Flushes and closes the file, and renames a created file.
  /// \throws IoError if the data could not be written (disk full)
  void commit();

  File(File &&) noexcept;
  File &operator=(File &&) noexcept;
  ~File();

  const std::string &path() const;
  MPI_Comm comm() const;

  /// The first is true for a dataset of this name, the second for any dataset, group or link.
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
  /// Reads `count` values from index `first` on, in file order, for datasets of any shape. Throws
  /// like read().
  template <class T>
  void read_run(const std::string &name, std::size_t first, std::size_t count, T *data) const;

  /// Receives consecutive values of a dataset; the first of them has the index `first` in file
  /// order.
  template <class T> using UseRun = std::function<void(std::size_t first, std::span<const T>)>;
  /// Read a box, or `count` values from index `first` on, and pass all values to `use`. `threads`
  /// threads call it concurrently; it must not throw. Memory holds a few MiB, or one chunk, at a
  /// time. Throw like read().
  template <class T>
  void read_runs(const std::string &name, const Hyperslab &box, int threads,
                 const UseRun<T> &use) const;
  template <class T>
  void read_runs(const std::string &name, std::size_t first, std::size_t count, int threads,
                 const UseRun<T> &use) const;
  /// Throws IoError unless the filters of a dataset, and the sources of a virtual dataset, are
  /// available.
  void require_readable(const std::string &name) const;
  /// Reads the whole dataset on every rank, as one vector in file order.
  template <class T> std::vector<T> read_all(const std::string &name) const;

  /// Creates a dataset of elements of type T. Reserves its disk space if the file system can; for
  /// compressed datasets write() reserves an upper bound.
  /// \throws IoError also if the disk is full
  template <class T>
  void create_dataset(const std::string &name, const Shape &shape,
                      const CreateOptions &options = {});
  template <class T>
  void write(const std::string &name, const Hyperslab &box, const T *data,
             const MemoryLayout &memory = {});
  /// Like write(), for a box that is tight in memory. The values are copied, and a thread of this
  /// rank writes them in the background; BackgroundWriter limits the queue. Only uncompressed
  /// datasets of type T with chunks of at least 64 KiB are written in this way, others at once. The
  /// file system must be coherent between machines, byte by byte. Until settle() the same elements
  /// must be neither written again nor read.
  template <class T>
  void write_behind(const std::string &name, const Hyperslab &box, const T *data);
  /// Lets write_behind() send to writer ranks in place of a thread. Before its first call.
  void use_writers(std::shared_ptr<WriterRanks> writers);
  /// Calls write() or write_behind().
  template <class T>
  void write_by(WriteBy writer, const std::string &name, const Hyperslab &box, const T *data) {
    writer == WriteBy::thread ? write_behind(name, box, data) : write(name, box, data);
  }
  /// Waits until the data of write_behind() is on the disk; commit() calls it, too.
  /// \throws IoError if a write failed
  void settle();
  /// Removes the elements of a chunked dataset beyond a smaller shape, and waits for
  /// write_behind().
  void shrink(const std::string &name, const Shape &shape);
  /// Creates a dataset and writes it from rank 0's data. The other ranks pass an equal `shape`.
  template <class T>
  void write_all(const std::string &name, const Shape &shape, const std::vector<T> &data,
                 const CreateOptions &options = {});

  /// Names in the root of the file or in another group, in alphabetical order. None if there is no
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
