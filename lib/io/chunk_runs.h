/// Locates the values of a box in the chunks of a dataset, to write them without HDF5.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "io/background_writer.h"
#include "io/hdf5.h"

namespace hybridfft::io {

/// Smallest chunk for direct writes. The time to find a chunk grows with the number of chunks.
constexpr std::size_t smallest_direct_chunk = std::size_t{64} << 10;

/// Chunk extents of a dataset with these creation properties.
Shape chunk_of(hid_t creation_properties);

/// Chunk extents of a dataset for direct writes.
/// \return nothing unless the dataset is stored as `memory_type`, unfiltered, in chunks of at least
/// smallest_direct_chunk bytes
std::optional<Shape> direct_chunks(hid_t dataset, hid_t memory_type, const std::string &label);

/// Finds the contiguous parts of a box, tight in memory, in a dataset with such chunks. All chunks
/// must be allocated in the file; parallel HDF5 allocates them when it creates a dataset.
/// \throws IoError
std::vector<ByteRun> chunk_runs(hid_t dataset, const Shape &chunk, const Hyperslab &box,
                                std::size_t element, const std::string &label);

} // namespace hybridfft::io
