/// Two rewrites of exchanges of blocks. The first one divides messages into chunks, so that passes
/// and messages overlap. The second one replaces messages by reads from memory shared by the ranks
/// of a node.
#include <algorithm>
#include <cstdint>

#include "base/agreement.h"
#include "base/mpi.h"
#include "base/threads.h"
#include "exchange/algorithms.h"
#include "plan/lowering.h"

namespace hybridfft::plan {

// Divides messages into chunks, so that passes and messages overlap. It gains time for large
// messages between passes over complete rows.

namespace {

/// Smallest chunk in bytes. Latency dominates the time of smaller messages.
constexpr std::ptrdiff_t min_chunk = std::ptrdiff_t{64} << 10;
/// Maximum number of chunks of a message.
constexpr std::ptrdiff_t chunk_limit = 8;

/// Returns the ends of the chunks as rows of an FFT. The exchange cuts messages along its slowest
/// axis. If each block has all points of this axis on this rank, chunks are complete rows; else the
/// result is one end, after all rows.
std::vector<std::ptrdiff_t> ends_of(const Step &exchange, const Step *fft, const Storage &side,
                                    const std::vector<exchange::RankBytes> &blocks) {
  const bool is_fft =
      fft != nullptr && fft->is_fft() && fft->twiddled_line == 0 && fft->cells.empty();
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

/// Returns the maximum number of chunks of an exchange on this rank.
std::int64_t max_chunks(const Step &exchange) {
  std::ptrdiff_t most = chunk_limit;
  for (const exchange::RankBytes &b : exchange.blocks.sent)
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
  return ends_of(steps[k], k > 0 ? &steps[k - 1] : nullptr, steps[k].from, steps[k].blocks.sent);
}

std::vector<std::ptrdiff_t> receive_ends(const Steps &steps, std::size_t k) {
  return ends_of(steps[k], k + 1 < steps.size() ? &steps[k + 1] : nullptr, steps[k].to,
                 steps[k].blocks.received);
}

// Replaces messages of blocks by reads from shared memory. Applied if all ranks are on one node.

namespace {

/// True if a step can read lines from arbitrary addresses. Lines and planes of r2c need a source
/// without gaps. Planes of c2c need a source or a destination without gaps.
bool reads_anywhere(const Step &s) {
  if (s.kind != StepKind::planes) return true;
  if (s.transform.kind == Kind::r2c) return false;
  if (s.transform.kind == Kind::c2c && s.transform.extents.size() == 1) return true;
  return s.destination.is_tight() || s.transform.kind == Kind::c2r;
}

/// Returns the steps with copies inserted: each exchange gets a pass before it and, after it, a
/// pass that reads lines from arbitrary addresses.
Steps with_passes(const Steps &steps) {
  Steps list;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step &s = steps[k];
    if (s.is_exchange() && (list.empty() || list.back().is_exchange()))
      list.emplace_back(StepKind::copy, list.empty() ? s.from : list.back().to, s.from);
    list.push_back(s);
    const bool last = k + 1 == steps.size();
    if (s.is_exchange() && (last || (!steps[k + 1].is_exchange() && !reads_anywhere(steps[k + 1]))))
      list.emplace_back(StepKind::copy, s.to, s.to);
  }
  return list;
}

/// Makes a step read the blocks directly from their senders' memory.
void read_blocks(Step &reader, const Step &exchange, const std::vector<std::ptrdiff_t> &distances,
                 std::size_t real_bytes) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes(exchange.to, real_bytes));
  Storage from = reader.from;
  SplitRows source = reader.source;
  for (const exchange::RankBytes &b : exchange.blocks.received) {
    const std::ptrdiff_t base = b.first / element;
    const std::ptrdiff_t there = distances[static_cast<std::size_t>(b.rank)] / element;
    for (std::size_t i = 0; i < from.boxes.size(); ++i)
      if (reader.from.boxes[i].base == base) from.boxes[i].base = there;
    for (std::size_t i = 0; i < source.pieces.size(); ++i)
      if (reader.source.pieces[i].base == base) source.pieces[i].base = there;
  }
  reader.from = std::move(from);
  reader.source = std::move(source);
  if (reader.kind == StepKind::planes && reader.cells.empty() &&
      reader.transform.kind == Kind::c2c && reader.transform.extents.size() == 1 &&
      !reader.may_be_lines())
    reader.kind = StepKind::columns;
}

} // namespace

bool share_messages(Steps &steps, const std::shared_ptr<exchange::Communicator> &comm,
                    const Problem &p) {
  Steps list;
  std::vector<exchange::SharedBlocksSide> sides;
  mpi::all_or_none(comm->get(), [&] {
    list = with_passes(steps);
    for (const Step &s : list)
      if (s.is_exchange()) sides.push_back({buffer_bytes(s.from, p.real_bytes), s.blocks.sent});
  });
  if (sides.empty()) return false;
  const auto blocks = exchange::make_shared_blocks(comm, sides, p.pages);
  if (!blocks) return false;
  mpi::all_or_none(comm->get(), [&] {
    int number = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!list[k].is_exchange()) continue;
      const exchange::SharedBlocks &b = (*blocks)[static_cast<std::size_t>(number)];
      read_blocks(list[k + 1], list[k], b.distances, p.real_bytes);
      list[k].exchange = b.exchange;
      list[k].window = number++ % 2;
    }
    steps = std::move(list);
  });
  return true;
}

} // namespace hybridfft::plan
