#include "plan/agreement.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::plan {

void require_agreement(std::initializer_list<Statement> statements, MPI_Comm comm) {
  // The largest value and, negated, the smallest one of each.
  std::vector<std::int64_t> bounds;
  for (const Statement &s : statements) {
    bounds.push_back(s.value);
    bounds.push_back(-s.value);
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, bounds.data(), static_cast<int>(bounds.size()),
                           MPI_INT64_T, MPI_MAX, comm),
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
