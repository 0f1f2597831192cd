/// One rank checks files and datasets before many ranks rely on them.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/handle.h"

namespace hybridfft::io {

/// Opens the file `on_disk` for reading, without MPI-IO and without locks, since some file systems
/// lack locks.
/// \throws IoError with the name `path`
Handle open_serially(const std::string &on_disk, const std::string &path);

/// Opens every object of the file `on_disk`, and reads the description of each dataset.
/// \throws IoError with the name `path` for the first damaged object
void require_sound(const std::string &path, const std::string &on_disk);

/// Throws IoError, beginning with `label`, unless the values of a dataset can be read. Its filters
/// must be available, and its packed chunks no larger than needed. The sources of a virtual dataset
/// must meet the same conditions: HDF5 would replace missing ones by fill values.
void require_readable(hid_t dataset, const std::string &label);

} // namespace hybridfft::io
