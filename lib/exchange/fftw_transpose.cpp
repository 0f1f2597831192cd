/// Global transposition planned by FFTW-MPI (fftw_mpi_plan_many_transpose), in builds with
/// FFTW-MPI. It is the reference for comparisons with FFTW.
#include "exchange/algorithms.h"
#include "hybridfft/mpi_kind.h"

#if HFFT_FFTW_MPI
#include <fftw3-mpi.h>
#endif

#include <algorithm>
#include <array>
#include <climits>
#include <limits>

#include "base/error.h"
#include "base/fftw.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

namespace {

#if HFFT_FFTW_MPI

template <class Real> struct FftwMpi;

#define HFFT_FFTW_MPI_BINDING(R, X)                                                                \
  template <> struct FftwMpi<R> {                                                                  \
    inline static const auto init = HFFT_FFTW_ORIGINAL(X(mpi_init), X(mpi_local_size_guru));       \
    inline static const auto plan_transpose =                                                      \
        HFFT_FFTW_ORIGINAL(X(mpi_plan_many_transpose), X(mpi_local_size_guru));                    \
    inline static const auto execute =                                                             \
        HFFT_FFTW_ORIGINAL(X(mpi_execute_r2r), X(mpi_local_size_guru));                            \
  };
HFFT_FFTW_MPI_BINDING(double, HFFT_FFTW_DOUBLE)
HFFT_FFTW_MPI_BINDING(float, HFFT_FFTW_FLOAT)
#undef HFFT_FFTW_MPI_BINDING

/// Maximum number of FFTW's plans per communicator: FFTW keeps at least one duplicate of the
/// communicator for each.
constexpr int max_fftw_plans = 32;

template <class Real> class FftwTranspose final : public Exchange {
  using F = FftwMpi<Real>;

public:
  /// Makes a plan. Collective. Throws Failure on all ranks alike.
  static std::unique_ptr<Exchange> make(const Transposition &t,
                                        const std::shared_ptr<Communicator> &comm,
                                        const ExchangeOptions &options) {
    std::unique_ptr<FftwTranspose> made;
    // Planning is collective, so no rank may start it unless all ranks have memory.
    mpi::all_or_none(comm->get(), [&] { made.reset(new FftwTranspose(t, comm)); });
    made->plan(t, options);
    return made;
  }

  ~FftwTranspose() override {
    --comm_->fftw_duplicates;
    const std::lock_guard lock(fftw_planner_mutex());
    if (plan_ != nullptr && mpi::running()) Fftw<Real>::destroy(plan_);
  }

  void execute(std::byte *send, std::byte *receive) override {
    F::execute(plan_, reinterpret_cast<Real *>(send), reinterpret_cast<Real *>(receive));
  }

  std::string describe() const override { return "fftw"; }

private:
  FftwTranspose(const Transposition &t, std::shared_ptr<Communicator> comm)
      : Exchange(SplitRows::tight(t.rows.count(comm->rank()), t.columns.n(), t.vec),
                 SplitRows::tight(t.columns.count(comm->rank()), t.rows.n(), t.vec)),
        comm_(std::move(comm)) {
    ++comm_->fftw_duplicates;
  }

  void plan(const Transposition &t, const ExchangeOptions &options) {
    const std::array<std::ptrdiff_t, 2> n{t.rows.n(), t.columns.n()};
    const std::ptrdiff_t reals = 2 * t.vec;
    const FftwTimeLimit unlimited(std::numeric_limits<double>::infinity());
    const FftwPlannerScope<Real> scope(1);
    F::init();
    // FFTW plans by estimates, for two reasons. Measuring under a time limit could leave ranks
    // waiting for each other, because each reads its own clock; estimates ignore limits, and the
    // planner times the exchange itself. And estimates touch no array, so two different addresses
    // are enough here.
    static std::array<Real, 2> arrays;
    const unsigned input = options.keep_send ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT;
    plan_ = F::plan_transpose(n[0], n[1], reals, t.rows.block(), t.columns.block(), &arrays[0],
                              &arrays[1], comm_->get(), FFTW_ESTIMATE | FFTW_UNALIGNED | input);
    // FFTW makes the plan on all ranks or on none.
    if (plan_ == nullptr)
      mpi::fail(HFFT_ERROR_FFTW, [] { return "FFTW returned no plan for a global transposition"; });
  }

  std::shared_ptr<Communicator> comm_;
  typename Fftw<Real>::Plan plan_ = nullptr;
};

/// Makes the exchange. Returns nullptr if rows or columns are on one rank only, if a rank has more
/// numbers than an int can count, or if threads may plan at the same time (MPI_THREAD_MULTIPLE).
/// Also returns nullptr, unless the algorithm is forced, when FFTW holds many duplicates of the
/// communicator: each plan takes one, and MPI libraries have few.
std::unique_ptr<Exchange> make_fftw_transpose(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options) {
  // FFTW has one planner per process. A thread in it would wait for other ranks, while on another
  // rank a different thread may hold the planner: a deadlock.
  if (comm->threaded()) return nullptr;
  // FFTW takes a dimension of a single block as complete on every rank, and writes beyond the
  // arrays of empty ranks.
  if (t.rows.working_parts() < 2 || t.columns.working_parts() < 2) return nullptr;
  // FFTW counts the numbers of a rank in ints.
  const std::ptrdiff_t most =
      std::max(t.rows.count(0) * t.columns.n(), t.columns.count(0) * t.rows.n());
  if (2 * t.vec * most > INT_MAX) return nullptr;
  if (!options.forced && comm->fftw_duplicates >= max_fftw_plans) return nullptr;
  if (t.real_bytes == sizeof(float)) return FftwTranspose<float>::make(t, comm, options);
  return FftwTranspose<double>::make(t, comm, options);
}

#else

std::unique_ptr<Exchange> make_fftw_transpose(const Transposition &,
                                              const std::shared_ptr<Communicator> &,
                                              const ExchangeOptions &) {
  return nullptr;
}

#endif

} // namespace

namespace table {
Algorithm fftw() {
  return {.name = "fftw",
          .make = make_fftw_transpose,
          .cost = {4.5, 1, 0},
          .seldom_best = true,
          .fftw = true};
}
} // namespace table

} // namespace hybridfft::exchange
