// Stores the values of blocks in pools of equal slots. A pool reserves address space. A slot takes
// memory from its first use on.
#include "hybridfft/grid/blocks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "grid/forest_state.h"
#include "hybridfft/error.hpp"

namespace hybridfft::grid {

namespace detail {

namespace {

/// Reserves address space. The system assigns memory at the first access. Large pages are requested
/// because copies of ghosts touch many distant addresses.
std::shared_ptr<std::byte> reserve_addresses(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory: addresses of " + std::to_string(bytes) +
                                              " bytes for blocks could not be reserved");
  madvise(memory, bytes, MADV_HUGEPAGE); // fails on systems without large pages, which does no harm
  return {static_cast<std::byte *>(memory), [bytes](std::byte *p) { munmap(p, bytes); }};
}

void require(bool right, const std::string &message) {
  if (!right) throw Error(HFFT_ERROR_ARGUMENT, message);
}

} // namespace

BlockPool::BlockPool(ForestState &state, const Device *on, int variable_count,
                     const BlockTraits &block_traits, std::size_t bytes, int thread_count)
    : number(state.pools_made++), variables(variable_count), traits(block_traits),
      value_bytes(bytes), threads(thread_count), shape(state.points.shape) {
  if (on != nullptr) device = *on;
  require(variables >= 1,
          "blocks have " + std::to_string(variables) + " variables, expected 1 or more");
  require(traits.vector < 0 || traits.vector + state.shape.dimensions <= variables,
          "blocks have a vector at variable " + std::to_string(traits.vector) + " of " +
              std::to_string(variables) + ", expected room for " +
              std::to_string(state.shape.dimensions) + " components");
  for (int a = 0; a < 3; ++a) {
    const bool face =
        is_face() && static_cast<int>(traits.centring) - static_cast<int>(Centring::face_i) == a;
    const bool more = a >= shape.first_axis && (is_node() || face);
    extents[a] = shape.cells[a] + (more ? 1 : 0);
    ghosts[a] = is_face() ? 0 : shape.ghosts[a];
  }
  require(!is_face() || traits.centring != Centring::face_i || shape.first_axis == 0,
          "blocks have fluxes along i in two dimensions, expected j or k");
  strides[3] = extents[2] + 2 * ghosts[2];
  strides[2] = (extents[1] + 2 * ghosts[1]) * strides[3];
  strides[1] = (extents[0] + 2 * ghosts[0]) * strides[2];
  strides[0] = variables * strides[1];
  lead = ghosts[0] * strides[2] + ghosts[1] * strides[3] + ghosts[2];
  if (!device) {
    capacity = state.shape.capacity;
    memory = reserve_addresses(static_cast<std::size_t>(capacity) * slot_bytes());
  }
}

void BlockPool::reserve(Index count) {
  if (!device || count <= capacity) return;
  const Index grown = std::max(count, capacity + capacity / 2);
  const std::shared_ptr<void> owner =
      allocate_on(*device, static_cast<std::size_t>(grown) * slot_bytes());
  std::shared_ptr<std::byte> larger(owner, static_cast<std::byte *>(owner.get()));
  const std::size_t bytes = static_cast<std::size_t>(capacity) * slot_bytes();
  if (bytes > 0) {
    std::vector<std::byte> values(bytes);
    device->copy(values.data(), memory.get(), bytes);
    device->copy(larger.get(), values.data(), bytes);
  }
  memory = std::move(larger);
  capacity = grown;
}

void BlockPool::copy_slot(Index to, Index from) {
  if (!device) {
    std::memcpy(slot(to), slot(from), slot_bytes());
    return;
  }
  const auto copy = [&](auto *first) {
    using T = std::remove_pointer_t<decltype(first)>;
    parallel_for(*device, Box(1, 1, strides[0]), kernels::CopySlot<T>{first, strides[0], to, from});
  };
  if (value_bytes == sizeof(float)) return copy(first<float>());
  copy(first<double>());
}

void BlockPool::read_slot(Index n, std::byte *to) const {
  if (device) return device->copy(to, slot(n), slot_bytes());
  std::memcpy(to, slot(n), slot_bytes());
}

void BlockPool::write_slot(Index n, const std::byte *from) {
  if (device) return device->copy(slot(n), from, slot_bytes());
  std::memcpy(slot(n), from, slot_bytes());
}

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::size_t centring_of(const BlockPool &pool) {
  return static_cast<std::size_t>(pool.traits.centring);
}

/// Adds a pool to its forest. Rebuilds the forest's lists if they lack the pool's kind of points.
void enrol(ForestState &state, BlockPool &pool) {
  state.pools[pool.number] = &pool;
  ++state.live[centring_of(pool)];
  const ListUse use = state.use();
  if ((use.cells && !state.listed.cells) || (use.nodes && !state.listed.nodes)) state.relist();
  pool.reserve(state.slots.high());
}

void leave(ForestState &state, BlockPool &pool) {
  state.pools.erase(pool.number);
  --state.live[centring_of(pool)];
}

} // namespace

AnyBlocks::AnyBlocks(const Forest &forest, const Device *device, int variables,
                     const BlockTraits &traits, std::size_t value_bytes, int threads)
    : id_(next_id()), forest_(forest.state()) {
  forest_->comm.agree([&] {
    pool_ = std::make_unique<BlockPool>(*forest_, device, variables, traits, value_bytes, threads);
  });
  enrol(*forest_, *pool_);
}

AnyBlocks::AnyBlocks(std::shared_ptr<ForestState> forest, std::unique_ptr<BlockPool> pool)
    : id_(next_id()), forest_(std::move(forest)), pool_(std::move(pool)) {
  enrol(*forest_, *pool_);
}

AnyBlocks::~AnyBlocks() {
  if (pool_ != nullptr) leave(*forest_, *pool_);
}

AnyBlocks::AnyBlocks(AnyBlocks &&other) noexcept
    : id_(next_id()), forest_(std::move(other.forest_)), pool_(std::move(other.pool_)) {}

AnyBlocks &AnyBlocks::operator=(AnyBlocks &&other) noexcept {
  forest_.swap(other.forest_);
  pool_.swap(other.pool_);
  return *this;
}

AnyBlocks AnyBlocks::similar() const {
  std::unique_ptr<BlockPool> pool;
  forest_->comm.agree([&] {
    pool = std::make_unique<BlockPool>(*forest_, device(), variables(), traits(),
                                       pool_->value_bytes, pool_->threads);
    pool->absent_values = pool_->absent_values;
  });
  return {forest_, std::move(pool)};
}

void AnyBlocks::set_absent(std::size_t trees, const void *values) {
  const ForestShape &shape = forest_->shape;
  const Index expected = shape.trees[0] * shape.trees[1] * shape.trees[2];
  require(traits().centring == Centring::cell,
          "absent: found blocks of nodes or faces, expected cells");
  require(static_cast<Index>(trees) == expected, "absent: found " + std::to_string(trees) +
                                                     " signs, expected one for each of " +
                                                     std::to_string(expected) + " trees");
  const std::size_t bytes = trees * pool_->value_bytes;
  std::shared_ptr<void> memory;
  if (pool_->device) {
    memory = allocate_on(*pool_->device, bytes);
    pool_->device->copy(memory.get(), values, bytes);
  } else {
    const auto copy = std::make_shared<std::vector<std::byte>>(bytes);
    std::memcpy(copy->data(), values, bytes);
    memory = {copy, copy->data()};
  }
  pool_->absent_values = std::move(memory);
}

int AnyBlocks::variables() const { return pool_->variables; }
const BlockTraits &AnyBlocks::traits() const { return pool_->traits; }
const Device *AnyBlocks::device() const { return pool_->device ? &*pool_->device : nullptr; }

std::size_t AnyBlocks::bytes() const {
  return static_cast<std::size_t>(forest_->slots.high()) * pool_->slot_bytes();
}

void *AnyBlocks::origin(Index (&strides)[4]) const {
  std::copy(std::begin(pool_->strides), std::end(pool_->strides), std::begin(strides));
  if (pool_->memory == nullptr) return nullptr;
  return pool_->memory.get() + static_cast<std::size_t>(pool_->lead) * pool_->value_bytes;
}

namespace {

/// Calls f(offset, number) for each row of inner values of a slot, with the byte offset of the row
/// in the slot.
template <class F> void for_inner_rows(const BlockPool &pool, const F &f) {
  std::size_t row = 0;
  for (Index v = 0; v < pool.variables; ++v)
    for (Index i = 0; i < pool.extents[0]; ++i)
      for (Index j = 0; j < pool.extents[1]; ++j) {
        const Index at =
            pool.lead + v * pool.strides[1] + i * pool.strides[2] + j * pool.strides[3];
        f(static_cast<std::size_t>(at) * pool.value_bytes, row++);
      }
}

} // namespace

void AnyBlocks::read_values(Index slot, void *values) const {
  std::vector<std::byte> copy;
  const std::byte *from = pool_->device ? nullptr : pool_->slot(slot);
  if (pool_->device) {
    copy.resize(pool_->slot_bytes());
    pool_->read_slot(slot, copy.data());
    from = copy.data();
  }
  const std::size_t bytes = static_cast<std::size_t>(pool_->extents[2]) * pool_->value_bytes;
  for_inner_rows(*pool_, [&](std::size_t at, std::size_t row) {
    std::memcpy(static_cast<std::byte *>(values) + row * bytes, from + at, bytes);
  });
}

void AnyBlocks::write_values(Index slot, const void *values) const {
  std::vector<std::byte> copy;
  std::byte *to = pool_->device ? nullptr : pool_->slot(slot);
  if (pool_->device) {
    copy.resize(pool_->slot_bytes());
    pool_->read_slot(slot, copy.data());
    to = copy.data();
  }
  const std::size_t bytes = static_cast<std::size_t>(pool_->extents[2]) * pool_->value_bytes;
  for_inner_rows(*pool_, [&](std::size_t at, std::size_t row) {
    std::memcpy(to + at, static_cast<const std::byte *>(values) + row * bytes, bytes);
  });
  if (pool_->device) pool_->write_slot(slot, copy.data());
}

} // namespace detail

} // namespace hybridfft::grid
