#include "plan/agreement.h"

#include <array>
#include <string>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::plan {

namespace {

/// More than any call has arguments: ranks without memory, too, have to come to the reduction.
constexpr std::size_t most_statements = 64;

} // namespace

void require_agreement(std::initializer_list<Statement> statements, MPI_Comm comm) {
  // The largest value and, negated, the smallest one of each.
  std::array<std::int64_t, 2 * most_statements> bounds{};
  if (statements.size() > most_statements)
    throw Failure(HFFT_ERROR_INTERNAL, "more statements than ranks can agree on");
  std::size_t numbers = 0;
  for (const Statement &s : statements) {
    bounds[numbers++] = s.value;
    bounds[numbers++] = -s.value;
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, bounds.data(), static_cast<int>(numbers), MPI_INT64_T,
                           MPI_MAX, comm),
             "MPI_Allreduce");
  const std::int64_t *bound = bounds.data();
  for (const Statement &s : statements) {
    const std::int64_t largest = *bound++;
    const std::int64_t smallest = -*bound++;
    if (largest == smallest) continue;
    std::string reason = std::string("the ranks disagree on ") + s.name;
    if (s.number) reason += ": " + std::to_string(smallest) + " and " + std::to_string(largest);
    throw Failure(HFFT_ERROR_MISMATCH, reason);
  }
}

} // namespace hybridfft::plan
