/// Chunks of datasets: their runs in the file, and filtered ones.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/background_writer.h"
#include "io/hdf5.h"

namespace hybridfft::io {

// Locates the values of a box in the chunks of a dataset, to write them without HDF5.

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

// Reads chunks with filters. Unlike HDF5 it checks the size of chunks, and unpacks deflated chunks
// on several threads.

/// Checks the chunks of a dataset. Reads boxes of it if libdeflate is available, the filters are
/// deflate or shuffle and deflate, and the elements have the same type in memory.
class FilteredChunks {
public:
  /// \return nullptr for a dataset without filters
  static std::unique_ptr<FilteredChunks> of(hid_t dataset, hid_t memory_type,
                                            const std::string &label);
  virtual ~FilteredChunks() = default;

  /// Extents of a chunk.
  virtual const Shape &chunk() const = 0;

  /// Reads a box into tight memory.
  /// \return false if HDF5 must read the box. This holds for other filters and types, and for a
  /// chunk that was never written, skips a filter, or is damaged
  /// \throws IoError for a chunk with too few or too many bytes, if it is deflated or skips all
  /// filters that change the number of bytes
  virtual bool read(const Hyperslab &box, std::byte *tight, int threads) = 0;
};

} // namespace hybridfft::io
