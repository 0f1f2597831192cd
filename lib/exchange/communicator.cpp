#include "exchange/communicator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <list>
#include <mutex>
#include <new>

#include "base/environment.h"
#include "base/error.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

namespace {

using Owner = std::shared_ptr<Communicator>;

/// Duplicates of user communicators, stored as attributes of the user communicators. The list has
/// the order of first use, the same on all ranks. No call holds the mutex while it waits for other
/// ranks, because other threads may make plans on other communicators meanwhile.
struct Cache {
  std::mutex mutex;
  int keyval = MPI_KEYVAL_INVALID;
  std::list<MPI_Comm> users;
};

/// Returns the cache. It is never destroyed, because static destructors may call MPI_Finalize and
/// free communicators. It is not on the heap: a rank without memory must not fail here while others
/// wait.
Cache &cache() {
  alignas(Cache) static std::array<std::byte, sizeof(Cache)> memory;
  static Cache &instance = *new (memory.data()) Cache;
  return instance;
}

/// MPI calls this function when the user frees a communicator, or after forget_communicators().
int delete_attribute(MPI_Comm user, int, void *value, void *) {
  {
    const std::lock_guard lock(cache().mutex);
    cache().users.remove(user);
  }
  delete static_cast<Owner *>(value);
  return MPI_SUCCESS;
}

int keyval() {
  const std::lock_guard lock(cache().mutex);
  if (cache().keyval == MPI_KEYVAL_INVALID)
    mpi::check(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &cache().keyval, nullptr),
        "MPI_Comm_create_keyval");
  return cache().keyval;
}

} // namespace

void Communicator::duplicate(MPI_Comm user) {
  mpi::check(MPI_Comm_dup(user, &comm_), "MPI_Comm_dup");
  ask();
}

void Communicator::split(const Communicator &parent, int colour) {
  mpi::check(MPI_Comm_split(parent.comm_, colour, parent.rank_, &comm_), "MPI_Comm_split");
  ask();
}

void Communicator::ask() {
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  rank_ = mpi::rank(comm_);
  size_ = mpi::size(comm_);
  int level = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, comm_), "MPI_Allreduce");
  threaded_ = level == MPI_THREAD_MULTIPLE;
  void *value = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, static_cast<void *>(&value), &found),
             "MPI_Comm_get_attr");
  const int max_tag = found != 0 ? *static_cast<const int *>(value) : 32767;
  constexpr int tags = ChunkedExchange::tags_of_execution;
  end_of_tag_slots_ =
      std::min(static_cast<int>(taken_tag_slots_.size()), (max_tag - tags + 1) / tags + 1);
  // Slots start above the tags of neighbour exchanges if MPI has enough tags.
  constexpr int beyond_neighbours = 32768 / tags;
  if (end_of_tag_slots_ > 2 * beyond_neighbours) first_tag_slot_ = beyond_neighbours;
}

std::shared_ptr<Communicator> Communicator::group(int ranks, int stride) {
  const std::pair key(ranks, stride);
  if (const auto found = groups_.find(key); found != groups_.end()) return found->second;
  std::shared_ptr<Communicator> made;
  std::map<std::pair<int, int>, std::shared_ptr<Communicator>> entry;
  mpi::all_or_none(comm_, [&] {
    made.reset(new Communicator);
    entry.emplace(key, made);
  });
  made->split(*this, rank_ - rank_ / stride % ranks * stride);
  groups_.merge(entry);
  return made;
}

void Communicator::keep() noexcept {
  kept_ = true;
  if (nodes) nodes->keep();
  for (const auto &[key, group] : groups_)
    group->keep();
}

Communicator::~Communicator() {
  if (comm_ != MPI_COMM_NULL && !kept_ && mpi::running()) MPI_Comm_free(&comm_);
}

TagSlot::TagSlot(std::shared_ptr<Communicator> comm) : comm_(std::move(comm)) {
  const int first = comm_->first_tag_slot_;
  const int slots = comm_->end_of_tag_slots_ - first;
  auto &taken = comm_->taken_tag_slots_;
  if (taken.count() == static_cast<std::size_t>(slots))
    throw Failure(HFFT_ERROR_ARGUMENT,
                  std::to_string(slots) + " plans of the communicator have been started in the " +
                      "background and not been destroyed: MPI has no tags for more");
  const auto next = [&](int number) {
    return number < first || number + 1 == comm_->end_of_tag_slots_ ? first : number + 1;
  };
  number_ = next(comm_->last_tag_slot_);
  while (taken.test(static_cast<std::size_t>(number_)))
    number_ = next(number_);
  comm_->last_tag_slot_ = number_;
  taken.set(static_cast<std::size_t>(number_));
}

std::shared_ptr<Communicator> acquire(MPI_Comm user) {
  const int key = keyval();
  void *value = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(user, key, static_cast<void *>(&value), &found),
             "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Owner *>(value);
  std::unique_ptr<Owner> owner;
  std::list<MPI_Comm> entry;
  mpi::all_or_none(user, [&] {
    owner = std::make_unique<Owner>(new Communicator);
    entry.push_back(user);
  });
  (*owner)->duplicate(user);
  mpi::check(MPI_Comm_set_attr(user, key, owner.get()), "MPI_Comm_set_attr");
  const std::lock_guard lock(cache().mutex);
  cache().users.splice(cache().users.end(), entry);
  return *owner.release();
}

void forget_communicators() {
  const auto next = [] {
    const std::lock_guard lock(cache().mutex);
    return cache().users.empty() ? MPI_COMM_NULL : cache().users.front();
  };
  for (MPI_Comm user = next(); user != MPI_COMM_NULL; user = next())
    if (MPI_Comm_delete_attr(user, cache().keyval) != MPI_SUCCESS) return;
}

namespace {

/// Returns the value of HFFT_RANKS_PER_NODE; 0 if it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT) unless it is a positive number.
int wanted_ranks_per_node() {
  const std::string text = environment_value("HFFT_RANKS_PER_NODE");
  if (text.empty()) return 0;
  int ranks = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ranks);
  if (error != std::errc() || rest != end || ranks < 1)
    throw wrong_variable("HFFT_RANKS_PER_NODE", text, "a positive number");
  return ranks;
}

/// Returns a communicator of the ranks that share memory with this rank, at most `most` of them; 0:
/// no limit.
MPI_Comm split_by_memory(const Communicator &comm, int most) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(
      MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
      "MPI_Comm_split_type");
  if (most == 0) return node;
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_split(node, mpi::rank(node) / most, mpi::rank(node), &part);
  MPI_Comm_free(&node);
  mpi::check(code, "MPI_Comm_split");
  return part;
}

} // namespace

void Nodes::find(const Communicator &comm) {
  std::vector<int> first_of;
  std::int64_t most = 0; // ranks per node that rank 0 wants
  mpi::all_or_none(comm.get(),
                   [&] {
                     if (comm.rank() == 0) most = wanted_ranks_per_node();
                     first_of.resize(static_cast<std::size_t>(comm.size()));
                   },
                   {&most, 1});
  comm_ = split_by_memory(comm, static_cast<int>(most));
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int first = comm.rank();
  mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_), "MPI_Bcast");
  mpi::check(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, comm.get()),
             "MPI_Allgather");
  mpi::all_or_none(comm.get(), [&] {
    for (int r = 0; r < comm.size(); ++r) {
      const int lowest = first_of[static_cast<std::size_t>(r)];
      if (lowest == r) members_.emplace_back();
      const auto node = lowest == r ? count() - 1 : node_of(lowest);
      node_of_.push_back(node);
      members_[static_cast<std::size_t>(node)].push_back(r);
    }
  });
  mine_ = node_of(comm.rank());
}

Nodes::~Nodes() {
  if (comm_ != MPI_COMM_NULL && !kept_ && mpi::running()) MPI_Comm_free(&comm_);
}

std::shared_ptr<const Nodes> nodes_of(Communicator &comm) {
  if (comm.nodes) return comm.nodes;
  std::shared_ptr<Nodes> made;
  mpi::all_or_none(comm.get(), [&] { made.reset(new Nodes); });
  made->find(comm);
  return comm.nodes = std::move(made);
}

} // namespace hybridfft::exchange
