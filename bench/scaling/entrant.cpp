// Plans, runs and profiles the transforms of one peer. The input is restored before every
// execution.
#include "scaling/entrant.h"

#include <algorithm>
#include <cstring>

#include "base/mpi.h"
#include "messages/message_count.h"
#include "scaling/fftw_peers.h"
#include "scaling/rounds.h"

namespace hybridfft::bench {

namespace {

template <class T> T reduced(T value, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, comm), "MPI_Allreduce");
  return value;
}

/// Returns all stages of all ranks, each with the time of the slowest rank. Ranks may have
/// different stages.
std::vector<StageSeconds> slowest_stages(const std::vector<hfft_stage_profile> &mine,
                                         MPI_Comm comm) {
  constexpr int longest = 32;
  const int most = reduced(static_cast<int>(mine.size()), MPI_INT, MPI_MAX, comm);
  std::vector<StageSeconds> stages;
  for (int i = 0; i < most; ++i) {
    const auto k = static_cast<std::size_t>(i);
    char name[longest] = "";
    double numbers[2] = {0, 0};
    if (k < mine.size()) {
      std::strncpy(name, mine[k].name, longest - 1);
      numbers[0] = mine[k].seconds / static_cast<double>(std::max(mine[k].calls, 1LL));
      numbers[1] = mine[k].bytes;
    }
    // Ranks without this stage send an empty name, so the maximum is the name on the other ranks.
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, name, longest, MPI_CHAR, MPI_MAX, comm),
               "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    stages.push_back({name, numbers[0], numbers[1]});
  }
  return stages;
}

} // namespace

namespace {

int inverse_of(int kind) {
  switch (kind) {
  case HFFT_R2HC:
    return HFFT_HC2R;
  case HFFT_HC2R:
    return HFFT_R2HC;
  case HFFT_REDFT10:
    return HFFT_REDFT01;
  case HFFT_REDFT01:
    return HFFT_REDFT10;
  case HFFT_RODFT10:
    return HFFT_RODFT01;
  case HFFT_RODFT01:
    return HFFT_RODFT10;
  default:
    return kind;
  }
}

} // namespace

Problem inverse_of(const Problem &problem) {
  Problem p = problem;
  p.kind = p.kind == Kind::r2c ? Kind::c2r : p.kind == Kind::c2r ? Kind::r2c : p.kind;
  for (int &kind : p.kinds)
    kind = inverse_of(kind);
  p.direction = p.direction == Direction::forward ? Direction::backward : Direction::forward;
  std::swap(p.transposed_in, p.transposed_out);
  std::swap(p.block_in, p.block_out);
  return p;
}

Entrant::Entrant(const PeerType &type, const std::vector<Problem> &problems, MPI_Comm comm,
                 Effort effort) {
  result_.name = type.name;
  for (const Problem &problem : problems) {
    peers_.push_back(type.make(problem, comm));
    Peer &peer = *peers_.back();
    forget_fftw_wisdom();
    result_.planning += slowest_seconds([&] { peer.plan(effort); }, comm);
    const bool first = peers_.size() == 1;
    if (first) result_.layout = to_string(peer.problem());
    result_.plan += (first ? "" : "\n") + peer.describe();
    keep_input(peer);
    add_work_bytes(peer);
  }
}

void Entrant::keep_input(const Peer &peer) {
  const Problem &p = peer.problem();
  const std::size_t real = p.single ? sizeof(float) : sizeof(double);
  const std::size_t bytes = static_cast<std::size_t>(peer.input().size()) *
                            (verifier::has_real_input(p) ? real : 2 * real);
  mpi::all_or_none(peer.comm(), [&] { inputs_.emplace_back(bytes, p.threads); });
  fill_input(peer);
  std::memcpy(inputs_.back().data(), peer.in(), bytes);
}

void Entrant::add_work_bytes(const Peer &peer) {
  const auto bytes = peer.work_bytes();
  if (!bytes) return;
  const auto most = reduced(static_cast<unsigned long long>(*bytes), MPI_UNSIGNED_LONG_LONG,
                            MPI_MAX, peer.comm());
  result_.work_bytes = result_.work_bytes.value_or(0) + most;
}

void Entrant::restore() const {
  for (std::size_t k = 0; k < peers_.size(); ++k)
    std::memcpy(peers_[k]->in(), inputs_[k].data(), inputs_[k].bytes());
}

void Entrant::execute() const {
  for (const auto &peer : peers_)
    peer->execute();
}

std::vector<Fingerprint> Entrant::fingerprints() const {
  restore();
  execute();
  std::vector<Fingerprint> list;
  for (const auto &peer : peers_)
    list.push_back(fingerprint_output(*peer));
  return list;
}

void Entrant::count_messages() {
  if (!peers_.front()->is_countable()) return;
  MPI_Comm comm = peers_.front()->comm();
  restore();
  const MessageCount mine = messages_of([this] { execute(); });
  const TrafficCount nodes = node_traffic(mine, comm);
  SentTraffic &t = result_.traffic.emplace();
  t.messages = reduced(mine.messages, MPI_LONG_LONG, MPI_MAX, comm);
  t.bytes = reduced(mine.bytes, MPI_LONG_LONG, MPI_MAX, comm);
  t.total_bytes = reduced(mine.bytes, MPI_LONG_LONG, MPI_SUM, comm);
  t.copied_bytes = reduced(mine.self_bytes + mine.packed_bytes, MPI_LONG_LONG, MPI_SUM, comm);
  t.nodes = nodes.nodes;
  t.between_nodes = nodes.bytes;
}

void Entrant::time_stages(int repetitions) {
  for (const auto &peer : peers_) {
    std::vector<StageSeconds> stages;
    std::vector<std::vector<double>> seconds;
    for (int i = 0; i < repetitions; ++i) {
      restore();
      peer->set_profiling(true);
      mpi::check(MPI_Barrier(peer->comm()), "MPI_Barrier");
      peer->execute();
      stages = slowest_stages(peer->profile(), peer->comm());
      seconds.resize(stages.size());
      for (std::size_t s = 0; s < stages.size(); ++s)
        seconds[s].push_back(stages[s].seconds);
      peer->set_profiling(false);
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
      stages[s].seconds = summarize(seconds[s]).median;
      result_.stages.push_back(stages[s]);
    }
  }
}

} // namespace hybridfft::bench
