#include "exchange/communicator.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

namespace {

using Owner = std::shared_ptr<Communicator>;

/// The user's communicators that carry a duplicate as an attribute, in the order of first use
/// (the same on all ranks). The mutex is held in no call that waits for other ranks: threads may
/// make plans on different communicators at the same time.
struct Cache {
  std::mutex mutex;
  int keyval = MPI_KEYVAL_INVALID;
  std::vector<MPI_Comm> users;
};

/// Never destroyed: MPI_Finalize, which frees communicators, may be called by the destructor of a
/// global object.
Cache &cache() {
  static Cache &instance = *new Cache;
  return instance;
}

/// Called by MPI when the user frees a communicator, or by forget_communicators.
int delete_attribute(MPI_Comm user, int, void *value, void *) {
  {
    const std::lock_guard lock(cache().mutex);
    std::vector<MPI_Comm> &users = cache().users;
    users.erase(std::remove(users.begin(), users.end(), user), users.end());
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

Communicator::Communicator(MPI_Comm user) {
  mpi::check(MPI_Comm_dup(user, &comm_), "MPI_Comm_dup");
  ask();
}

Communicator::Communicator(const Communicator &parent, int colour) {
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
}

std::shared_ptr<Communicator> Communicator::group(int ranks, int stride) {
  std::shared_ptr<Communicator> &known = groups_[{ranks, stride}];
  if (!known)
    known = std::make_shared<Communicator>(*this, rank_ - rank_ / stride % ranks * stride);
  return known;
}

Communicator::~Communicator() {
  if (mpi::running()) MPI_Comm_free(&comm_);
}

int Communicator::take_number() {
  const int number = started_ % most_under_way + 1;
  if (taken_.test(static_cast<std::size_t>(number)))
    throw Failure(HFFT_ERROR_ARGUMENT,
                  "an execution that was started " + std::to_string(most_under_way) +
                      " executions ago has not been waited for: wait for some");
  started_ = number;
  taken_.set(static_cast<std::size_t>(number));
  return number;
}

std::shared_ptr<Communicator> acquire(MPI_Comm user) {
  const int key = keyval();
  void *value = nullptr;
  int found = 0;
  mpi::check(MPI_Comm_get_attr(user, key, static_cast<void *>(&value), &found),
             "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Owner *>(value);
  auto owner = std::make_unique<Owner>(std::make_shared<Communicator>(user));
  mpi::check(MPI_Comm_set_attr(user, key, owner.get()), "MPI_Comm_set_attr");
  const std::lock_guard lock(cache().mutex);
  cache().users.push_back(user);
  return *owner.release();
}

void forget_communicators() {
  const std::vector<MPI_Comm> users = [] {
    const std::lock_guard lock(cache().mutex);
    return cache().users;
  }();
  for (MPI_Comm user : users)
    MPI_Comm_delete_attr(user, cache().keyval);
}

} // namespace hybridfft::exchange
