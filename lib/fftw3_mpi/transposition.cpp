#include "fftw3_mpi/transposition.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"
#include "base/mpi.h"
#include "base/stopwatch.h"
#include "local/copy_pass.h"
#include "plan/program.h"

namespace hybridfft::fftw3_mpi {

namespace {

using plan::Step;
using plan::StepKind;

/// Cache that a thread may fill with its tile of a copy.
constexpr std::ptrdiff_t tile_bytes = std::ptrdiff_t{64} << 10;

/// One way to do it.
struct Way {
  const exchange::Algorithm *algorithm = nullptr; ///< unused on one rank
  bool final_order = false;                       ///< the exchange writes the final order itself

  std::string describe() const {
    return std::string("exchange=") + algorithm->name +
           " order=" + (final_order ? "final" : "sent");
  }
};

class Transposition final : public Accelerated {
public:
  /// nullptr, on all ranks, where the algorithm does not apply.
  static std::unique_ptr<Transposition> make(const TranspositionArguments &a,
                                             const std::shared_ptr<exchange::Communicator> &comm,
                                             const Way &way) {
    const int ranks = comm->size();
    // Exchanges move complex numbers of this size: twice the reals that they name.
    const exchange::Transposition t{BlockDistribution(a.n0, ranks, a.block0),
                                    BlockDistribution(a.n1, ranks, a.block1), a.howmany,
                                    a.real_bytes / 2};
    exchange::ExchangeOptions options;
    options.final_order = way.final_order;
    options.pages = a.measure ? Pages::now : Pages::later;
    std::unique_ptr<exchange::Exchange> e =
        ranks == 1 ? exchange::make_view(t) : way.algorithm->make(t, comm, options);
    if (!e) return nullptr;
    std::unique_ptr<Transposition> made;
    mpi::all_or_none(comm->get(), [&] {
      made.reset(new Transposition(a, t, comm, std::move(e)));
      if (ranks > 1) made->way_ = way.describe();
    });
    return made;
  }

  void execute(void *in, void *out) override {
    program_.execute({static_cast<std::byte *>(in),
                      static_cast<std::byte *>(out),
                      work_.data(),
                      offsets_.data(),
                      {window_}},
                     nullptr);
  }

  /// Sets the seconds of the slowest rank; executes a few times.
  double measure(void *in, void *out) {
    double least = infinity;
    for (int i = 0; i < 3; ++i)
      least = std::min(least, time_once(comm_->get(), [&] { execute(in, out); }));
    return seconds = least;
  }

  std::string describe() const override {
    std::string text = "hybridfft transpose " + std::to_string(n0_) + "x" + std::to_string(n1_) +
                       " of " + std::to_string(point_bytes_) + " bytes each\n";
    for (const plan::Operation &o : program_.operations())
      text +=
          "  " + (o.pass ? o.pass->describe() : "exchange " + o.exchanges[0]->describe()) + "\n";
    return text;
  }
  std::string way() const override { return way_; }
  double flops() const override { return 0; }
  double bytes() const override { return bytes_; }

private:
  Transposition(const TranspositionArguments &a, const exchange::Transposition &t,
                std::shared_ptr<exchange::Communicator> comm,
                const std::shared_ptr<exchange::Exchange> &e)
      : comm_(std::move(comm)), n0_(a.n0), n1_(a.n1),
        point_bytes_(a.howmany * static_cast<std::ptrdiff_t>(a.real_bytes)) {
    const int rank = comm_->rank();
    const SplitRows input = SplitRows::tight(t.rows.count(rank), a.n1, a.howmany);
    const SplitRows output = SplitRows::tight(t.columns.count(rank), a.n0, a.howmany);
    plan::Steps steps;
    if (!e->is_view()) {
      steps.emplace_back(StepKind::copy, input, e->send());
      steps.emplace_back(e);
    }
    if (e->receive() != output || e->window() != nullptr || e->is_view())
      steps.emplace_back(StepKind::copy, e->receive(), output);
    // In place on one rank there is no exchange that would leave the array in between.
    if (e->is_view() && a.in == a.out) steps.emplace_back(StepKind::copy, output, output);
    assemble(steps, a);
  }

  void assemble(const plan::Steps &steps, const TranspositionArguments &a) {
    local::PassOptions options;
    options.threads = a.threads;
    options.tile_bytes = tile_bytes;
    // Elements are complex numbers of the plan: tuples of this size.
    const std::size_t half = a.real_bytes / 2;
    std::array<plan::Route, 2> routes;
    routes.fill(plan::assign_buffers(steps, half, {a.in == a.out}));
    std::vector<plan::Operation> operations;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const Step &s = steps[k];
      operations.push_back(plan::operation_of(steps, k, routes));
      if (!s.exchange)
        operations.back().pass =
            local::make_copy_pass(s.source, s.destination, a.real_bytes, options);
      if (s.uses_window()) window_ = s.exchange.get();
      bytes_ += static_cast<double>((s.source.elements() + s.destination.elements()) *
                                    static_cast<std::ptrdiff_t>(a.real_bytes));
    }
    program_ = plan::Program(std::move(operations), {}, a.threads);
    plan::WorkBuffers work = plan::place_work(steps, routes, half);
    offsets_ = std::move(work.offsets);
    if (work.bytes > 0)
      work_ = Memory(work.bytes, a.threads, a.measure ? Pages::now : Pages::later);
  }

  std::shared_ptr<exchange::Communicator> comm_;
  std::ptrdiff_t n0_, n1_, point_bytes_;
  plan::Program program_;
  Memory work_;
  std::vector<std::size_t> offsets_;           ///< offset of each work buffer, in bytes
  const exchange::Exchange *window_ = nullptr; ///< the exchange that has a window
  double bytes_ = 0;
  std::string way_; ///< empty on one rank
};

/// Every exchange but FFTW's own, which this one would stand in for, the one thought fastest first.
std::vector<Way> ways(bool all, const exchange::Algorithm *forced) {
  std::vector<Way> list;
  for (const exchange::Algorithm *a : exchange::algorithms_by_place())
    if (!a->fftw && (forced == nullptr || forced == a))
      for (const bool final_order : {false, true})
        if (all || !final_order) list.push_back({a, final_order});
  return list;
}

void clear(const TranspositionArguments &a, const exchange::Communicator &comm) {
  const std::size_t point = static_cast<std::size_t>(a.howmany) * a.real_bytes;
  const BlockDistribution rows(a.n0, comm.size(), a.block0);
  const BlockDistribution columns(a.n1, comm.size(), a.block1);
  std::memset(a.in, 0, static_cast<std::size_t>(rows.count(comm.rank()) * a.n1) * point);
  std::memset(a.out, 0, static_cast<std::size_t>(columns.count(comm.rank()) * a.n0) * point);
}

/// The candidate that a.way names; nullptr, on all ranks, if there is none.
std::unique_ptr<Transposition> make_known(TranspositionArguments a,
                                          const std::shared_ptr<exchange::Communicator> &comm,
                                          const std::vector<Way> &candidates) {
  a.measure = false;
  for (const Way &way : candidates)
    if (way.describe() == a.way) return Transposition::make(a, comm, way);
  return nullptr;
}

} // namespace

std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const std::function<TranspositionArguments()> &arguments) {
  const auto owned = exchange::acquire(comm);
  const exchange::Algorithm *forced = exchange::agreed_algorithm(owned->get());
  TranspositionArguments a;
  std::vector<Way> candidates;
  mpi::all_or_none(owned->get(), [&] {
    a = arguments();
    candidates = ways(a.measure, forced);
    if (a.in == nullptr || a.out == nullptr)
      throw Failure(HFFT_ERROR_NULL_POINTER, "an array is NULL");
    // Throw where blocks do not cover the matrix.
    try {
      BlockDistribution(a.n0, owned->size(), a.block0);
      BlockDistribution(a.n1, owned->size(), a.block1);
    } catch (const Failure &e) {
      throw Failure(HFFT_ERROR_BLOCK, e.what());
    }
  });
  if (owned->size() == 1) return Transposition::make(a, owned, {});
  if (auto known = make_known(a, owned, candidates)) return known;
  if (a.measure) clear(a, *owned);
  std::unique_ptr<Transposition> best;
  for (const Way &way : candidates) {
    auto made = Transposition::make(a, owned, way);
    if (!made) continue;
    if (!a.measure) return made;
    made->measure(a.in, a.out);
    if (!best || made->seconds < best->seconds) best = std::move(made);
  }
  if (!best) throw Failure(HFFT_ERROR_UNSUPPORTED, "no exchange applies to this transposition");
  return best;
}

} // namespace hybridfft::fftw3_mpi
