#include "fftw3_mpi/accelerated.h"

#include <utility>

namespace hybridfft::fftw3_mpi {

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
make_transposition(MPI_Comm comm, const std::function<plan::TranspositionArguments()> &arguments) {
  const auto problem = [&](int ranks) { return plan::check(arguments(), ranks); };
  return std::make_unique<Accelerated>(plan::create(comm, {std::cref(problem)}));
}

} // namespace hybridfft::fftw3_mpi
