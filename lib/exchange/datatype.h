/// RAII wrapper of MPI datatypes of any size. It supports sizes beyond MPI's int counts.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>

namespace hybridfft::exchange {

/// Repeats the inner type `count` times, `stride` bytes apart.
struct Repeat {
  std::ptrdiff_t count;
  std::ptrdiff_t stride;
};

/// Bytes first .. first+count-1 of a buffer.
struct ByteRange {
  std::ptrdiff_t first;
  std::ptrdiff_t count;
};

/// A committed datatype with 64-bit sizes. Counts above `largest_count`, MPI's limit, are built
/// from chunks of this size. It is an empty type for zero bytes.
class Datatype {
public:
  Datatype() = default;
  /// Makes a type of `run` contiguous bytes, repeated by nested loops, the outer loop first. The
  /// first byte is at `offset` in the buffer. Throws Failure(HFFT_ERROR_MPI).
  Datatype(std::ptrdiff_t offset, std::span<const Repeat> loops, std::ptrdiff_t run,
           std::ptrdiff_t largest_count);
  /// Makes a type of several byte ranges, one after another. Throws Failure(HFFT_ERROR_MPI).
  Datatype(std::span<const ByteRange> ranges, std::ptrdiff_t largest_count);
  ~Datatype();
  Datatype(Datatype &&other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype &operator=(Datatype &&other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }

  MPI_Datatype get() const { return type_; }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

} // namespace hybridfft::exchange
