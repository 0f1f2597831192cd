/// What a File owns. Shared by the sources that implement it.
#pragma once

#include <string>

#include "io/handle.h"
#include "io/hdf5.h"

namespace hybridfft::io {

struct File::Impl {
  std::string path;
  MPI_Comm comm = MPI_COMM_NULL;
  Handle file;
  std::string target;    ///< of a created file: path with symbolic links followed
  std::string temporary; ///< of a created file that is not committed yet, else empty

  ~Impl();

  /// "PATH: dataset 'NAME'"
  std::string label(const std::string &dataset) const;
  /// Throws IoError once commit() has closed the file.
  hid_t id() const;
  /// Local: opens a dataset; throws IoError when it is missing or something else.
  Handle open_dataset(const std::string &name) const;
};

} // namespace hybridfft::io
