/// Chunks of datasets, and where the values of a box lie in a file, for writing them without HDF5.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "io/background_writer.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// Chunks smaller than this are not worth it: finding one takes longer the more there are.
constexpr std::size_t smallest_direct_chunk = std::size_t{64} << 10;

/// The extents of the chunks that a dataset with these creation properties is stored in.
Shape chunk_of(hid_t creation_properties);

/// The extents of the chunks of a dataset whose values can be written directly: stored as
/// `memory_type`, not filtered, in chunks that are large enough.
std::optional<Shape> direct_chunks(hid_t dataset, hid_t memory_type, const std::string &label);

/// Contiguous parts of a box that lies tight in memory, in a dataset of such chunks, all of which
/// have their place in the file (as parallel HDF5 gives them when a dataset is created). Throws
/// IoError.
std::vector<Run> chunk_runs(hid_t dataset, const Shape &chunk, const Hyperslab &box,
                            std::size_t element, const std::string &label);

} // namespace hybridfft::io
