/// One non-blocking message between two ranks, sent directly from its place in the buffer.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "base/mpi.h"
#include "exchange/block_order.h"
#include "exchange/datatype.h"

namespace hybridfft::exchange {

/// A block of a send or receive buffer, and the rank that receives or sends it.
class Message {
public:
  /// Makes a message. Tags separate messages between the same ranks. The block begins `offset`
  /// bytes after the buffer; blocks of the same shape may share a type.
  Message(int peer, int tag, std::ptrdiff_t offset, std::shared_ptr<const Datatype> type)
      : peer_(peer), tag_(tag), offset_(offset), type_(std::move(type)) {}
  /// Makes a message of `bytes` contiguous bytes.
  Message(int peer, int tag, std::ptrdiff_t offset, int bytes)
      : peer_(peer), tag_(tag), count_(bytes), offset_(offset) {}
  Message(int peer, int tag, const Block &block, const Order &order, std::size_t element_bytes,
          std::ptrdiff_t largest_count)
      : Message(peer, tag, block.base * static_cast<std::ptrdiff_t>(element_bytes),
                std::make_shared<const Datatype>(
                    block_type(block, order, element_bytes, Origin::block, largest_count))) {}

  /// Start the message; the caller completes `request`. Tags start at first_tag. Throw
  /// Failure(HFFT_ERROR_MPI).
  void send(const std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    mpi::check(MPI_Isend(buffer + offset_, count_, type(), peer_, first_tag + tag_, comm, &request),
               "MPI_Isend");
  }
  void receive(std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    mpi::check(MPI_Irecv(buffer + offset_, count_, type(), peer_, first_tag + tag_, comm, &request),
               "MPI_Irecv");
  }
  /// Handles the completion of a received message.
  void arrived(std::byte *) const {}

private:
  MPI_Datatype type() const { return type_ ? type_->get() : MPI_BYTE; }

  int peer_;
  int tag_;
  int count_ = 1;
  std::ptrdiff_t offset_;
  std::shared_ptr<const Datatype> type_; ///< nullptr for bytes
};

} // namespace hybridfft::exchange
