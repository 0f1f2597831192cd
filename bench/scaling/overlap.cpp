// Measures plans with the exchanges "pipelined" and "pairwise" alternately; the profile of the
// second one yields the separate times.
#include "scaling/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "scaling/data.h"
#include "scaling/hybridfft_peer.h"
#include "scaling/rounds.h"

namespace hybridfft::bench {

namespace {

/// Sets HFFT_EXCHANGE while the object exists.
class ForcedExchange {
public:
  explicit ForcedExchange(const char *name) {
    if (const char *before = std::getenv(variable)) before_ = before;
    setenv(variable, name, 1);
  }
  ~ForcedExchange() {
    if (before_)
      setenv(variable, before_->c_str(), 1);
    else
      unsetenv(variable);
  }
  ForcedExchange(const ForcedExchange &) = delete;
  ForcedExchange &operator=(const ForcedExchange &) = delete;

private:
  static constexpr const char *variable = "HFFT_EXCHANGE";
  std::optional<std::string> before_;
};

bool is_exchange(const hfft_stage_profile &stage) {
  return std::string(stage.name).rfind("exchange", 0) == 0;
}

} // namespace

Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds) {
  const auto planned_with = [&](const char *exchange) {
    const ForcedExchange forced(exchange);
    auto peer = make_hybridfft_peer(problem, comm);
    peer->plan(effort);
    fill_input(*peer);
    return peer;
  };
  const auto overlapped = planned_with("pipelined");
  const auto apart = planned_with("pairwise");
  // The input is not restored between transforms. In-place and c2r transforms therefore start from
  // overwritten input. Values of in-place transforms grow and overflow, but this does not slow down
  // a transform. The values of both plans are the same.
  std::vector<double> full;
  std::vector<double> passes;
  std::vector<double> exchange;
  for (int round = 0; round < warmups + rounds; ++round) {
    const double seconds = slowest_seconds([&] { overlapped->execute(); }, comm);
    apart->set_profiling(true);
    slowest_seconds([&] { apart->execute(); }, comm);
    double sums[2] = {0, 0};
    for (const hfft_stage_profile &stage : apart->profile())
      sums[is_exchange(stage) ? 1 : 0] += stage.max_seconds;
    // Ranks may have different stages, so the maximum of the sums over ranks counts.
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_MAX, comm);
    if (round < warmups) continue;
    full.push_back(seconds);
    passes.push_back(sums[0]);
    exchange.push_back(sums[1]);
  }
  Overlap o{summarize(full), summarize(passes), summarize(exchange), 0};
  o.hidden = (o.passes.median + o.exchange.median - o.full.median) /
             std::min(o.passes.median, o.exchange.median);
  return o;
}

} // namespace hybridfft::bench
