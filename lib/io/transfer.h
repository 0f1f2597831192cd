/// Moving a box between a dataset and memory.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

/// One box, its dataset, and its memory. Borrows the identifiers.
struct Transfer {
  hid_t dataset;
  hid_t memory_type;
  Hyperslab box;     ///< within the dataset, already checked; without dimensions for a scalar
  Shape memory;      ///< extents of the array in memory
  std::string label; ///< file and dataset, for messages
  std::string path;  ///< a name of the file on the disk
};

/// The way in which ranks write: in collective HDF5 calls, and how many, or each on its own.
struct Agreement {
  bool collective;
  std::size_t calls; ///< if collective
};

/// Chooses the way for all ranks: each on its own if every box is contiguous in the file,
/// collective if some is not, and if chunks are compressed. Collective.
Agreement agree(MPI_Comm comm, const Transfer &transfer);

/// Bytes that the compressed chunks in which all ranks write may need, at most: all chunks in the
/// box around the ranks' boxes. 0 for datasets that are not compressed. Collective.
std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer);

/// Move this rank's box: it is read by this rank alone, and written collectively or not as agreed.
/// Throw IoError on this rank.
void read_box(const Transfer &transfer, void *data);
void write_box(const Transfer &transfer, const Agreement &agreement, const void *data);

/// Takes values of a dataset, `count` of them one after the other from number `first` on in the
/// order of the file.
using UseRun = std::function<void(std::size_t first, const void *values, std::size_t count)>;
/// Reads this rank's box piece by piece and calls `use` for all its values, concurrently on so many
/// threads; it must not throw. Throws IoError on this rank.
void read_runs(const Transfer &transfer, int threads, const UseRun &use);

} // namespace hybridfft::io
