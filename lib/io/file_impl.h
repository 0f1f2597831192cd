/// State of a File, names of its objects, types of its elements and transfers of boxes, for the
/// sources that implement it.
#pragma once

#include <hdf5.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <type_traits>

#include "io/background_writer.h"
#include "io/handle.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// State of a File. Functions are collective unless marked as local.
struct File::Impl {
  std::string path;
  MPI_Comm comm = MPI_COMM_NULL;
  Handle file;
  Handle access;            ///< property list for opening datasets; HDF5's default if not set
  std::string target;       ///< path of a created file, with symbolic links resolved
  std::string temporary;    ///< name of a created file before commit(), else empty
  std::size_t data = 0;     ///< bytes of created datasets
  std::size_t metadata = 0; ///< upper bound of the bytes of HDF5's metadata
  /// Disk space already reserved for datasets and attributes that will be created.
  std::size_t data_ahead = 0, metadata_ahead = 0;
  bool reserving = false; ///< true within File::reserve()
  /// True if the file has compressed data, whose bytes `data` does not include.
  bool compressed = false;
  std::unique_ptr<RunWriter> background; ///< created by the first write_behind()
  std::shared_ptr<WriterRanks> writers;  ///< writer ranks to use instead of a thread; nullptr: none

  ~Impl();
  /// Closes the file. Removes it if it was created and not committed.
  void discard();
  /// Reserves disk space for new data and metadata, unless File::reserve() has reserved it. HDF5
  /// can then always write its caches, even if the file is abandoned. Collective. Throws IoError.
  void reserve_space(std::size_t data_bytes, std::size_t metadata_bytes,
                     const std::string &context);
  /// Reserves disk space for compressed data, which HDF5 allocates during the write and `data` does
  /// not include.
  void require_space(std::size_t bytes, const std::string &context);
  /// Bytes of data in the file, including compressed data. Local.
  std::size_t data_in_file() const;
  /// Sets `data` to the size of an existing file.
  void count_existing();
  /// Path of the file on the disk at present.
  const std::string &on_disk() const { return temporary.empty() ? path : temporary; }

  /// Makes HDF5 reject links to other files from now on. Otherwise HDF5 would open a linked file
  /// for writing. This is collective and would hang if only one rank follows the link.
  void keep_links_inside();
  hid_t access_list() const { return access ? access.get() : H5P_DEFAULT; }

  /// Returns the writer that write_behind() uses.
  std::unique_ptr<RunWriter> make_writer() const;
  /// Throws IoError if a write_behind() has failed. Local.
  void require_background_success() const;

  /// Formats "PATH: dataset 'NAME'".
  std::string label(const std::string &dataset) const;
  /// The identifier of the open file.
  /// \throws IoError once commit() has closed it
  hid_t id() const;
  /// Opens a dataset. Local.
  /// \throws IoError if it is missing or another kind of object
  Handle open_dataset(const std::string &name) const;
};

// Names of objects in a file, including links to other files. All functions are local.

/// True if there is an object or a link of this name. The target of the link may be missing.
bool link_exists(const File::Impl &file, const std::string &name);

/// True if the name leads to a dataset that can be opened.
bool is_dataset(const File::Impl &file, const std::string &name);

// Element types of datasets, in memory and in files.

/// The HDF5 type of T, in memory and for new datasets.
template <class T> Handle element_type();
template <> Handle element_type<float>();
template <> Handle element_type<double>();
template <> Handle element_type<std::int8_t>();
template <> Handle element_type<std::int32_t>();
template <> Handle element_type<std::int64_t>();
template <> Handle element_type<std::uint64_t>();
template <> Handle element_type<std::complex<float>>();
template <> Handle element_type<std::complex<double>>();

/// Returns the kind of a type in a file. A complex number is a compound of two floating members "r"
/// and "i".
NumberKind kind_of(hid_t type);

/// Names a type: "32-bit floating", "64-bit unsigned integer", "complex of 32-bit floating",
/// "string", ...
std::string describe_type(hid_t type);

/// Formats the number at an address; returns "one" if it cannot be determined.
std::string describe_value(hid_t type, const void *value);

/// Formats the range of a type: "0 to 255" for integers, else "32-bit floating values".
std::string describe_range(hid_t type);

// Moves the elements of a box between a dataset and memory.

/// A box, its dataset and its layout in memory. The identifiers are borrowed.
struct Transfer {
  hid_t dataset;
  hid_t memory_type;
  Hyperslab box;     ///< checked box within the dataset; without dimensions for a scalar
  Shape memory;      ///< extents of the array in memory that begins with the box
  std::string label; ///< file and dataset, for messages
  std::string path;  ///< name of the file on the disk
};

/// How ranks write together: by collective HDF5 calls, or independently. Equal on all ranks.
struct TransferAgreement {
  bool collective;
  std::size_t calls; ///< number of calls if collective
};

/// Chooses independent writes if every rank's box is contiguous in the file and chunks are not
/// compressed, else collective writes. Collective.
TransferAgreement agree(MPI_Comm comm, const Transfer &transfer);

/// Returns an upper bound of the bytes of all compressed chunks that a write changes: all chunks in
/// the bounding box of the ranks' boxes. Returns 0 for datasets without compression. Collective.
std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer);

/// Move this rank's box. Reads are independent; writes are collective or independent, as agreed.
/// Throw IoError, possibly on this rank only.
void read_box(const Transfer &transfer, void *data);
void write_box(const Transfer &transfer, const TransferAgreement &agreement, const void *data);

/// Callback for `count` consecutive values of a dataset; `first` is the index of the first one in
/// file order.
using UseRun = std::function<void(std::size_t first, const void *values, std::size_t count)>;
/// Reads this rank's box piece by piece and passes all values to `use`. `threads` threads call
/// `use` concurrently; it must not throw. Throws IoError, possibly on this rank only.
void read_runs(const Transfer &transfer, int threads, const UseRun &use);

} // namespace hybridfft::io
