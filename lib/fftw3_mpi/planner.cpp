#include "fftw3_mpi/planner.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "fftw3_mpi/handles.h"
#include "fftw3_mpi/log.h"
#include "fftw3_mpi/settings.h"
#include "fftw3_mpi/spectral.h"
#include "fftw3_mpi/words.h"

namespace hybridfft::fftw3_mpi {

namespace {

using plan::Arguments;
using plan::Kind;

/// Bits of FFTW's planner that mean something to ours; others tune FFTW.
constexpr unsigned known_flags =
    FFTW_DESTROY_INPUT | FFTW_UNALIGNED | FFTW_EXHAUSTIVE | FFTW_PRESERVE_INPUT | FFTW_PATIENT |
    FFTW_ESTIMATE | FFTW_WISDOM_ONLY | FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT;

/// FFTW lets PRESERVE_INPUT win, and destroys the input of c2r unless told.
unsigned own_flags(unsigned flags, bool destroys) {
  unsigned own = flags & known_flags;
  if ((flags & FFTW_PRESERVE_INPUT) != 0) return own & ~unsigned{FFTW_DESTROY_INPUT};
  return destroys ? own | FFTW_DESTROY_INPUT : own;
}

/// FFTW 3.3 takes an axis that a block of the user's covers for one that every rank has whole, and
/// tells local sizes accordingly.
bool one_block(std::ptrdiff_t block, std::ptrdiff_t n, int ranks) {
  return ranks > 1 && block >= n;
}

/// Why a transform is FFTW's, by what is the same on all ranks; empty: it is not.
std::string why_not(const Arguments &a, MPI_Comm comm) {
  if (!mpi::running()) return "MPI is not running";
  if (a.rank < 2) return "1D";
  if (a.n == nullptr || a.howmany < 1) return "nothing to transform";
  for (int i = 0; i < a.rank; ++i)
    if (a.n[i] < 1) return "nothing to transform";
  if ((a.flags & (FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT)) != 0) return "scrambled";
  const bool in = (a.flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out = (a.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  // FFTW has no plan for these, so neither has the drop-in.
  if ((a.kind == Kind::r2c && in) || (a.kind == Kind::c2r && out)) return "transposed real data";
  // Nor for some shapes with an extent of 1, for others it has.
  if (std::count(a.n, a.n + a.rank, 1) != 0) return "an extent of 1";
  // Of the array of complex numbers.
  const auto cut = [&a](bool second) {
    return second && a.rank == 2 && a.kind != Kind::c2c ? a.n[1] / 2 + 1 : a.n[second ? 1 : 0];
  };
  const int ranks = mpi::size(comm);
  if (one_block(a.iblock, cut(in), ranks) || one_block(a.oblock, cut(out), ranks))
    return "all in one block";
  // FFTW 3.3 gives other results than with equal blocks, which programs may have got used to.
  if (a.kind == Kind::c2r && in == out && a.iblock != a.oblock) return "c2r of unequal blocks";
  return "";
}

/// Arrays that the program leaves out where it has no data, or where it plans without touching any.
std::array<std::byte, 2> no_array;

/// The problems that have been planned with ESTIMATE, which FFTW counts as wisdom.
struct Estimates {
  std::mutex mutex;
  std::set<std::string> problems;
};
template <class Real> Estimates &estimates() {
  static Estimates instance;
  return instance;
}

template <class Real> bool has_been_estimated(const std::string &problem, MPI_Comm comm) {
  int known = 0;
  {
    const std::lock_guard lock(estimates<Real>().mutex);
    known = estimates<Real>().problems.count(problem) != 0 ? 1 : 0;
  }
  const auto owned = exchange::acquire(comm);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, owned->get()),
             "MPI_Allreduce");
  return known != 0;
}

template <class Real> void remember_estimate(const std::string &problem) {
  const std::lock_guard lock(estimates<Real>().mutex);
  estimates<Real>().problems.insert(problem);
}

/// FFTW's own limit again, which our planning lifts.
template <class Real> void restore_time_limit() {
  const double limit = settings<Real>().time_limit;
  if (limit >= 0) Fftw<Real>::set_timelimit(limit);
}

template <class Real> std::unique_ptr<Accelerated> make_transform(Arguments a, MPI_Comm comm) {
  void *const in = a.in;
  void *const out = a.out;
  const auto checked = [&] {
    a.threads = planned_threads<Real>();
    a.time_limit = settings<Real>().time_limit;
    if (a.in == nullptr && a.out == nullptr && (a.flags & FFTW_ESTIMATE) != 0)
      a.in = a.out = no_array.data();
    if (!room_for_handle()) throw Failure(HFFT_ERROR_OUT_OF_MEMORY, "too many plans");
    return a;
  };
  auto made = make_spectral<Real>(comm, checked);
  made->planned_in = in;
  made->planned_out = out;
  return made;
}

template <class Real>
std::unique_ptr<Accelerated> make_or_recall(Arguments a, MPI_Comm comm, const std::string &words) {
  const bool estimate = (a.flags & FFTW_ESTIMATE) != 0;
  try {
    auto made = make_transform<Real>(a, comm);
    if (estimate) remember_estimate<Real>(words);
    return made;
  } catch (const Failure &e) {
    if (e.code() != HFFT_ERROR_NO_WISDOM || !estimate || !has_been_estimated<Real>(words, comm))
      throw;
  }
  a.flags &= ~unsigned{FFTW_WISDOM_ONLY};
  return make_transform<Real>(a, comm);
}

/// Tries ours, then FFTW. `make` throws Failure on all ranks alike.
template <class Real, class Make>
typename Api<Real>::Plan ours_or_original(const std::string &words, std::string reason,
                                          MPI_Comm comm, const Make &make,
                                          const Original<Real> &original) {
  using Plan = typename Api<Real>::Plan;
  const double begin = MPI_Wtime();
  Plan plan = nullptr;
  if (reason.empty())
    run_reporting([&] { plan = static_cast<Plan>(add_handle(make())); },
                  [&](hfft_error, const char *why) { reason = why; });
  restore_time_limit<Real>();
  if (plan == nullptr) plan = original();
  if (logging()) {
    const std::string who = reason.empty() ? ": hybridfft" : ": FFTW-MPI (" + reason + ")";
    const std::string took = plan == nullptr
                                 ? ", no plan"
                                 : ", planned in " + std::to_string(MPI_Wtime() - begin) + " s";
    log_line(comm, words + who + took);
    log_plan(plan, comm, words + who);
  }
  return plan;
}

} // namespace

template <class Real>
typename Api<Real>::Plan plan_transform(Arguments a, MPI_Comm comm,
                                        const Original<Real> &original) {
  const std::string reason = why_not(a, comm);
  const std::string words = problem_words(a, sizeof(Real), comm);
  a.flags = own_flags(a.flags, a.kind == Kind::c2r);
  return ours_or_original<Real>(
      words, reason, comm, [&] { return make_or_recall<Real>(a, comm, words); }, original);
}

template <class Real>
typename Api<Real>::Plan plan_transposition(TranspositionArguments a, unsigned flags, MPI_Comm comm,
                                            const Original<Real> &original) {
  std::string reason;
  if ((flags & (FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT)) != 0) reason = "transposed";
  if ((flags & FFTW_WISDOM_ONLY) != 0) reason = "wisdom only";
  if (a.n0 < 1 || a.n1 < 1 || a.howmany < 1) reason = "nothing to transpose";
  if (a.n0 == 1 || a.n1 == 1) reason = "an extent of 1";
  if (!mpi::running())
    reason = "MPI is not running";
  else if (const int ranks = mpi::size(comm);
           one_block(a.block0, a.n0, ranks) || one_block(a.block1, a.n1, ranks))
    reason = "all in one block";
  a.real_bytes = sizeof(Real);
  const auto make = [&] {
    auto made = make_transposition(comm, [&] {
      a.threads = planned_threads<Real>();
      a.measure = (flags & FFTW_ESTIMATE) == 0;
      if (!room_for_handle()) throw Failure(HFFT_ERROR_OUT_OF_MEMORY, "too many plans");
      return a;
    });
    made->planned_in = a.in;
    made->planned_out = a.out;
    return made;
  };
  return ours_or_original<Real>(problem_words(a, comm), reason, comm, make, original);
}

template <class Real>
typename Api<Real>::Plan plan_as_fftw(const char *what, MPI_Comm comm,
                                      const Original<Real> &original) {
  const auto none = []() -> std::unique_ptr<Accelerated> { return nullptr; };
  return ours_or_original<Real>(std::string(what) + precision_word(sizeof(Real)), "not accelerated",
                                comm, none, original);
}

template <class Real> void forget_estimates() {
  const std::lock_guard lock(estimates<Real>().mutex);
  estimates<Real>().problems.clear();
}

#define HFFT_DEFINE_PLANNERS(R)                                                                    \
  template Api<R>::Plan plan_transform<R>(Arguments, MPI_Comm, const Original<R> &);               \
  template Api<R>::Plan plan_transposition<R>(TranspositionArguments, unsigned, MPI_Comm,          \
                                              const Original<R> &);                                \
  template Api<R>::Plan plan_as_fftw<R>(const char *, MPI_Comm, const Original<R> &);              \
  template void forget_estimates<R>();
HFFT_DEFINE_PLANNERS(double)
HFFT_DEFINE_PLANNERS(float)

} // namespace hybridfft::fftw3_mpi
