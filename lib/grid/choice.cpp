#include "hybridfft/grid/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/mpi.h"
#include "exchange/communicator.h"

namespace hybridfft::grid {

namespace {

std::string in_words(const Index3 &n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

/// Seconds of the slowest rank for `count` exchanges of `bytes` with the ranks at a distance; the
/// minimum of several rounds. `own` has the same ranks, without messages of the program.
double exchanged(const Communicator &comm, MPI_Comm own, std::size_t bytes, int count) {
  constexpr int rounds = 5;
  const int distance = comm.size() / 2;
  const int to = (comm.rank() + distance) % comm.size();
  const int from = (comm.rank() - distance + comm.size()) % comm.size();
  std::vector<char> sent(bytes + 1), received(bytes + 1);
  double least = 0;
  for (int round = 0; round <= rounds; ++round) {
    mpi::check(MPI_Barrier(own), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    for (int n = 0; n < count; ++n)
      mpi::check(MPI_Sendrecv(sent.data(), static_cast<int>(bytes), MPI_BYTE, to, 0,
                              received.data(), static_cast<int>(bytes), MPI_BYTE, from, 0, own,
                              MPI_STATUS_IGNORE),
                 "MPI_Sendrecv");
    seconds = comm.max(seconds + MPI_Wtime()) / count;
    // The first round is a warm-up.
    if (round == 1 || (round > 1 && seconds < least)) least = seconds;
  }
  return least;
}

} // namespace

Network measure(const Communicator &comm) {
  if (comm.size() == 1) return {};
  constexpr std::size_t large = std::size_t{1} << 20;
  const auto own = exchange::acquire(comm.handle());
  const double latency = exchanged(comm, own->get(), 0, 10);
  const double seconds = exchanged(comm, own->get(), large, 2);
  return {latency, std::max(seconds - latency, 0.0) / static_cast<double>(large)};
}

std::vector<Index3> possible_parts(Index blocks, const Index3 &extents) {
  std::vector<Index3> all;
  for (Index p2 = 1; p2 <= std::min(blocks, extents[2]); ++p2) {
    if (blocks % p2 != 0) continue;
    const Index rest = blocks / p2;
    for (Index p1 = 1; p1 <= std::min(rest, extents[1]); ++p1)
      if (rest % p1 == 0 && rest / p1 <= extents[0]) all.push_back({{rest / p1, p1, p2}});
  }
  return all;
}

Index3 cheapest_parts(const Communicator &comm, Index blocks, const Index3 &extents,
                      const std::function<double(const Index3 &)> &seconds) {
  const std::vector<Index3> all = possible_parts(blocks, extents);
  std::vector<double> costs(all.size());
  comm.agree([&] { std::transform(all.begin(), all.end(), costs.begin(), seconds); });
  constexpr double none = std::numeric_limits<double>::infinity();
  double least = none;
  Index3 best;
  for (std::size_t n = 0; n < all.size(); ++n) {
    // MPI's maximum of NaNs is undefined.
    const double cost = comm.max(std::isnan(costs[n]) ? none : costs[n]);
    if (cost >= least) continue;
    least = cost;
    best = all[n];
  }
  if (least == none)
    throw Error(HFFT_ERROR_ARGUMENT,
                "a grid of " + in_words(extents) + " points cannot be cut into " +
                    std::to_string(blocks) +
                    (all.empty() ? " blocks, expected a number of blocks whose factors are at most "
                                   "the numbers of points"
                                 : " blocks that are allowed: all " + std::to_string(all.size()) +
                                       " ways have been given an infinite cost"));
  return best;
}

double exchange_seconds(const Network &network, const Index3 &extents, const Index3 &parts,
                        const Widths &widths, double bytes_per_point) {
  Index3 block;
  for (int a = 0; a < 3; ++a) {
    if (parts[a] < 1 || parts[a] > extents[a])
      throw Error(HFFT_ERROR_ARGUMENT, "a grid of " + in_words(extents) +
                                           " points cannot be cut into " + in_words(parts) +
                                           " blocks");
    block[a] = (extents[a] + parts[a] - 1) / parts[a];
  }
  double seconds = 0;
  for (int a = 0; a < 3; ++a) {
    if (parts[a] == 1) continue;
    const Index width = widths.below[a] + widths.above[a];
    // Faces of earlier axes are included in the messages.
    const Index face = block[0] * block[1] * block[2] / block[a];
    seconds += 2 * network.latency +
               network.per_byte * bytes_per_point * static_cast<double>(width * face);
    block[a] += width;
  }
  return seconds;
}

} // namespace hybridfft::grid
