/// Moves the elements of a box between a dataset and memory.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>

#include "io/hdf5.h"

namespace hybridfft::io {

/// A box, its dataset and its layout in memory. The identifiers are borrowed.
struct Transfer {
  hid_t dataset;
  hid_t memory_type;
  Hyperslab box;     ///< checked box within the dataset; without dimensions for a scalar
  Shape memory;      ///< box in the dataset, already checked; no dimensions for a scalar
  std::string label; ///< file and dataset, for messages
  std::string path;  ///< name of the file on the disk
};

/// How ranks write together: by collective HDF5 calls, or independently. Equal on all ranks.
struct TransferAgreement {
  bool collective;
  std::size_t calls; ///< number of calls if collective
};

/// Chooses independent writes if every rank's box is contiguous in the file and chunks are not
/// compressed, else collective writes. Collective.
TransferAgreement agree(MPI_Comm comm, const Transfer &transfer);

/// Returns an upper bound of the bytes of all compressed chunks that a write changes: all chunks in
/// the bounding box of the ranks' boxes. Returns 0 for datasets without compression. Collective.
std::size_t compressed_bytes(MPI_Comm comm, const Transfer &transfer);

/// Move this rank's box. Reads are independent; writes are collective or independent, as agreed.
/// Throw IoError, possibly on this rank only.
void read_box(const Transfer &transfer, void *data);
void write_box(const Transfer &transfer, const TransferAgreement &agreement, const void *data);

/// Callback for `count` consecutive values of a dataset; `first` is the index of the first one in
/// file order.
using UseRun = std::function<void(std::size_t first, const void *values, std::size_t count)>;
/// Reads this rank's box piece by piece and passes all values to `use`. `threads` threads call
/// `use` concurrently; it must not throw. Throws IoError, possibly on this rank only.
void read_runs(const Transfer &transfer, int threads, const UseRun &use);

} // namespace hybridfft::io
