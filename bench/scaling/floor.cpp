// Copies arrays of the size of a rank's data by stream_copy().
#include "scaling/floor.h"

#include "base/mpi.h"
#include "common/stream_copy.h"

namespace hybridfft::bench {

Floor::Floor(const Problem &p, MPI_Comm comm) : threads_(p.threads) {
  const double real = p.single ? sizeof(float) : sizeof(double);
  const auto bytes = [&](const LayoutView &view, bool real_side) {
    return static_cast<double>(view.size()) * (real_side ? real : 2 * real);
  };
  const double both = bytes(slab_input(p, comm), verifier::has_real_input(p)) +
                      bytes(slab_output(p, comm), verifier::has_real_output(p));
  bytes_ = static_cast<std::size_t>(both / 2);
  mpi::all_or_none(comm, [&] {
    from_ = Memory(bytes_, threads_);
    to_ = Memory(bytes_, threads_);
  });
  all_bytes_ = 4 * static_cast<double>(bytes_);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &all_bytes_, 1, MPI_DOUBLE, MPI_SUM, comm),
             "MPI_Allreduce");
}

void Floor::run() const {
  stream_copy(from_.data(), to_.data(), bytes_, threads_);
  stream_copy(to_.data(), from_.data(), bytes_, threads_);
}

} // namespace hybridfft::bench
