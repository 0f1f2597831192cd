/// Direct access to chunks of datasets without HDF5: finds the bytes of unfiltered chunks in the
/// file, and reads filtered chunks on several threads.
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

/// Bytes of the smallest chunk to be written directly. Finding chunks takes time in proportion to
/// their number.
constexpr std::size_t smallest_direct_chunk = std::size_t{64} << 10;

/// Returns the chunk extents of a dataset with these creation properties.
Shape chunk_of(hid_t creation_properties);

/// Returns the chunk extents of a dataset for writing without HDF5.
/// \return nothing unless the dataset is stored as `memory_type`, unfiltered, in chunks of at least
/// smallest_direct_chunk bytes
std::optional<Shape> direct_chunks(hid_t dataset, hid_t memory_type, const std::string &label);

/// Finds the contiguous parts of a box in the file. The dataset is one for which direct_chunks()
/// returns chunks, and the box is contiguous in memory. All chunks must be allocated in the file;
/// parallel HDF5 allocates them when it creates a dataset.
/// \throws IoError
std::vector<ByteRun> chunk_runs(hid_t dataset, const Shape &chunk, const Hyperslab &box,
                                std::size_t element, const std::string &label);

/// Reads boxes of a dataset with filters. Unlike HDF5, it checks the decompressed size of chunks
/// and decompresses on several threads. It reads a box itself only if the library is built with
/// libdeflate, the filters are deflate, or shuffle and deflate, and the element types in file and
/// memory are equal.
class FilteredChunks {
public:
  /// \return nullptr for a dataset without filters
  static std::unique_ptr<FilteredChunks> of(hid_t dataset, hid_t memory_type,
                                            const std::string &label);
  virtual ~FilteredChunks() = default;

  /// Extents of a chunk.
  virtual const Shape &chunk() const = 0;

  /// Reads a box into contiguous memory.
  /// \return false if HDF5 must read the box: for other filters or types, or if a chunk of the box
  /// was never written, skips a filter, or is damaged
  /// \throws IoError for a chunk with too few or too many bytes. The number of bytes is checked if
  /// the chunk is deflated, or if it skips all filters that change the number of bytes.
  virtual bool read(const Hyperslab &box, std::byte *tight, int threads) = 0;
};

} // namespace hybridfft::io
