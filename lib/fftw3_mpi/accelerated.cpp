#include "fftw3_mpi/accelerated.h"

#include <utility>

namespace hybridfft::fftw3_mpi {

namespace {

/// Returns the same parts of a matrix in the other memory order.
Layout locally_transposed(const Layout &l) {
  return Layout({l.axes()[1], l.axes()[0]}, l.howmany());
}

} // namespace

Accelerated::Accelerated(std::unique_ptr<plan::Plan> made) : plan(std::move(made)) {
  for (const profile::Stage &s : plan->stages()) {
    flops += s.flops;
    bytes += s.bytes;
  }
}

std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments) {
  const auto problem = [&](int ranks) { return plan::check(arguments(), ranks); };
  return std::make_unique<Accelerated>(plan::create(comm, {std::cref(problem)}));
}

std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const TranspositionArguments &a,
                   const std::function<void(plan::Problem &)> &prepare) {
  const auto problem = [&](int ranks) {
    const plan::SlabPair slabs{false, true, a.block0, a.block1};
    plan::Problem p =
        plan::slab_problem(plan::Kind::c2c, -1, {a.n0, a.n1}, {}, a.howmany, slabs, ranks);
    // For pure data movement, real numbers are complex ones of half their size.
    p.real_bytes = a.real_bytes / 2;
    p.axes.clear();
    if (a.transposed_in) p.in = locally_transposed(p.in);
    if (a.transposed_out) p.out = locally_transposed(p.out);
    if (a.transposed_in || a.transposed_out) p.slab_arrays = false;
    p.input = a.in;
    p.output = a.out;
    p.in_place = a.in == a.out;
    prepare(p);
    plan::check_arrays(p);
    plan::check(p, ranks);
    return p;
  };
  return std::make_unique<Accelerated>(plan::create(comm, {std::cref(problem)}));
}

} // namespace hybridfft::fftw3_mpi
