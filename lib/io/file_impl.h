/// The state of a File, shared by the sources that implement it.
#pragma once

#include <memory>
#include <string>

#include "io/background_writer.h"
#include "io/handle.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// See File. Functions are collective unless marked as local.
struct File::Impl {
  std::string path;
  MPI_Comm comm = MPI_COMM_NULL;
  Handle file;
  Handle access;            ///< access list for datasets; none: HDF5's default
  std::string target;       ///< path of a created file, with symbolic links followed
  std::string temporary;    ///< name of a created file until it is committed, else empty
  std::size_t data = 0;     ///< bytes of created datasets
  std::size_t metadata = 0; ///< bytes that HDF5 may need in addition, an upper bound
  /// The part of both that is reserved for datasets and attributes to come.
  std::size_t data_ahead = 0, metadata_ahead = 0;
  bool reserving = false;                       ///< within File::reserve()
  bool compressed = false;                      ///< true if the file has data that are not counted
  std::unique_ptr<BackgroundWriter> background; ///< made by the first write_behind()

  ~Impl();
  /// Closes the file and removes a created one that was not committed.
  void discard();
  /// Reserves the place on the disk of the next data and metadata, unless File::reserve() has done
  /// so, so that HDF5's caches can always be written, if only to give the file up. Collective;
  /// throws IoError.
  void reserve_space(std::size_t data_bytes, std::size_t metadata_bytes,
                     const std::string &context);
  /// The same for data that get their place while they are written, which are not counted.
  void require_space(std::size_t bytes, const std::string &context);
  /// Local: bytes of data, at least those of a file with data that are not counted.
  std::size_t data_in_file() const;
  /// Counts the bytes of a file that exists.
  void count_existing();
  /// The file's present name.
  const std::string &on_disk() const { return temporary.empty() ? path : temporary; }

  /// Follows no links into other files from now on: all ranks would write to them, and HDF5 opens
  /// such files collectively, even if only one rank calls it.
  void keep_links_inside();
  hid_t access_list() const { return access ? access.get() : H5P_DEFAULT; }

  /// Local: throws IoError if a write_behind() has failed.
  void require_background_success() const;

  /// "PATH: dataset 'NAME'"
  std::string label(const std::string &dataset) const;
  /// Throws IoError once commit() has closed the file.
  hid_t id() const;
  /// Local: opens a dataset; throws IoError when it is missing or something else.
  Handle open_dataset(const std::string &name) const;
};

} // namespace hybridfft::io
