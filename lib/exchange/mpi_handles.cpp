#include "exchange/mpi_handles.h"

#include <array>
#include <thread>

namespace hybridfft::exchange {

namespace {

/// A datatype and its offset in bytes.
struct Placed {
  MPI_Datatype type;
  MPI_Aint place;
};

Datatype structure(std::span<const Placed> members) {
  std::vector<int> lengths(members.size(), 1);
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;
  for (const Placed &m : members) {
    places.push_back(m.place);
    types.push_back(m.type);
  }
  MPI_Datatype all = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_struct(static_cast<int>(members.size()), lengths.data(), places.data(),
                                    types.data(), &all),
             "MPI_Type_create_struct");
  return Datatype(all);
}

Datatype vector(std::ptrdiff_t count, std::ptrdiff_t stride, const Datatype &of) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_hvector(static_cast<int>(count), 1, stride, of.get(), &result),
             "MPI_Type_create_hvector");
  return Datatype(result);
}

Datatype repeated(const Repeat &loop, const Datatype &of, std::ptrdiff_t largest_count) {
  if (loop.count <= largest_count) return vector(loop.count, loop.stride, of);
  const std::ptrdiff_t chunks = loop.count / largest_count;
  const std::ptrdiff_t rest = loop.count % largest_count;
  const std::ptrdiff_t chunk_stride = largest_count * loop.stride;
  const Datatype whole = vector(chunks, chunk_stride, vector(largest_count, loop.stride, of));
  const Datatype tail = vector(rest, loop.stride, of);
  return structure(std::array<Placed, 2>{{{whole.get(), 0}, {tail.get(), chunks * chunk_stride}}});
}

Datatype bytes(std::ptrdiff_t count, std::ptrdiff_t largest_count) {
  return repeated({count, 1}, Datatype(MPI_BYTE), largest_count);
}

} // namespace

Datatype::Datatype(std::ptrdiff_t offset, std::span<const Repeat> loops, std::ptrdiff_t run,
                   std::ptrdiff_t largest_count) {
  // A loop over adjacent pieces is one longer piece.
  while (!loops.empty() && (loops.back().stride == run || loops.back().count == 1)) {
    run *= loops.back().count;
    loops = loops.first(loops.size() - 1);
  }
  Datatype part = bytes(run, largest_count);
  for (std::size_t i = loops.size(); i-- > 0;)
    part = repeated(loops[i], part, largest_count);
  if (offset != 0) part = structure(std::array<Placed, 1>{{{part.get(), offset}}});
  commit(part);
}

Datatype::Datatype(std::span<const ByteRange> ranges, std::ptrdiff_t largest_count) {
  std::vector<Datatype> parts;
  std::vector<Placed> placed;
  for (const ByteRange &r : ranges) {
    parts.push_back(bytes(r.count, largest_count));
    placed.push_back({parts.back().get(), r.first});
  }
  Datatype all = structure(placed);
  commit(all);
}

void Datatype::commit(Datatype &of) {
  mpi::check(MPI_Type_commit(&of.type_), "MPI_Type_commit");
  std::swap(type_, of.type_);
}

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && type_ != MPI_BYTE && mpi::running()) MPI_Type_free(&type_);
}

namespace {

/// Returns true if the request is complete, null, or persistent and not started.
bool has_ended(MPI_Request &request) noexcept {
  if (request == MPI_REQUEST_NULL) return true;
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

bool have_ended(std::span<MPI_Request> requests) noexcept {
  bool all = true;
  for (MPI_Request &request : requests)
    all = has_ended(request) && all;
  return all;
}

void release(MPI_Request &request) noexcept {
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  request = MPI_REQUEST_NULL;
}

} // namespace

bool cancel(std::span<MPI_Request> receiving, std::span<MPI_Request> sending,
            const Patience &patience) noexcept {
  const mpi::ReturnedErrors scope;
  while (!(have_ended(receiving) && have_ended(sending)) && !patience.is_over())
    std::this_thread::yield();
  for (MPI_Request &receive : receiving) {
    if (!has_ended(receive)) {
      MPI_Cancel(&receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    release(receive);
  }
  const bool all_sent = have_ended(sending);
  for (MPI_Request &send : sending)
    release(send);
  return all_sent;
}

} // namespace hybridfft::exchange
