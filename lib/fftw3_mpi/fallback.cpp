#include "fftw3_mpi/fallback.h"

#include <fftw3-mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "base/mpi.h"
#include "exchange/communicator.h"
#include "fftw3_mpi/log.h"
#include "local/twiddles.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Returns true if FFTW has a single kernel (codelet) for this length.
bool has_codelet(std::ptrdiff_t n) { return n <= 16 || n == 20 || n == 25 || n == 32; }

template <class F> bool all_extents(const plan::Arguments &a, const F &f) {
  return std::all_of(a.n, a.n + a.rank, f);
}
template <class F> bool any_extent(const plan::Arguments &a, const F &f) {
  return std::any_of(a.n, a.n + a.rank, f);
}

double points(const plan::Arguments &a) {
  double product = 1;
  for (int i = 0; i < a.rank; ++i)
    product *= static_cast<double>(a.n[i]);
  return product;
}

bool prefers_ours() {
  static const bool ours = environment_word("HFFT_DROPIN_PREFER", {"ours", "faster"}) == "ours";
  return ours;
}

/// Active distributed plans of FFTW, with the communicator of each counted plan. Never destroyed,
/// because static destructors may destroy plans.
struct Counted {
  std::mutex mutex;
  std::map<const void *, std::shared_ptr<exchange::Communicator>> plans;
};
Counted &counted() {
  static auto *instance = new Counted;
  return *instance;
}

} // namespace

bool is_open(const plan::Arguments &a) {
  return a.rank == 1 || a.howmany > 1 || points(a) <= 64 * 64 * 64 ||
         any_extent(a, local::has_large_prime);
}

bool prefer_fftw(const plan::Arguments &a, MPI_Comm comm) {
  if (a.kind == plan::Kind::r2r) return false;
  const bool in = (a.flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out = (a.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  const bool one_rank = mpi::size(comm) == 1;
  const bool one_exchange = in != out;
  const bool single = a.real_bytes == sizeof(float);
  const bool complex = a.kind == plan::Kind::c2c;
  const auto up_to_64 = [](std::ptrdiff_t n) { return n == 64 || has_codelet(n); };
  if (all_extents(a, has_codelet)) {
    if (points(a) <= 12 * 12 * 12) return true;
    if ((one_rank || one_exchange) && points(a) <= 32 * 32 * 32) return true;
    if (complex && !single && points(a) <= 20 * 20 * 20) return true;
  }
  return one_exchange && (one_rank || (complex && single)) && a.in == a.out &&
         points(a) <= 64 * 64 * 64 && all_extents(a, up_to_64);
}

bool may_fall_back(const exchange::Communicator &comm) {
  constexpr int most = 256;
  return !prefers_ours() && comm.fftw_duplicates < most;
}

void count_fallback(const void *plan, MPI_Comm comm) {
  auto owned = exchange::acquire(comm);
  ++owned->fftw_duplicates;
  const std::lock_guard lock(counted().mutex);
  counted().plans[plan] = std::move(owned);
}

void remember_fallback(const void *plan) {
  const std::lock_guard lock(counted().mutex);
  counted().plans.try_emplace(plan, nullptr);
}

bool forget_fallback(const void *plan) {
  const std::lock_guard lock(counted().mutex);
  const auto found = counted().plans.find(plan);
  if (found == counted().plans.end()) return false;
  if (found->second) --found->second->fftw_duplicates;
  counted().plans.erase(found);
  return true;
}

double seconds_of(MPI_Comm comm, const std::function<void()> &execution) {
  constexpr int most = 20;
  constexpr double budget_seconds = 0.02;
  double least = 0;
  double spent = 0;
  for (int i = 0; i <= most && (i < 3 || spent < budget_seconds); ++i) {
    mpi::check(MPI_Barrier(comm), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    execution();
    seconds += MPI_Wtime();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm),
               "MPI_Allreduce");
    // The first execution is a warm-up.
    if (i == 1 || (i > 1 && seconds < least)) least = seconds;
    spent += seconds;
  }
  return least;
}

} // namespace hybridfft::fftw3_mpi
