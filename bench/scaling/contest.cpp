// Plans all peers, compares fingerprints of their results with the first peer's, and measures the
// agreeing peers alternately.
#include "scaling/contest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "base/mpi.h"
#include "scaling/entrant.h"
#include "scaling/floor.h"
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

/// Compares an entrant's results with the first entrant's. The results of both may differ by their
/// rounding errors: twice the tolerance of a transform.
/// \throws std::runtime_error with the difference
void require_agreement(Entrant &entrant, const std::string &first_name,
                       const std::vector<Fingerprint> &first,
                       const std::vector<Problem> &problems) {
  const std::vector<Fingerprint> found = entrant.fingerprints();
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Problem &p = problems[k];
    const double eps =
        p.single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double tolerance = 2 * verifier::transform_tolerance(p, eps);
    const double difference = relative_difference(found[k], first[k]);
    PeerResult &result = entrant.result();
    result.difference = std::max(result.difference.value_or(0), difference);
    // Written so that NaN fails, too.
    if (!(difference <= tolerance))
      throw std::runtime_error(to_string(p) + ": the results of " + result.name + " and " +
                               first_name + " differ by " + scientific(difference) +
                               " (relative L2), expected at most " + scientific(tolerance));
  }
}

void add_timings(PeerResult &result, const std::vector<double> &seconds, const ContestResult &all) {
  result.seconds = summarize(seconds);
  result.gflops = 1e-9 * all.flops / result.seconds.median;
  result.over_floor = result.seconds.median / all.floor.min;
  if (!all.peers.empty()) result.ratio = result.seconds.median / all.peers.front().seconds.median;
}

/// Returns the entrants whose results agree with the first one's. The others become
/// result.failures.
std::vector<Entrant> admitted(const std::vector<PeerType> &types,
                              const std::vector<Problem> &problems, MPI_Comm comm, Effort effort,
                              ContestResult &result) {
  std::vector<Entrant> entrants;
  std::vector<Fingerprint> first;
  for (const PeerType &type : types) {
    if (entrants.empty()) {
      entrants.emplace_back(type, problems, comm, effort);
      first = entrants.front().fingerprints();
      result.fingerprint = first.front();
      continue;
    }
    try {
      Entrant entrant(type, problems, comm, effort);
      require_agreement(entrant, types.front().name, first, problems);
      entrants.push_back(std::move(entrant));
    } catch (const std::exception &e) {
      result.failures.push_back({type.name, e.what()});
    }
  }
  return entrants;
}

/// Runs each entrant for a second, because energy counters advance only about once per millisecond.
void measure_energy(const std::vector<Entrant> &entrants, MPI_Comm comm, const std::string &folder,
                    ContestResult &result) {
  std::optional<EnergyMeter> meter;
  try {
    meter.emplace(comm, folder);
  } catch (const std::runtime_error &e) {
    result.no_energy = e.what();
    return;
  }
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    const auto run = [&e = entrants[k]] {
      e.restore();
      e.execute();
    };
    PeerResult &peer = result.peers[k];
    const double executions = std::ceil(1 / std::max(peer.seconds.median, 1e-6));
    peer.joules = meter->joules(run, static_cast<int>(executions));
  }
}

} // namespace

ContestResult run_contest(const Problem &problem, const std::vector<PeerType> &types, MPI_Comm comm,
                          const ContestOptions &options) {
  std::vector<Problem> problems{problem};
  if (options.pairs) problems.push_back(inverse_of(problem));
  ContestResult result;
  result.problem = problem;
  result.pairs = options.pairs;
  result.ranks = mpi::size(comm);
  result.flops = total_flops(problem) * static_cast<double>(problems.size());
  std::vector<Entrant> entrants = admitted(types, problems, comm, options.effort, result);

  const Floor floor(problem, comm);
  std::vector<Contender> contenders;
  for (const Entrant &e : entrants)
    contenders.push_back({[&e] { e.restore(); }, [&e] { e.execute(); }});
  contenders.push_back({[] {},
                        [&] {
                          for (std::size_t k = 0; k < problems.size(); ++k)
                            floor.run();
                        }});
  const auto seconds = run_rounds(contenders, options.warmups, options.repetitions, comm);
  result.floor = summarize(seconds.back());
  result.bandwidth = floor.bytes() * static_cast<double>(problems.size()) / result.floor.min;
  for (std::size_t k = 0; k < entrants.size(); ++k) {
    entrants[k].count_messages();
    entrants[k].time_stages(options.repetitions);
    add_timings(entrants[k].result(), seconds[k], result);
    result.peers.push_back(entrants[k].result());
  }
  if (options.energy) measure_energy(entrants, comm, options.energy_folder, result);
  if (options.overlap && result.ranks > 1)
    result.overlap =
        measure_overlap(problem, comm, options.effort, options.warmups, options.repetitions);
  return result;
}

} // namespace hybridfft::bench
