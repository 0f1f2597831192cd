/// Moving a box between a dataset and memory.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <cstddef>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

struct Transfer {
  hid_t dataset;
  hid_t memory_type;
  Hyperslab box;     ///< within the dataset, already checked; without dimensions for a scalar
  Shape memory;      ///< extents of the array in memory
  std::string label; ///< file and dataset, for messages
  std::string path;  ///< a name of the file on the disk
};

/// Whether all ranks must take part in every HDF5 call, and in how many.
struct Agreement {
  bool collective;
  std::size_t calls; ///< if collective
};

/// Agrees on how ranks move their boxes: each on its own where every box is contiguous in the
/// file, together where it is not, and where compressed chunks are written. Collective.
Agreement agree(MPI_Comm comm, const Transfer &transfer, bool writing);

/// Bytes that the compressed chunks in which all ranks write may need, at most: all chunks in the
/// box around the ranks' boxes. 0 for datasets that are not compressed. Collective.
std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer);

/// Move this rank's box; collective or not as agreed. Throw IoError on this rank.
void read_box(const Transfer &transfer, const Agreement &agreement, void *data);
void write_box(const Transfer &transfer, const Agreement &agreement, const void *data);

} // namespace hybridfft::io
