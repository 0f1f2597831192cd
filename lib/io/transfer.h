/// Moves a box between a dataset and memory.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

/// A box, its dataset and its memory. The identifiers are borrowed.
struct Transfer {
  hid_t dataset;
  hid_t memory_type;
  Hyperslab box;     ///< checked box within the dataset; without dimensions for a scalar
  Shape memory;      ///< extents of the array in memory
  std::string label; ///< file and dataset, for messages
  std::string path;  ///< name of the file on the disk
};

/// The way of writing on which all ranks agree: by collective HDF5 calls, or independently.
struct TransferAgreement {
  bool collective;
  std::size_t calls; ///< number of calls if collective
};

/// Chooses independent writes if every box is contiguous in the file and chunks are not compressed,
/// else collective writes. Collective.
TransferAgreement agree(MPI_Comm comm, const Transfer &transfer);

/// Upper bound of the bytes of all compressed chunks in a write: all chunks in the bounding box of
/// the ranks' boxes. It is 0 for datasets without compression. Collective.
std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer);

/// Move this rank's box. Reads are independent; writes are collective or independent as agreed.
/// Throw IoError on this rank.
void read_box(const Transfer &transfer, void *data);
void write_box(const Transfer &transfer, const TransferAgreement &agreement, const void *data);

/// Receives `count` consecutive values of a dataset; the first of them has the index `first` in
/// file order.
using UseRun = std::function<void(std::size_t first, const void *values, std::size_t count)>;
/// Reads this rank's box piece by piece and passes all its values to `use`. `threads` threads call
/// it concurrently; it must not throw. Throws IoError on this rank.
void read_runs(const Transfer &transfer, int threads, const UseRun &use);

} // namespace hybridfft::io
