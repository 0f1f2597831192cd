/// Checks of files and datasets by one rank, before many ranks open them together.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/handle.h"

namespace hybridfft::io {

/// Opens the file `on_disk` for reading without MPI-IO and without locks, which some file systems
/// lack.
/// \throws IoError, whose message names `path`
Handle open_serially(const std::string &on_disk, const std::string &path);

/// Opens every object of the file `on_disk` and reads the description of each dataset.
/// \throws IoError for the first damaged object; the message names `path`
void require_sound(const std::string &path, const std::string &on_disk);

/// Throws IoError, with a message that begins with `label`, unless the values of a dataset can be
/// read. Its filters must be available, and its compressed chunks no larger than needed. The
/// sources of a virtual dataset must meet the same conditions: HDF5 would replace missing ones by
/// fill values.
void require_readable(hid_t dataset, const std::string &label);

} // namespace hybridfft::io
