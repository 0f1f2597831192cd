// Fills the ghosts of blocks on an adaptive mesh. It copies values between blocks of one level,
// averages or interpolates values between levels, applies boundary conditions, and exchanges
// messages between ranks.
#include "hybridfft/grid/block_exchange.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/mpi.h"
#include "grid/forest_state.h"
#include "grid/halo_plan.h"
#include "grid/message_requests.h"
#include "hybridfft/error.hpp"

namespace hybridfft::grid::detail {

namespace {

template <class Kernel, class Op>
void run_list(ForestState &state, const BlockPool &pool, const std::vector<Op> &ops,
              const Kernel &kernel, std::size_t count = SIZE_MAX) {
  run_ops(pool, std::span(ops).first(std::min(count, ops.size())),
          pool.device ? state.on_device(*pool.device, ops) : nullptr, kernel);
}

/// Runs the operations that fill ghosts beyond faces and, if the pool has BlockTraits::edges,
/// beyond edges and corners.
template <class Kernel>
void run_ghosts(ForestState &state, const BlockPool &pool, const GhostList &list,
                const Kernel &kernel) {
  run_list(state, pool, list.ops, kernel, pool.traits.edges ? list.ops.size() : list.faces);
}

template <class Kernel, class Op>
void run_nodes(ForestState &state, const BlockPool &pool, const std::vector<Op> &ops,
               Kernel kernel) {
  kernel.ops = pool.device ? state.on_device(*pool.device, ops) : ops.data();
  run_numbers(pool, static_cast<Index>(ops.size()), kernel);
}

template <class T> void fill_cells(ForestState &state, const BlockPool &pool) {
  const kernels::Shape &shape = pool.shape;
  const kernels::Values<T> values = pool.values<T>();
  kernels::EndGhosts<T> ends{shape,
                             values,
                             {},
                             pool.traits.absent,
                             pool.traits.vector,
                             static_cast<const T *>(pool.absent_values.get())};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t e = 0; e < 2; ++e)
      ends.sides[2 * a + e] = pool.traits.sides[a][e];
  const BlockLists &lists = state.lists;
  run_ghosts(state, pool, lists.copy, kernels::CopyGhosts<T>{shape, values});
  run_ghosts(state, pool, lists.mean, kernels::MeanGhosts<T>{shape, values});
  run_list(state, pool, lists.ends[0], ends);
  run_ghosts(state, pool, lists.coarse,
             kernels::CoarseGhosts<T>{shape, values, pool.traits.interpolation});
  if (!pool.traits.edges) return;
  run_list(state, pool, lists.ends[1], ends);
  run_list(state, pool, lists.ends[2], ends);
}

template <class T> void fill_nodes(ForestState &state, const BlockPool &pool) {
  const kernels::Values<T> values = pool.values<T>();
  T *const first = pool.first<T>();
  const BlockLists &lists = state.lists;
  run_nodes(state, pool, lists.node_copy, kernels::CopyNodes<T>{nullptr, values, first});
  run_nodes(state, pool, lists.node_inject, kernels::CopyNodes<T>{nullptr, values, first});
  run_nodes(state, pool, lists.node_lines,
            kernels::MeanNodes<T>{nullptr, values, first, state.tree.children()});
}

void fill(ForestState &state, const BlockPool &pool) {
  with_type(pool, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    pool.is_node() ? fill_nodes<T>(state, pool) : fill_cells<T>(state, pool);
  });
}

/// Returns the length of a message in words of eight bytes, the unit of its MPI datatype.
int mpi_count(std::size_t bytes) {
  if (bytes / 8 > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(HFFT_ERROR_OVERFLOW, "exchange: a message of " + std::to_string(bytes) +
                                         " bytes, expected less than 2^34");
  return static_cast<int>(bytes / 8);
}

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// A part of a message: values of one pool at the listed points of one kind.
struct Item {
  BlockPool *pool;
  Points points;

  const std::vector<kernels::ElementPlace> &of(const PlaceLists &places) const {
    return places[static_cast<std::size_t>(points)];
  }
  std::size_t bytes(const PlaceLists &places) const {
    return round_up(of(places).size() * static_cast<std::size_t>(pool->variables) *
                    pool->value_bytes);
  }
};

} // namespace

struct [[gnu::visibility("hidden")]] BlockExchange::Impl {
  ForestState *state;
  std::vector<AnyBlocks *> blocks;
  struct Message {
    std::vector<std::byte> out, in;
  };
  std::vector<Item> items;      ///< contents of the message in flight
  std::vector<Message> buffers; ///< one for each peer
  std::vector<MPI_Request> requests;
  bool in_flight = false;
  Index sent = 0, sent_messages = 0;
  HaloTimes seconds;

  void check() const;
  bool communicates();
  void list_items();
  void pack(const ListPeer &peer, std::vector<std::byte> &buffer);
  void unpack(const ListPeer &peer, const std::vector<std::byte> &buffer);
  void start();
  bool test();
  void finish();
};

void BlockExchange::Impl::check() const {
  for (const AnyBlocks *b : blocks) {
    if (b->forest().get() != state)
      throw Error(HFFT_ERROR_ARGUMENT, "exchange: blocks of another forest, expected its own");
    if (b->pool().is_face())
      throw Error(HFFT_ERROR_ARGUMENT,
                  "exchange: blocks of fluxes at faces, expected cells or nodes");
  }
}

/// Counts successive exchanges of the same Blocks objects. Returns true if this exchange sends
/// messages.
bool BlockExchange::Impl::communicates() {
  std::vector<std::uint64_t> ids;
  for (const AnyBlocks *b : blocks)
    ids.push_back(b->id());
  std::ranges::sort(ids);
  if (state->exchanges_left > 0 && ids == state->countdown_of) {
    --state->exchanges_left;
    ++state->round;
    return false;
  }
  state->countdown_of = std::move(ids);
  state->exchanges_left = state->depth - 1;
  state->round = 0;
  return true;
}

void BlockExchange::Impl::list_items() {
  items.clear();
  for (const AnyBlocks *b : blocks)
    items.push_back({&b->pool(), b->pool().is_node() ? Points::nodes : Points::cells});
  const bool ends = state->depth > 1 && state->ends_outdated;
  if (!ends) return;
  state->ends_outdated = false;
  for (const auto &[number, pool] : state->pools)
    if (pool->is_node() && std::ranges::none_of(blocks, [&, &pool = pool](const AnyBlocks *b) {
          return &b->pool() == pool;
        }))
      items.push_back({pool, Points::end_nodes});
}

void BlockExchange::Impl::pack(const ListPeer &peer, std::vector<std::byte> &buffer) {
  std::size_t at = 0;
  for (const Item &item : items) {
    const BlockPool &pool = *item.pool;
    const std::vector<kernels::ElementPlace> &places = item.of(peer.send);
    const std::size_t bytes = item.bytes(peer.send);
    const auto count = static_cast<Index>(places.size());
    with_type(pool, [&](auto *first) {
      using T = std::remove_pointer_t<decltype(first)>;
      kernels::Pack<T> kernel{places.data(), count, pool.values<T>(), first,
                              reinterpret_cast<T *>(buffer.data() + at)};
      if (!pool.device || count == 0) return run_numbers(pool, count, kernel);
      const std::shared_ptr<void> staged = allocate_on(*pool.device, bytes);
      kernel.places = state->on_device(*pool.device, places);
      kernel.buffer = static_cast<T *>(staged.get());
      run_numbers(pool, count, kernel);
      pool.device->copy(buffer.data() + at, staged.get(), bytes);
    });
    at += bytes;
  }
}

void BlockExchange::Impl::unpack(const ListPeer &peer, const std::vector<std::byte> &buffer) {
  std::size_t at = 0;
  for (const Item &item : items) {
    const BlockPool &pool = *item.pool;
    const std::vector<kernels::ElementPlace> &places = item.of(peer.receive);
    const std::size_t bytes = item.bytes(peer.receive);
    const auto count = static_cast<Index>(places.size());
    with_type(pool, [&](auto *first) {
      using T = std::remove_pointer_t<decltype(first)>;
      kernels::Unpack<T> kernel{places.data(), count, pool.values<T>(), first,
                                reinterpret_cast<const T *>(buffer.data() + at)};
      if (!pool.device || count == 0) return run_numbers(pool, count, kernel);
      const std::shared_ptr<void> staged = allocate_on(*pool.device, bytes);
      pool.device->copy(staged.get(), buffer.data() + at, bytes);
      kernel.places = state->on_device(*pool.device, places);
      kernel.buffer = static_cast<const T *>(staged.get());
      run_numbers(pool, count, kernel);
      pool.device->synchronize();
    });
    at += bytes;
  }
}

void BlockExchange::Impl::start() {
  check();
  if (!communicates()) return;
  const Stopwatch watch(seconds.pack);
  in_flight = true;
  buffers.resize(std::max(buffers.size(), state->peers.size()));
  requests.clear();
  sent = sent_messages = 0;
  list_items();
  const auto size = [&](const PlaceLists &places) {
    std::size_t bytes = 0;
    for (const Item &item : items)
      bytes += item.bytes(places);
    return bytes;
  };
  MPI_Comm comm = state->messages->get();
  for (std::size_t n = 0; n < state->peers.size(); ++n) {
    const ListPeer &peer = state->peers[n];
    buffers[n].in.resize(size(peer.receive));
    if (buffers[n].in.empty()) continue;
    requests.emplace_back();
    mpi::check(MPI_Irecv(buffers[n].in.data(), mpi_count(buffers[n].in.size()), MPI_DOUBLE,
                         peer.rank, state->tag, comm, &requests.back()),
               "MPI_Irecv");
  }
  for (std::size_t n = 0; n < state->peers.size(); ++n) {
    const ListPeer &peer = state->peers[n];
    buffers[n].out.resize(size(peer.send));
    if (buffers[n].out.empty()) continue;
    pack(peer, buffers[n].out);
    requests.emplace_back();
    sent += static_cast<Index>(buffers[n].out.size());
    ++sent_messages;
    mpi::check(MPI_Isend(buffers[n].out.data(), mpi_count(buffers[n].out.size()), MPI_DOUBLE,
                         peer.rank, state->tag, comm, &requests.back()),
               "MPI_Isend");
  }
}

bool BlockExchange::Impl::test() {
  if (!in_flight || requests.empty()) return true;
  const mpi::ReturnedErrors scope;
  int done = 0;
  mpi::check(
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
      "MPI_Testall");
  return done != 0;
}

void BlockExchange::Impl::finish() {
  if (in_flight) {
    {
      const Stopwatch watch(seconds.wait);
      const mpi::ReturnedErrors scope;
      mpi::check(
          MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    }
    const Stopwatch watch(seconds.copies);
    for (std::size_t n = 0; n < state->peers.size(); ++n)
      if (!buffers[n].in.empty()) unpack(state->peers[n], buffers[n].in);
    in_flight = false;
  }
  const Stopwatch watch(seconds.copies);
  for (const AnyBlocks *b : blocks)
    fill(*state, b->pool());
}

BlockExchange::BlockExchange(Forest &forest, std::span<AnyBlocks *const> blocks)
    : impl_(std::make_unique<Impl>()) {
  impl_->state = forest.state().get();
  impl_->blocks.assign(blocks.begin(), blocks.end());
  impl_->check();
}

BlockExchange::~BlockExchange() = default;
BlockExchange::BlockExchange(BlockExchange &&) noexcept = default;
BlockExchange &BlockExchange::operator=(BlockExchange &&) noexcept = default;

void BlockExchange::start() { impl_->start(); }
bool BlockExchange::test() { return impl_->test(); }
void BlockExchange::finish() { impl_->finish(); }
HaloTimes BlockExchange::times() const { return impl_->seconds; }
Index BlockExchange::bytes_sent() const { return impl_->sent; }
Index BlockExchange::messages_sent() const { return impl_->sent_messages; }

void exchange_blocks(Forest &forest, std::span<AnyBlocks *const> blocks) {
  BlockExchange exchange(forest, blocks);
  exchange.start();
  exchange.finish();
}

void correct_fluxes_of(const Forest &forest, std::span<AnyBlocks *const> faces) {
  ForestState &state = *forest.state();
  for (const AnyBlocks *b : faces) {
    const BlockPool &pool = b->pool();
    if (!pool.is_face())
      throw Error(HFFT_ERROR_ARGUMENT,
                  "correct_fluxes: blocks of cells or nodes, expected fluxes at faces");
    const int axis = static_cast<int>(pool.traits.centring) - static_cast<int>(Centring::face_i);
    with_type(pool, [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      run_list(state, pool, state.lists.fluxes[static_cast<std::size_t>(axis)],
               kernels::MeanFluxes<T>{pool.shape, pool.values<T>(), axis});
    });
  }
}

} // namespace hybridfft::grid::detail
