#include "plan/layout_chunks.h"

#include <algorithm>

#include "base/threads.h"

namespace hybridfft::plan {

namespace {

/// Smaller messages are latency.
constexpr std::ptrdiff_t least_chunk = std::ptrdiff_t{64} << 10;
constexpr std::ptrdiff_t chunk_limit = 8;

/// The ends of the chunks as rows of an FFT whose rows begin with the slowest axis, all of which
/// is in each block.
std::vector<std::ptrdiff_t> ends_of(const LayoutStep &exchange, const LayoutStep *fft,
                                    const Storage &side,
                                    const std::vector<exchange::RankBytes> &blocks) {
  const bool is_fft =
      fft != nullptr && (fft->kind == StepKind::planes || fft->kind == StepKind::columns);
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

} // namespace

int most_chunks(const std::vector<LayoutStep> &steps, std::size_t k) {
  std::ptrdiff_t most = chunk_limit;
  for (const exchange::RankBytes &b : steps[k].sent)
    most = std::min({most, b.units, b.count / least_chunk});
  return static_cast<int>(std::max<std::ptrdiff_t>(most, 1));
}

std::vector<std::ptrdiff_t> send_ends(const std::vector<LayoutStep> &steps, std::size_t k) {
  return ends_of(steps[k], k > 0 ? &steps[k - 1] : nullptr, steps[k].from, steps[k].sent);
}

std::vector<std::ptrdiff_t> receive_ends(const std::vector<LayoutStep> &steps, std::size_t k) {
  return ends_of(steps[k], k + 1 < steps.size() ? &steps[k + 1] : nullptr, steps[k].to,
                 steps[k].received);
}

} // namespace hybridfft::plan
