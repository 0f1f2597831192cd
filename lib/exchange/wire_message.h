/// Messages with numbers in reduced precision (the wire format). Choose them to halve the bytes on
/// slow networks.
#pragma once

#include <cstddef>
#include <memory>

#include "base/memory.h"
#include "exchange/block_order.h"
#include "exchange/datatype.h"
#include "exchange/wire.h"
#include "simd/wire.h"

namespace hybridfft::exchange {

/// Packs blocks into contiguous numbers of reduced precision, in the order of the message, and
/// unpacks them, with all threads. In half precision each message has a scale in `header` bytes
/// before the numbers. The scale is a power of two and brings the largest number near the upper end
/// of the format.
class ReducedPrecision {
public:
  /// \param reals real numbers per element of the blocks
  ReducedPrecision(WireFormat wire, const Order &order, int reals, int threads);

  /// Returns the bytes of a packed block, without the header.
  std::ptrdiff_t bytes(const Block &block) const { return block.elements() * element_bytes(); }
  /// Returns the bytes before a packed block: the scale of half precision, else 0.
  std::ptrdiff_t header() const;

  /// Pack and unpack a block; `packed` has header() bytes before it.
  void pack(const Block &block, const std::byte *buffer, std::byte *packed) const;
  void unpack(const std::byte *packed, const Block &block, std::byte *buffer) const;
  /// Rounds the numbers of a block in place. Half precision does not support it: its rounding
  /// depends on the scale of a message.
  void round(const Block &block, std::byte *buffer) const;

private:
  std::ptrdiff_t element_bytes() const; ///< bytes of an element in a message
  std::ptrdiff_t full_bytes() const;    ///< bytes of an element in the buffers
  float scale_for(const Block &block, const std::byte *buffer) const;
  void reduce(const std::byte *from, std::byte *to, std::ptrdiff_t elements, float scale) const;
  void restore(const std::byte *from, std::byte *to, std::ptrdiff_t elements, float scale) const;
  template <class F> void for_runs(const Block &block, const F &f) const;

  WireFormat wire_;
  bool rows_outside_; ///< true if messages contain blocks row by row
  std::ptrdiff_t reals_;
  int threads_;
  const simd::WireKernels &kernels_;
};

/// Memory for all messages of one exchange in reduced precision, one after another.
struct WireSpace {
  ReducedPrecision precision;
  Memory memory;
};

/// Like Message, but with a buffer for conversion: send() packs the block into it, and arrived()
/// unpacks it.
class WireMessage {
public:
  WireMessage(int peer, int tag, const Block &block, std::shared_ptr<const WireSpace> space,
              std::ptrdiff_t offset, std::ptrdiff_t largest_count);

  /// Start to send or receive the block of `buffer`. The tag is `first_tag` plus the message's tag.
  /// After the request of a receive completes, arrived() unpacks the block into `buffer`. Throw
  /// Failure(HFFT_ERROR_MPI).
  void send(const std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const;
  void receive(std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const;
  void arrived(std::byte *buffer) const;

private:
  std::byte *packed() const { return space_->memory.data() + offset_; }

  int peer_;
  int tag_;
  Block block_;
  std::shared_ptr<const WireSpace> space_;
  std::ptrdiff_t offset_;
  Datatype type_; ///< bytes of header and block
};

} // namespace hybridfft::exchange
