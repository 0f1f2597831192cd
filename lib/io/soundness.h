/// Files and datasets are looked at by one rank before many ranks rely on them.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/handle.h"

namespace hybridfft::io {

/// Opens the file `on_disk` for reading, without MPI-IO and without locks, which some file systems
/// do not have. Throws IoError, which names `path`.
Handle open_serially(const std::string &on_disk, const std::string &path);

/// Opens every object of the file `on_disk`, and of each dataset what describes it. Throws IoError,
/// which names `path`, for the first one that is damaged.
void require_sound(const std::string &path, const std::string &on_disk);

/// Throws IoError, beginning with `label`, unless the values of a dataset can be read: its filters
/// are there, its packed chunks are no larger than it needs, and the same is true of the sources of
/// a virtual dataset, in whose place HDF5 would give fill values.
void require_readable(hid_t dataset, const std::string &label);

} // namespace hybridfft::io
