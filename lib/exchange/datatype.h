/// RAII around MPI datatypes of any size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>

namespace hybridfft::exchange {

/// `count` times the same, `stride` bytes apart.
struct Repeat {
  std::ptrdiff_t count;
  std::ptrdiff_t stride;
};

/// Bytes first .. first+count-1 of a buffer.
struct ByteRange {
  std::ptrdiff_t first;
  std::ptrdiff_t count;
};

/// All sizes are 64-bit: counts above `largest_count`, the limit of MPI's counts, are built from
/// chunks of as many. Committed; an empty type for no bytes at all.
class Datatype {
public:
  Datatype() = default;
  /// Runs of `run` bytes within nested loops, the outer loop first, that start `offset` bytes
  /// after the buffer's address. Throws Failure(HFFT_ERROR_MPI).
  Datatype(std::ptrdiff_t offset, std::span<const Repeat> loops, std::ptrdiff_t run,
           std::ptrdiff_t largest_count);
  /// One range after another. Throws Failure(HFFT_ERROR_MPI).
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
