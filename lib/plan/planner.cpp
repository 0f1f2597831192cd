#include "plan/planner.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::plan {

namespace {

std::ptrdiff_t cache_bytes(int level, std::ptrdiff_t otherwise) {
  const long bytes = sysconf(level);
  return bytes > 0 ? bytes : otherwise;
}

/// What decides on candidates besides the problem: that of rank 0, so that all ranks decide alike.
struct Machine {
  /// Leaves room for FFTW's twiddles in the first-level cache.
  std::int64_t small_tile = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10) * 2 / 3;
  /// A good part of the second-level cache.
  std::int64_t large_tile = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20) / 4;
  std::int64_t threads = 1;
};

template <class Real> class Planner {
public:
  Planner(const Problem &problem, const std::shared_ptr<exchange::Communicator> &comm, void *in,
          void *out)
      : problem_(problem), comm_(comm), in_(in), out_(out) {
    mpi::all_or_none(comm->get(), [this] { forced_ = exchange::forced_algorithm(); });
    for (const exchange::Algorithm &a : exchange::algorithms())
      if (forced_ == nullptr || &a == forced_) algorithms_.push_back(&a);
    machine_.threads = problem.threads;
    mpi::check(MPI_Bcast(&machine_, sizeof(Machine), MPI_BYTE, 0, comm->get()), "MPI_Bcast");
  }

  std::unique_ptr<Plan<Real>> run() {
    std::unique_ptr<Plan<Real>> plan = search();
    if (!plan && forced_ != nullptr) {
      // The algorithm that the user asked for does not apply here: any other.
      algorithms_.clear();
      for (const exchange::Algorithm &a : exchange::algorithms())
        algorithms_.push_back(&a);
      plan = search();
    }
    if (!plan) throw Failure(HFFT_ERROR_UNSUPPORTED, "no algorithm applies to this problem");
    return plan;
  }

private:
  std::unique_ptr<Plan<Real>> search() {
    if (problem_.effort == FFTW_ESTIMATE) {
      std::unique_ptr<Plan<Real>> plan;
      for (std::size_t i = 0; i < algorithms_.size() && !plan; ++i) {
        Choice c = default_choice();
        c.algorithm = algorithms_[i];
        plan = make(c);
      }
      return plan;
    }
    clear_arrays();
    if (problem_.effort == FFTW_MEASURE)
      improve_one_by_one();
    else
      try_all();
    return std::move(best_);
  }

  Choice default_choice() const {
    Choice c;
    c.planes_last = problem_.kind == Kind::c2r;
    c.algorithm = algorithms_.front();
    c.tile_bytes = machine_.small_tile;
    // The first rank has the most planes.
    const auto n = problem_.complex_extents();
    const std::ptrdiff_t planes =
        BlockDistribution(n[problem_.transposed_in ? 1 : 0], comm_->size(), problem_.iblock)
            .count(0);
    c.split_planes = problem_.extents.size() > 2 && planes < machine_.threads;
    return c;
  }

  /// Each property of the choice in turn, the others as they are best so far.
  void improve_one_by_one() {
    consider(default_choice());
    for (const exchange::Algorithm *a : algorithms_)
      vary([a](Choice &c) { c.algorithm = a; });
    vary([](Choice &c) { c.order = local::TileOrder::lines; });
    vary([this](Choice &c) { c.tile_bytes = machine_.large_tile; });
    vary([](Choice &c) { c.split_planes = !c.split_planes; });
    vary([](Choice &c) { c.planes_last = !c.planes_last; });
    vary([](Choice &c) { c.whole = true; });
  }

  void try_all() {
    consider(default_choice());
    for (const exchange::Algorithm *a : algorithms_)
      for (const auto order : {local::TileOrder::interleaved, local::TileOrder::lines})
        for (const std::ptrdiff_t tile : {machine_.small_tile, machine_.large_tile})
          for (const int form : {0, 1, 2, 3})
            consider(candidate(a, order, tile, form));
    vary([](Choice &c) { c.whole = true; });
  }

  static Choice candidate(const exchange::Algorithm *algorithm, local::TileOrder order,
                          std::ptrdiff_t tile_bytes, int form) {
    Choice c;
    c.planes_last = (form & 1) != 0;
    c.split_planes = (form & 2) != 0;
    c.algorithm = algorithm;
    c.order = order;
    c.tile_bytes = tile_bytes;
    return c;
  }

  void vary(const std::function<void(Choice &)> &change) {
    Choice c = best_ ? best_choice_ : default_choice();
    change(c);
    consider(c);
  }

  bool tried(const Choice &c) const {
    return std::any_of(tried_.begin(), tried_.end(), [&](const Choice &t) {
      return t.whole == c.whole && t.planes_last == c.planes_last &&
             t.split_planes == c.split_planes && t.order == c.order &&
             t.tile_bytes == c.tile_bytes && (t.algorithm == c.algorithm || comm_->size() == 1);
    });
  }

  void consider(const Choice &c) {
    if (!admits(problem_, comm_->size(), c) || tried(c)) return;
    tried_.push_back(c);
    std::unique_ptr<Plan<Real>> plan = make_candidate(c);
    if (!plan) return;
    const double cost = time(*plan);
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    best_choice_ = c;
    best_ = std::move(plan);
  }

  std::unique_ptr<Plan<Real>> make(const Choice &c) const {
    return Plan<Real>::make(problem_, comm_, c, forced_ != nullptr);
  }

  /// nullptr also where FFTW has no plan for a candidate: others remain.
  std::unique_ptr<Plan<Real>> make_candidate(const Choice &c) const {
    try {
      return make(c);
    } catch (const Failure &e) {
      if (e.code() != HFFT_ERROR_FFTW) throw;
      return nullptr;
    }
  }

  /// The best of a few executions of the slowest rank; one that is hopeless is not repeated.
  double time(Plan<Real> &plan) const {
    double best = std::numeric_limits<double>::infinity();
    run_once(plan);
    const int most = problem_.effort == FFTW_MEASURE ? 3 : 6;
    double spent = 0;
    for (int i = 0; i < most && (i == 0 || spent < 1.0); ++i) {
      const double t = run_once(plan);
      best = std::min(best, t);
      spent += t;
      if (best > 2 * best_cost_) break;
    }
    return best;
  }

  /// Seconds of the slowest rank, the same number on all ranks.
  double run_once(Plan<Real> &plan) const {
    mpi::check(MPI_Barrier(comm_->get()), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    mpi::all_or_none(comm_->get(), [&] { plan.execute(in_, out_); });
    seconds += MPI_Wtime();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm_->get()),
               "MPI_Allreduce");
    return seconds;
  }

  /// NaN and denormal numbers in the arrays would spoil the timing.
  void clear_arrays() const {
    const auto n = problem_.complex_extents();
    const auto clear = [&](void *array, bool transposed, std::ptrdiff_t block) {
      const Layout l = Layout::slab(n, comm_->size(), {transposed, block, problem_.howmany, 0});
      std::memset(array, 0,
                  static_cast<std::size_t>(l.local_size(comm_->rank())) * 2 * sizeof(Real));
    };
    clear(in_, problem_.transposed_in, problem_.iblock);
    clear(out_, problem_.transposed_out, problem_.oblock);
  }

  const Problem &problem_;
  std::shared_ptr<exchange::Communicator> comm_;
  void *in_;
  void *out_;
  const exchange::Algorithm *forced_ = nullptr;
  std::vector<const exchange::Algorithm *> algorithms_;
  Machine machine_;
  std::vector<Choice> tried_;
  std::unique_ptr<Plan<Real>> best_;
  Choice best_choice_;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

} // namespace

template <class Real>
std::unique_ptr<Plan<Real>> make_plan(const Problem &problem,
                                      const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                      void *out) {
  return Planner<Real>(problem, comm, in, out).run();
}

template std::unique_ptr<Plan<float>>
make_plan<float>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);
template std::unique_ptr<Plan<double>>
make_plan<double>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);

} // namespace hybridfft::plan
