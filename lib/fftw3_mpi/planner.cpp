#include "fftw3_mpi/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "base/environment.h"
#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"
#include "fftw3_mpi/callers.h"
#include "fftw3_mpi/fallback.h"
#include "fftw3_mpi/handles.h"
#include "fftw3_mpi/library_choice.h"
#include "fftw3_mpi/limited.h"
#include "fftw3_mpi/log.h"
#include "plan/arguments.h"

namespace hybridfft::fftw3_mpi {

namespace {

using plan::Arguments;
using plan::Kind;
using plan::TranspositionArguments;

/// Bits of FFTW's planner flags used by HybridFFT. Other bits affect FFTW only.
constexpr unsigned known_flags =
    FFTW_DESTROY_INPUT | FFTW_UNALIGNED | FFTW_EXHAUSTIVE | FFTW_PRESERVE_INPUT | FFTW_PATIENT |
    FFTW_ESTIMATE | FFTW_WISDOM_ONLY | FFTW_MPI_TRANSPOSED_IN | FFTW_MPI_TRANSPOSED_OUT |
    FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;
constexpr unsigned scrambled_flags = FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT;

/// Returns the flags for HybridFFT. As in FFTW, PRESERVE_INPUT takes precedence over DESTROY_INPUT.
unsigned own_flags(unsigned flags) {
  const unsigned own = flags & known_flags;
  return (flags & FFTW_PRESERVE_INPUT) != 0 ? own & ~unsigned{FFTW_DESTROY_INPUT} : own;
}

/// Returns true if the program's block covers the whole axis. FFTW 3.3 then treats the axis as
/// complete on every rank, and returns local sizes accordingly.
bool one_block(std::ptrdiff_t block, std::ptrdiff_t n, int ranks) {
  return ranks > 1 && block >= n;
}

/// Returns true if some extent is 1. FFTW 3.3 then treats the array as an array of fewer
/// dimensions. It returns wrong results or no plan, and ends the program for a single point.
bool is_flat(const Arguments &a) { return std::count(a.n, a.n + a.rank, 1) != 0; }

/// Returns a reason to use FFTW for a transform; empty if there is none. Same result on all ranks.
std::string why_not(const Arguments &a, MPI_Comm comm) {
  if (!mpi::running()) return "MPI is not running";
  if (!mpi::foreign().empty()) return mpi::foreign();
  if (a.rank < 1) return "no dimension";
  if (a.n == nullptr || a.howmany < 1) return "nothing to transform";
  for (int i = 0; i < a.rank; ++i)
    if (a.n[i] < 1) return "nothing to transform";
  if (a.rank == 1 && (a.kind == Kind::r2c || a.kind == Kind::c2r)) return "1D of real data";
  if (a.rank == 1 && a.n[0] == 1) return "one point";
  if ((a.rank != 1 || a.kind != Kind::c2c) && (a.flags & scrambled_flags) != 0) return "scrambled";
  // With an extent of 1, FFTW 3.3 has other results (see is_flat()). Programs may rely on them.
  if (a.kind == Kind::r2r && (a.kinds == nullptr || is_flat(a))) return "r2r with an extent of 1";
  const bool in = (a.flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out = (a.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  // FFTW has no plan for these problems. The drop-in must return none either.
  if ((a.kind == Kind::r2c && in) || (a.kind == Kind::c2r && out)) return "transposed real data";
  if (a.rank == 1) return "";
  // Extent of axis 0, or of axis 1 if `second`, in the array of complex numbers.
  const auto cut = [&a](bool second) {
    const bool halved = a.kind == Kind::r2c || a.kind == Kind::c2r;
    return second && a.rank == 2 && halved ? a.n[1] / 2 + 1 : a.n[second ? 1 : 0];
  };
  const int ranks = mpi::size(comm);
  if (one_block(a.iblock, cut(in), ranks) || one_block(a.oblock, cut(out), ranks))
    return "all in one block";
  // With unequal blocks FFTW 3.3 has other results than with equal ones. Programs may rely on them.
  if (a.kind == Kind::c2r && in == out && a.iblock != a.oblock) return "c2r of unequal blocks";
  return "";
}

/// Placeholder for a missing array. Ranks without data may pass nullptr, and estimates touch no
/// array.
std::array<std::byte, 2> no_array;

/// Returns the flags with the effort FFTW_ESTIMATE and without FFTW_WISDOM_ONLY.
unsigned estimating(unsigned flags) {
  return (flags & ~(efforts | FFTW_WISDOM_ONLY)) | FFTW_ESTIMATE;
}

/// Returns the effort of the flags of a measured plan.
unsigned effort(unsigned flags) {
  if ((flags & FFTW_EXHAUSTIVE) != 0) return FFTW_EXHAUSTIVE;
  return (flags & FFTW_PATIENT) != 0 ? FFTW_PATIENT : FFTW_MEASURE;
}

/// Makes a plan of HybridFFT with the process's settings.
template <class Real> std::unique_ptr<Accelerated> make_planned(Arguments a, MPI_Comm comm) {
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
  auto made = make_transform(comm, checked);
  made->planned_in = in;
  made->planned_out = out;
  return made;
}

/// Returns make(flags), a plan of HybridFFT. If the program allows wisdom only (FFTW_WISDOM_ONLY),
/// a problem planned before but missing in wisdom gets an estimated plan.
template <class Real, class F>
std::unique_ptr<Accelerated> make_or_recall(unsigned flags, const std::string &problem,
                                            double limit, MPI_Comm comm, const F &make) {
  const std::string inputs = (flags & FFTW_DESTROY_INPUT) != 0 ? ", destroyed" : ", kept";
  const Planning planning{
      problem + inputs + ", " + std::to_string(planned_threads<Real>()) + " threads", flags, limit};
  std::unique_ptr<Accelerated> made;
  try {
    made = make(flags);
  } catch (const Failure &e) {
    if (e.code() != HFFT_ERROR_NO_WISDOM) throw;
    if (!planned_before<Real>(planning, *exchange::acquire(comm))) throw;
  }
  if (!made) made = make(estimating(flags));
  note_planned<Real>(planning);
  return made;
}

/// Plan of the chosen library, and the reason if the library is FFTW.
template <class Real> struct Decision {
  typename Api<Real>::Plan plan = nullptr;
  std::string reason;
};
constexpr const char *by_experience = "as fast, by experience";

/// Functions that make the plan of a problem with either library, for given planner flags.
/// Collective. `ours` throws Failure on all ranks; `fftws` respects the time limit.
template <class Real> struct Makers {
  std::function<std::unique_ptr<Accelerated>(unsigned flags)> ours;
  std::function<typename Api<Real>::Plan(unsigned flags)> fftws;
};

/// Runs `body`, whose failures must be the same on all ranks. If an environment variable caused the
/// failure, all ranks ignore the variable and run `body` again. Other failures are passed to
/// `report`.
template <class Body, class Report>
void run_ignoring_variables(const Body &body, const Report &report) {
  std::set<std::string> ignored;
  for (bool again = true; again;) {
    again = false;
    run_reporting(body, [&](hfft_error code, const char *reason) {
      const std::string variable = variable_of(reason);
      again = !variable.empty() && ignored.insert(variable).second;
      if (again)
        ignore_variable(variable, reason);
      else
        report(code, reason);
    });
  }
}

/// Makes a plan of HybridFFT, or returns the reason of its failure.
template <class Real> Decision<Real> try_ours(unsigned flags, const Makers<Real> &make) {
  Decision<Real> d;
  run_ignoring_variables(
      [&] { d.plan = static_cast<typename Api<Real>::Plan>(add_handle(make.ours(flags))); },
      [&](hfft_error, const char *why) { d.reason = why; });
  // HybridFFT's planning removed FFTW's time limit.
  if (const double limit = settings<Real>().time_limit; limit >= 0)
    Fftw<Real>::set_timelimit(limit);
  return d;
}

/// Returns a plan of HybridFFT, or of FFTW if there is a reason.
template <class Real>
Decision<Real> ours_or_fftws(std::string reason, unsigned flags, const Makers<Real> &make) {
  Decision<Real> d{nullptr, std::move(reason)};
  if (d.reason.empty()) d = try_ours(flags, make);
  if (d.plan == nullptr) d.plan = make.fftws(flags);
  return d;
}

/// Returns a plan from the wisdom of either library, or none if neither has wisdom. It does not
/// write to the arrays, which may hold data. If only FFTW has wisdom, FFTW's plan is taken where
/// FFTW is preferred without measurement; otherwise HybridFFT's estimate. Collective.
template <class Real>
Decision<Real> saved_plan(unsigned flags, bool prefers_fftw, MPI_Comm comm,
                          const Makers<Real> &make) {
  if (Decision<Real> d = try_ours(flags | FFTW_WISDOM_ONLY, make); d.plan != nullptr) return d;
  const auto theirs = make.fftws(flags | FFTW_WISDOM_ONLY);
  if (theirs == nullptr) return {};
  if (prefers_fftw) {
    count_fallback(theirs, comm);
    return {theirs, by_experience};
  }
  Decision<Real> d = try_ours(estimating(flags), make);
  if (d.plan == nullptr)
    d.plan = theirs;
  else
    Fftw<Real>::destroy(theirs);
  return d;
}

/// Measures both libraries on the planned arrays, and replaces `ours` by FFTW's plan if FFTW is
/// faster. Returns the time of the chosen plan in s, or 0 if FFTW has no plan. Collective.
template <class Real>
double choose_faster(Decision<Real> &ours, unsigned flags, MPI_Comm comm,
                     const Makers<Real> &make) {
  const auto theirs = make.fftws(flags);
  if (theirs == nullptr) return 0;
  double of_ours = 0;
  double of_theirs = 0;
  run_reporting(
      [&] {
        of_ours = seconds_of(comm, [&] { execute_ours(ours.plan); });
        of_theirs = seconds_of(comm, [&] { Fftw<Real>::execute(theirs); });
      },
      [](hfft_error, const char *) {});
  if (Accelerated *plan = plan_of(ours.plan)) plan->seconds = of_ours;
  if (of_theirs < of_ours) {
    destroy_ours(ours.plan);
    ours = {theirs, "faster here"};
    count_fallback(theirs, comm);
  } else {
    Fftw<Real>::destroy(theirs);
  }
  return std::min(of_ours, of_theirs);
}

/// Conditions of a measured choice.
struct Measuring {
  bool timed = false;        ///< true if FFTW is allowed and may be faster
  bool prefers_fftw = false; ///< true if FFTW is preferred without measurement
};

/// Returns a measured plan, from wisdom if available. Otherwise both libraries are timed if
/// allowed, and wisdom stores the choice. Collective.
template <class Real>
Decision<Real> measured(const std::string &problem, const Measuring &how, unsigned flags,
                        MPI_Comm comm, const Makers<Real> &make) {
  std::unique_ptr<LibraryChoice> choice;
  const auto ignore = [](hfft_error, const char *) {};
  const auto recall_choice = [&] {
    choice = std::make_unique<LibraryChoice>(exchange::acquire(comm), problem,
                                             planned_threads<Real>(), effort(flags));
  };
  if (how.timed) run_ignoring_variables(recall_choice, ignore);
  if (choice && choice->fftws()) {
    // FFTW may fail to find its own wisdom again.
    Decision<Real> d = ours_or_fftws("faster here, by wisdom", flags, make);
    if (d.plan != nullptr) {
      count_fallback(d.plan, comm);
      return d;
    }
  }
  const bool only_wisdom = (flags & FFTW_WISDOM_ONLY) != 0;
  const bool ours_is_faster = choice && choice->known();
  if (!only_wisdom)
    if (Decision<Real> d = saved_plan(flags, how.prefers_fftw && !ours_is_faster, comm, make);
        d.plan != nullptr)
      return d;
  Decision<Real> d = ours_or_fftws("", flags, make);
  if (!d.reason.empty() || only_wisdom || !choice || ours_is_faster) return d;
  const double seconds = choose_faster(d, flags, comm, make);
  if (seconds > 0)
    run_ignoring_variables([&] { choice->remember(!is_ours(d.plan), seconds); }, ignore);
  return d;
}

/// Decision of all ranks about FFTW's plan for a problem. Environments, numbers of threads and time
/// limits may differ between ranks, but all ranks must choose the same library.
struct FftwAnswer {
  bool fallback = false;  ///< true if FFTW's plan is allowed
  bool preferred = false; ///< true if FFTW's plan replaces an estimate of HybridFFT
};

/// Combines the decisions of all ranks in one reduction, unless `reason` is set already. Sets
/// `reason` if calls with plans would bypass the drop-in. Collective.
/// \param fallback function of the communicator; true if this rank allows FFTW's plan
/// \param prefers function; true if this rank prefers FFTW's plan; called only if this rank allows
/// it
template <class Real, class F, class G>
FftwAnswer query(std::string &reason, MPI_Comm comm, const F &fallback, const G &prefers) {
  std::array<std::int64_t, 2> denied{1, 1};
  const auto ask_ranks = [&] {
    const auto owned = exchange::acquire(comm);
    const auto answer = [&] {
      require_reach<Real>();
      const bool falls_back = fallback(*owned);
      denied = {falls_back ? 0 : 1, falls_back && prefers() ? 0 : 1};
    };
    mpi::all_or_none(owned->get(), answer, denied);
  };
  if (reason.empty())
    run_reporting(ask_ranks, [&](hfft_error, const char *why) {
      denied = {1, 1};
      reason = why;
    });
  return {denied[0] == 0, denied[1] == 0};
}

template <class Real>
typename Api<Real>::Plan logged(const Decision<Real> &d, const std::string &text, MPI_Comm comm,
                                double begin) {
  if (d.plan != nullptr && !is_ours(d.plan)) remember_fallback(d.plan);
  warn_of_environment(comm);
  if (!logging()) return d.plan;
  const std::string who = d.reason.empty() ? ": hybridfft" : ": FFTW-MPI (" + d.reason + ")";
  const std::string took = d.plan == nullptr
                               ? ", no plan"
                               : ", planned in " + std::to_string(MPI_Wtime() - begin) + " s";
  log_line(comm, text + who + took);
  log_plan(d.plan, comm, text + who);
  return d.plan;
}

/// Returns the number of rows of the matrix that defines FFTW's scrambled order of a 1D transform
/// of n points; 0 if FFTW 3.3 has no such order. Both libraries store X[k0 + rows k1] at column k1
/// of row k0, so their plans can follow each other. FFTW takes as many rows as ranks if this number
/// divides n into long rows; otherwise it takes the divisor next to sqrt(n). The inverse of a plan
/// has the same rows.
std::ptrdiff_t scrambled_rows(const Arguments &a, std::ptrdiff_t ranks) {
  const std::ptrdiff_t n = a.n[0];
  std::ptrdiff_t columns = n / ranks;
  if (n % ranks != 0 || columns < ranks) {
    columns = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(n)));
    while (n % columns != 0)
      ++columns;
  }
  if (columns == 1 || columns == n || (a.flags & scrambled_flags) == scrambled_flags) return 0;
  const bool inverse = a.sign != FFTW_FORWARD;
  const bool spectrum_first = (a.flags & FFTW_MPI_SCRAMBLED_IN) != 0;
  return inverse == spectrum_first ? n / columns : columns;
}

bool is_prime(std::ptrdiff_t n) {
  for (std::ptrdiff_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

} // namespace

void set_real_line_blocks(Arguments &a, MPI_Comm comm) {
  if (!mpi::running() || a.n == nullptr) return; // plan_transform() reports these cases
  const std::ptrdiff_t n = a.n[0];
  if (is_prime(n)) {
    a.iblock = a.oblock = n;
    return;
  }
  const std::ptrdiff_t ranks = mpi::size(comm);
  for (std::ptrdiff_t *block : {&a.iblock, &a.oblock})
    if (*block == 0) *block = (n + ranks - 1) / ranks;
}

std::string set_line_blocks(Arguments &a, MPI_Comm comm, const LineLocalSize &local_size) {
  if (!mpi::running() || !mpi::foreign().empty() || a.n == nullptr || a.n[0] < 2 || a.howmany < 1)
    return ""; // plan_transform() reports these cases
  if (a.iblock != 0 || a.oblock != 0) return "1D with blocks";
  std::array<std::ptrdiff_t, 2> counts{};
  std::array<std::ptrdiff_t, 2> starts{};
  local_size(&counts[0], &starts[0], &counts[1], &starts[1]);
  // Largest and smallest block size, for input and output, over all ranks that have points. The
  // smallest is negated, so that one maximum reduces both.
  std::array<std::int64_t, 4> blocks{};
  std::string reason;
  const auto reduce = [&] {
    const auto owned = exchange::acquire(comm);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t block = counts[i] == 0       ? 0
                                 : owned->rank() == 0 ? counts[i]
                                                      : starts[i] / owned->rank();
      blocks[2 * i] = block;
      blocks[2 * i + 1] = counts[i] == 0 ? -std::numeric_limits<std::int64_t>::max() : -block;
    }
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, blocks.data(), 4, MPI_INT64_T, MPI_MAX, owned->get()),
               "MPI_Allreduce");
  };
  run_reporting(reduce, [&](hfft_error, const char *why) { reason = why; });
  if (!reason.empty()) return reason;
  a.iblock = blocks[0];
  a.oblock = blocks[2];
  const bool regular = blocks[0] == -blocks[1] && blocks[2] == -blocks[3];
  if ((a.flags & scrambled_flags) != 0) {
    const std::ptrdiff_t ranks = mpi::size(comm);
    a.line_rows = scrambled_rows(a, ranks);
    const std::ptrdiff_t rows = a.line_rows;
    const bool known = rows > 0 && a.iblock == a.oblock &&
                       a.iblock == (rows + ranks - 1) / ranks * (a.n[0] / rows);
    return regular && known ? "" : "scrambled in another order";
  }
  return regular && plan::shape_of_line(a.n[0], a.iblock, a.oblock)
             ? ""
             : "1D in blocks without common rows";
}

template <class Real>
typename Api<Real>::Plan plan_transform(Arguments a, MPI_Comm comm, const Original<Real> &original,
                                        std::string reason) {
  a.real_bytes = sizeof(Real);
  const double begin = MPI_Wtime();
  const double limit = agreed_time_limit<Real>(a.flags, comm);
  const bool estimate = (a.flags & FFTW_ESTIMATE) != 0;
  const bool only_wisdom = (a.flags & FFTW_WISDOM_ONLY) != 0;
  if (reason.empty()) reason = why_not(a, comm);
  const bool only_ours = reason.empty() && is_flat(a);
  const bool more_threads = planned_threads<Real>() > Fftw<Real>::planner_nthreads();
  const auto [fallback, preferred] = query<Real>(
      reason, comm,
      [&](const exchange::Communicator &own) {
        return !only_ours && (estimate || limit < 0) && may_fall_back(own);
      },
      [&] { return !only_wisdom && !more_threads && prefer_fftw(a, comm); });
  const std::string text = problem_text(a, comm);
  const auto planned = [&](unsigned flags) {
    Arguments own = a;
    own.flags = flags;
    return make_planned<Real>(own, comm);
  };
  const auto ours = [&](unsigned flags) {
    return make_or_recall<Real>(own_flags(flags), text, limit, comm, planned);
  };
  const auto fftws = [&](unsigned flags) {
    return only_ours && reason.empty() ? nullptr : plan_within<Real>(limit, flags, comm, original);
  };
  const Makers<Real> make{ours, fftws};
  Decision<Real> d;
  if (!estimate && reason.empty()) {
    d = measured(text, {fallback && is_open(a), preferred}, a.flags, comm, make);
  } else {
    const bool by_rule = reason.empty() && preferred;
    d = ours_or_fftws(by_rule ? by_experience : reason, a.flags, make);
    if (by_rule && d.plan != nullptr) count_fallback(d.plan, comm);
  }
  return logged<Real>(d, text, comm, begin);
}

template <class Real>
typename Api<Real>::Plan plan_transposition(TranspositionArguments a, unsigned flags, MPI_Comm comm,
                                            const Original<Real> &original) {
  const double begin = MPI_Wtime();
  const double limit = agreed_time_limit<Real>(flags, comm);
  std::string reason;
  if (a.n0 < 1 || a.n1 < 1 || a.howmany < 1) reason = "nothing to transpose";
  if (a.n0 == 1 || a.n1 == 1) reason = "an extent of 1";
  if (!mpi::running())
    reason = "MPI is not running";
  else if (!mpi::foreign().empty())
    reason = mpi::foreign();
  a.real_bytes = sizeof(Real);
  a.flags = flags;
  const bool fallback =
      query<Real>(
          reason, comm,
          [&](const exchange::Communicator &own) { return limit < 0 && may_fall_back(own); },
          [] { return false; })
          .fallback;
  const auto planned = [&](unsigned with) {
    auto made = make_transposition(comm, [&] {
      TranspositionArguments own = a;
      own.threads = planned_threads<Real>();
      own.time_limit = settings<Real>().time_limit;
      own.flags = with;
      if (!room_for_handle()) throw Failure(HFFT_ERROR_OUT_OF_MEMORY, "too many plans");
      return own;
    });
    made->planned_in = a.in;
    made->planned_out = a.out;
    return made;
  };
  const std::string text = problem_text(a, comm);
  const auto ours = [&](unsigned with) {
    return make_or_recall<Real>(own_flags(with), text, limit, comm, planned);
  };
  const auto fftws = [&](unsigned with) { return plan_within<Real>(limit, with, comm, original); };
  const Makers<Real> make{ours, fftws};
  const Decision<Real> d = reason.empty() && (flags & FFTW_ESTIMATE) == 0
                               ? measured(text, {fallback, false}, flags, comm, make)
                               : ours_or_fftws(reason, flags, make);
  return logged<Real>(d, text, comm, begin);
}

#define HFFT_DEFINE_PLANNERS(R)                                                                    \
  template Api<R>::Plan plan_transform<R>(Arguments, MPI_Comm, const Original<R> &, std::string);  \
  template Api<R>::Plan plan_transposition<R>(TranspositionArguments, unsigned, MPI_Comm,          \
                                              const Original<R> &);
HFFT_DEFINE_PLANNERS(double)
HFFT_DEFINE_PLANNERS(float)

} // namespace hybridfft::fftw3_mpi
