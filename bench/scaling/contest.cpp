#include "scaling/contest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/mpi.h"
#include "common/stream_copy.h"
#include "scaling/data.h"
#include "scaling/fftw_peers.h"
#include "scaling/rounds.h"
#include "verifier/tolerance.h"

namespace hybridfft::bench {

namespace {

double total_flops(const Problem &p) {
  double points = 1;
  for (const std::ptrdiff_t n : p.extents)
    points *= static_cast<double>(n);
  const double complex = 5 * points * std::log2(points) * static_cast<double>(p.howmany);
  return p.kind == Kind::c2c ? complex : complex / 2;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

/// Two arrays of a rank's part of the problem.
class Floor {
public:
  Floor(const Problem &p, MPI_Comm comm) : threads_(p.threads) {
    const double real = p.single ? sizeof(float) : sizeof(double);
    const auto bytes = [&](const LayoutView &view, bool real_side) {
      return static_cast<double>(view.size()) * (real_side ? real : 2 * real);
    };
    const double both = bytes(slab_input(p, comm), p.kind == Kind::r2c) +
                        bytes(slab_output(p, comm), p.kind == Kind::c2r);
    bytes_ = static_cast<std::size_t>(both / 2);
    mpi::all_or_none(comm, [&] {
      from_ = Memory(bytes_, threads_);
      to_ = Memory(bytes_, threads_);
    });
  }
  void run() const {
    stream_copy(from_.data(), to_.data(), bytes_, threads_);
    stream_copy(to_.data(), from_.data(), bytes_, threads_);
  }

private:
  int threads_;
  std::size_t bytes_ = 0;
  Memory from_, to_;
};

/// A peer and the input that every transform starts with: in-place and c2r ones overwrite theirs.
class Entrant {
public:
  Entrant(const PeerType &type, const Problem &problem, MPI_Comm comm)
      : peer_(type.make(problem, comm)) {
    result_.name = type.name;
    result_.layout = to_string(peer_->problem());
  }

  void plan(Effort effort) {
    forget_fftw_wisdom();
    result_.planning = slowest_seconds([&] { peer_->plan(effort); }, peer_->comm());
    result_.plan = peer_->describe();
    keep_input();
    if (const auto bytes = peer_->work_bytes()) {
      unsigned long long most = *bytes;
      mpi::check(
          MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, peer_->comm()),
          "MPI_Allreduce");
      result_.work_bytes = most;
    }
  }

  void restore() const { std::memcpy(peer_->in(), input_.data(), input_.bytes()); }
  void execute() const { peer_->execute(); }

  Fingerprint fingerprint() const {
    restore();
    execute();
    return fingerprint_output(*peer_);
  }

  PeerResult &result() { return result_; }

private:
  void keep_input() {
    const Problem &p = peer_->problem();
    const std::size_t real = p.single ? sizeof(float) : sizeof(double);
    const std::size_t bytes =
        static_cast<std::size_t>(peer_->input().size()) * (p.kind == Kind::r2c ? real : 2 * real);
    mpi::all_or_none(peer_->comm(), [&] { input_ = Memory(bytes, p.threads); });
    fill_input(*peer_);
    std::memcpy(input_.data(), peer_->in(), bytes);
  }

  std::unique_ptr<Peer> peer_;
  Memory input_;
  PeerResult result_;
};

/// All against the first one; each of the two may be as far from the truth as a transform may.
void require_agreement(const Problem &p, std::vector<Entrant> &entrants) {
  const double eps =
      p.single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double tolerance = 2 * verifier::transform_tolerance(p, eps);
  const Fingerprint first = entrants.front().fingerprint();
  for (std::size_t k = 1; k < entrants.size(); ++k) {
    PeerResult &result = entrants[k].result();
    const double difference = relative_difference(entrants[k].fingerprint(), first);
    result.difference = difference;
    // Written so that NaN fails.
    if (!(difference <= tolerance))
      throw std::runtime_error(to_string(p) + ": the results of " + result.name + " and " +
                               entrants.front().result().name + " differ by " +
                               scientific(difference) + " (relative L2), expected at most " +
                               scientific(tolerance));
  }
}

void add_timings(PeerResult &result, const std::vector<double> &seconds, const ContestResult &all) {
  result.seconds = summarize(seconds);
  result.gflops = 1e-9 * all.flops / result.seconds.median;
  result.over_floor = result.seconds.median / all.floor.median;
  if (!all.peers.empty()) result.ratio = result.seconds.median / all.peers.front().seconds.median;
}

} // namespace

ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options) {
  std::vector<Entrant> entrants;
  for (const PeerType &type : types) {
    entrants.emplace_back(type, problem, comm);
    entrants.back().plan(options.effort);
  }
  require_agreement(problem, entrants);
  const Floor floor(problem, comm);
  std::vector<Contender> contenders;
  for (const Entrant &e : entrants)
    contenders.push_back({[&e] { e.restore(); }, [&e] { e.execute(); }});
  contenders.push_back({[] {}, [&floor] { floor.run(); }});
  const auto seconds = run_rounds(contenders, options.warmups, options.repetitions, comm);

  ContestResult result;
  result.problem = problem;
  result.ranks = mpi::size(comm);
  result.flops = total_flops(problem);
  result.floor = summarize(seconds.back());
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    add_timings(entrants[k].result(), seconds[k], result);
    result.peers.push_back(entrants[k].result());
  }
  if (options.overlap && result.ranks > 1)
    result.overlap =
        measure_overlap(problem, comm, options.effort, options.warmups, options.repetitions);
  return result;
}

} // namespace hybridfft::bench
