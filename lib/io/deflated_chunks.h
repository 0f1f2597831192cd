/// Deflated chunks, unpacked by threads: HDF5 gives their bytes, and would unpack one after the
/// other.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace hybridfft::io {

/// Reads boxes of a dataset that is stored with the filters deflate and, before it, shuffle. Where
/// the elements have another type in memory, it checks the chunks, and HDF5 reads.
class DeflatedChunks {
public:
  /// nullptr for any other dataset, and where this library was built without libdeflate.
  static std::unique_ptr<DeflatedChunks> of(hid_t dataset, hid_t memory_type,
                                            const std::string &label);
  virtual ~DeflatedChunks() = default;

  /// Extents of a chunk.
  virtual const Shape &chunk() const = 0;

  /// Reads a box into memory where it lies tight. Returns false if HDF5 has to read it: for chunks
  /// that were never written, or skip a filter, or are damaged, which HDF5 reports, and for other
  /// types. Throws IoError for a chunk of too few or too many bytes, which HDF5 does not notice.
  virtual bool read(const Hyperslab &box, std::byte *tight, int threads) = 0;
};

} // namespace hybridfft::io
