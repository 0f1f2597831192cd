/// Reads chunks with filters. Unlike HDF5 it checks the size of chunks, and unpacks deflated chunks
/// on several threads.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

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
