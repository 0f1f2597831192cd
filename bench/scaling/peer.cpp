// Allocates the arrays of a peer, and computes the slab layouts of a problem.
#include "scaling/peer.h"

#include "base/mpi.h"

namespace hybridfft::bench {

namespace {

LayoutView slab(const Problem &p, MPI_Comm comm, bool real, bool transposed, std::ptrdiff_t block) {
  const auto half = verifier::complex_extents(p);
  Layout::SlabOptions options{transposed, block, p.howmany, 0};
  if (real && verifier::halved_axis(p) + 1 == static_cast<int>(half.size()))
    options.last_padding = 2 * half.back() - p.extents.back();
  return {Layout::slab(real ? p.extents : half, mpi::size(comm), options), mpi::rank(comm)};
}

} // namespace

void Peer::make_arrays(LayoutView input, LayoutView output, std::size_t bytes) {
  input_ = std::move(input);
  output_ = std::move(output);
  mpi::all_or_none(comm_, [&] {
    in_ = Memory(bytes, problem_.threads);
    if (!problem_.in_place) out_ = Memory(bytes, problem_.threads);
  });
}

LayoutView slab_input(const Problem &p, MPI_Comm comm) {
  return slab(p, comm, verifier::has_real_input(p), p.transposed_in, p.block_in);
}

LayoutView slab_output(const Problem &p, MPI_Comm comm) {
  return slab(p, comm, verifier::has_real_output(p), p.transposed_out, p.block_out);
}

} // namespace hybridfft::bench
