/// Makes plans of transforms and of operators, chooses process grids, and stores and finds both in
/// wisdom.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "local/passes.h"
#include "plan/machine.h"
#include "plan/plan.h"
#include "plan/problem.h"
#include "profile/trace.h"

namespace hybridfft::plan {

// Creates a plan from the arguments of a user's call. All ranks agree on the problem first, so
// either every rank gets a plan or every rank throws.

/// A rank's request for a plan. Both functions may throw, because ranks agree on failures after
/// calling them.
struct Request {
  /// Returns the checked problem for a communicator of `ranks` ranks.
  std::function<Problem(int ranks)> problem;
  /// Returns lines for the end of Plan::notes; nullptr: none.
  std::string (*notes)() = nullptr;
  /// Work space for the plan's buffers, passed on all ranks or on none; nullptr: the plan allocates
  /// its own.
  std::shared_ptr<WorkMemory> work = nullptr;
};

/// Returns the plan of the requested problem. If a function of the request throws on any rank, all
/// ranks throw. A pair of layouts equal to slabs is planned as slabs. Collective. Throws Failure on
/// all ranks alike.
std::unique_ptr<Plan> create(MPI_Comm comm, const Request &request);

/// A plan that becomes a part of another plan.
struct PartialPlan {
  std::unique_ptr<Plan> plan;
  profile::Trace *trace = nullptr; ///< trace of the process; the plan is not yet part of it
};

/// Does the same as create(), but does not add the plan to the trace, and the plan allocates its
/// own buffers.
PartialPlan create_part(MPI_Comm user, const Request &request);
/// Adds the plan to the trace, and places its buffers in the work space of the request. Collective.
/// Throws Failure on all ranks alike.
void complete(Plan &plan, profile::Trace *trace, const Request &request);

// Operators in the spectrum: a forward transform, the user's work on all bins, and the backward
// transform, as one Program. Choose operators for filters, derivatives, convolutions and Poisson's
// equation: the plan chooses the distribution of the spectrum, and saves exchanges to the user's
// layout and back.

/// Makes the plan of an operator between two layouts, on all ranks or on none. The request's
/// problem is the forward transform, not checked yet; its `out` and `output` describe the
/// operator's result. Collective. Throws Failure on all ranks alike.
std::unique_ptr<Plan> create_operator(MPI_Comm comm, const Request &request,
                                      const local::PointWork &work);

// Chooses a process grid for pencils, by a rule or by measuring, if the user does not set one.

/// The transforms for which a grid is chosen: they transform all axes, from pencils along the last
/// axis to pencils along the first.
struct PencilProblem {
  Kind kind = Kind::c2c;
  std::size_t real_bytes = sizeof(double);
  std::vector<std::ptrdiff_t> extents; ///< extents of the real array for r2c and c2r
  std::ptrdiff_t howmany = 1;
  Fields fields = Fields::interleaved;
  unsigned flags = 0; ///< flags of hybridfft.h; the planner effort and HFFT_WISDOM_ONLY matter
  int threads = 1;
  double time_limit = -1;
};

/// Returns the two dimensions of the process grid. HFFT_ESTIMATE takes the grid closest to a square
/// among the grids with the fewest idle ranks, with its second dimension within a node if possible.
/// Higher efforts time all grids with the fewest idle ranks. Rank 0's arguments decide. Collective.
/// Throws Failure on all ranks alike.
std::array<int, 2> choose_grid(MPI_Comm comm, const std::function<PencilProblem()> &arguments);

// Keys of wisdom. A key consists of the machine, the library version, the ranks and threads, and
// the problem. Wisdom applies only to an equal key.

/// Returns the key of a plan, or of a process grid for pencils. HFFT_EXCHANGE and HFFT_THREADS=all
/// are part of the key, because results under such a restriction are not valid without it.
std::string wisdom_key(const Problem &problem, const Machine &machine);
std::string wisdom_key(const PencilProblem &problem, const Machine &machine, int ranks);

/// Returns the key under which wisdom stores the faster library for a problem, as measured. The
/// text of the problem is not interpreted. The value of the entry is "by=hybridfft" or "by=fftw",
/// with optional further words.
std::string library_key(const std::string &problem, const Machine &machine, int ranks);

/// Kinds of results stored in wisdom.
enum class KeyOf { transform, grid, library };

/// Checks the text of a key. Returns its kind; no value if it has another version than this
/// library. Throws Failure(HFFT_ERROR_WISDOM) that names the first wrong pair of name and value.
std::optional<KeyOf> check_key(const std::string &key);

// Makes the plan of a problem from wisdom, from the model's estimate, or by timing candidates.

/// Returns the plan of a problem. Wisdom of rank 0 comes first. Without wisdom HFFT_ESTIMATE takes
/// the cheapest choice of the cost model and leaves the arrays unchanged. The other efforts start a
/// search from this choice (search.h): MEASURE among few choices, PATIENT among more, EXHAUSTIVE
/// among all. The cost of a candidate is the time of the slowest rank, and results are stored as
/// wisdom. Timed candidates share one memory of the size of the largest one. Collective. Throws
/// Failure on all ranks alike.
std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm,
                                const Machine &machine);

} // namespace hybridfft::plan
