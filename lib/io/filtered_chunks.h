/// Chunks of datasets with filters. Their sizes are checked, which HDF5 does not do, and deflated
/// ones are unpacked by threads, as HDF5 would unpack one after the other.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Checks the chunks of a dataset, and reads boxes of it if its filters are deflate, or shuffle and
/// deflate, its elements have the same type in memory, and libdeflate is there.
class FilteredChunks {
public:
  /// nullptr for a dataset without filters.
  static std::unique_ptr<FilteredChunks> of(hid_t dataset, hid_t memory_type,
                                            const std::string &label);
  virtual ~FilteredChunks() = default;

  /// Extents of a chunk.
  virtual const Shape &chunk() const = 0;

  /// Reads a box into memory where it lies tight. Returns false if HDF5 has to read it: for other
  /// filters and types, and for chunks that were never written, or skip a filter, or are damaged.
  /// Throws IoError for a chunk of too few or too many bytes, if it is deflated or skips all
  /// filters that change the number of bytes.
  virtual bool read(const Hyperslab &box, std::byte *tight, int threads) = 0;
};

} // namespace hybridfft::io
