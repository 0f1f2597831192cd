#include "exchange/datatype.h"

#include <array>

#include "base/mpi.h"

namespace hybridfft::exchange {

namespace {

/// A type that is freed unless released; MPI counts references, so parts may go early.
class Part {
public:
  ~Part() {
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
  }
  MPI_Datatype release() { return std::exchange(type, MPI_DATATYPE_NULL); }
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

void contiguous(std::ptrdiff_t count, MPI_Datatype of, Part &part) {
  mpi::check(MPI_Type_contiguous(static_cast<int>(count), of, &part.type), "MPI_Type_contiguous");
}

} // namespace

Datatype::Datatype(std::ptrdiff_t count, std::ptrdiff_t unit_bytes, std::ptrdiff_t offset_bytes,
                   std::ptrdiff_t limit) {
  Part unit;
  contiguous(unit_bytes, MPI_BYTE, unit);
  Part chunk;
  contiguous(limit < count ? limit : count, unit.type, chunk);
  const std::ptrdiff_t chunks = limit < count ? count / limit : 1;
  const std::ptrdiff_t rest = limit < count ? count % limit : 0;
  Part whole;
  contiguous(chunks, chunk.type, whole);
  Part tail;
  contiguous(rest, unit.type, tail);
  const std::array<int, 2> lengths{1, 1};
  const std::array<MPI_Aint, 2> places{offset_bytes, offset_bytes + (count - rest) * unit_bytes};
  const std::array<MPI_Datatype, 2> types{whole.type, tail.type};
  Part all;
  mpi::check(MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &all.type),
             "MPI_Type_create_struct");
  mpi::check(MPI_Type_commit(&all.type), "MPI_Type_commit");
  type_ = all.release();
}

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && mpi::running()) MPI_Type_free(&type_);
}

} // namespace hybridfft::exchange
