/// RAII around MPI datatypes of any size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>

namespace hybridfft::exchange {

class Datatype {
public:
  Datatype() = default;
  /// `count` units of `unit_bytes` bytes in a row, starting `offset_bytes` after the buffer's
  /// address. Right beyond 2^31 units: built from chunks of at most `limit` units. Throws Failure
  /// (HFFT_ERROR_MPI).
  Datatype(std::ptrdiff_t count, std::ptrdiff_t unit_bytes, std::ptrdiff_t offset_bytes,
           std::ptrdiff_t limit);
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
