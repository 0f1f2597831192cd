/// Cuts messages into chunks, so that passes and messages overlap. It gains time for large messages
/// between passes on whole rows.
#include "plan/rewrites.h"

#include <algorithm>
#include <cstdint>

#include "base/agreement.h"
#include "base/threads.h"

namespace hybridfft::plan {

namespace {

/// Smallest chunk in bytes. Latency dominates the time of smaller messages.
constexpr std::ptrdiff_t min_chunk = std::ptrdiff_t{64} << 10;
constexpr std::ptrdiff_t chunk_limit = 8;

/// Returns the ends of the chunks as rows of an FFT. Its rows must begin with the slowest axis, and
/// each block must have all of this axis.
std::vector<std::ptrdiff_t> ends_of(const Step &exchange, const Step *fft, const Storage &side,
                                    const std::vector<exchange::RankBytes> &blocks) {
  const bool is_fft = fft != nullptr && fft->is_fft() && !fft->twiddles && fft->cells.empty();
  const std::ptrdiff_t rows = is_fft ? fft->source.rows : 1;
  const std::ptrdiff_t units = side.box.count[static_cast<std::size_t>(exchange.slowest)];
  const bool spans = std::all_of(blocks.begin(), blocks.end(),
                                 [&](const exchange::RankBytes &b) { return b.units == units; });
  if (!is_fft || fft->axis == exchange.slowest || fft->reorders || !spans || units == 0 ||
      exchange.chunks == 1 || rows % units != 0)
    return {rows};
  std::vector<std::ptrdiff_t> ends;
  for (int c = 1; c <= exchange.chunks; ++c)
    ends.push_back(even_cut(units, c, exchange.chunks) * (rows / units));
  return ends;
}

/// Returns the largest number of chunks of an exchange feasible on this rank.
std::int64_t max_chunks(const Step &exchange) {
  std::ptrdiff_t most = chunk_limit;
  for (const exchange::RankBytes &b : exchange.sent)
    most = std::min({most, b.units, b.count / min_chunk});
  return std::max<std::ptrdiff_t>(most, 1);
}

} // namespace

int chunk_messages(Steps &steps, const exchange::Communicator &comm) {
  int chunked = 0;
  for (Step &s : steps) {
    if (!s.is_exchange() || s.exchange) continue;
    std::int64_t chunks = 0;
    Agreement agreement(comm.get());
    agreement.reach([&] {
      chunks = max_chunks(s);
      agreement.least(chunks);
    });
    s.chunks = static_cast<int>(chunks);
    if (chunks > 1) ++chunked;
  }
  return chunked;
}

std::vector<std::ptrdiff_t> send_ends(const Steps &steps, std::size_t k) {
  return ends_of(steps[k], k > 0 ? &steps[k - 1] : nullptr, steps[k].from, steps[k].sent);
}

std::vector<std::ptrdiff_t> receive_ends(const Steps &steps, std::size_t k) {
  return ends_of(steps[k], k + 1 < steps.size() ? &steps[k + 1] : nullptr, steps[k].to,
                 steps[k].received);
}

} // namespace hybridfft::plan
