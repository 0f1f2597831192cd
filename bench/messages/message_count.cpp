// Stores the counts of a process. The functions of interposed.cpp report each call to it.
#include "messages/message_count.h"

#include <map>
#include <mutex>

#include "messages/recorder.h"

namespace hybridfft {

namespace {

struct Message {
  long long bytes;
  bool has_gaps;
  int to; ///< rank of MPI_COMM_WORLD
};

struct Recorder {
  std::mutex mutex;
  bool on = false;
  int rank = 0;
  MessageCount count;
  std::map<MPI_Request, Message> persistent; ///< includes requests made while nothing is counted
  std::map<MPI_Win, MPI_Comm> windows;
};

Recorder &recorder() {
  static Recorder instance;
  return instance;
}

/// Converts a rank of comm to its rank in MPI_COMM_WORLD. For an intercommunicator, `to` is a rank
/// of the remote group.
int world_rank(int to, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return MPI_PROC_NULL;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if (is_inter != 0)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int rank = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group, 1, &to, world, &rank);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return rank;
}

Message message_of(long long count, MPI_Datatype type, int to, MPI_Comm comm) {
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_true_extent_x(type, &lower, &extent);
  return {count * static_cast<long long>(size), extent != size, world_rank(to, comm)};
}

void add(Recorder &r, const Message &m) {
  if (m.to == MPI_PROC_NULL || m.to == MPI_UNDEFINED || m.bytes == 0) return;
  if (m.has_gaps) r.count.packed_bytes += m.bytes;
  if (m.to == r.rank) {
    r.count.self_bytes += m.bytes;
    return;
  }
  MessageCount::To &to = r.count.to.at(static_cast<std::size_t>(m.to));
  ++r.count.messages;
  ++to.messages;
  r.count.bytes += m.bytes;
  to.bytes += m.bytes;
}

} // namespace

void start_counting_messages() {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  r.count = {};
  r.count.to.resize(static_cast<std::size_t>(ranks));
  r.on = true;
}

MessageCount stop_counting_messages() {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  r.on = false;
  return r.count;
}

namespace message_recorder {

bool is_on() {
  const std::lock_guard lock(recorder().mutex);
  return recorder().on;
}

void sends(long long count, MPI_Datatype type, int to, MPI_Comm comm) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  if (r.on) add(r, message_of(count, type, to, comm));
}

void calls_collective() {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  if (r.on) ++r.count.collectives;
}

void makes_persistent(MPI_Request request, long long count, MPI_Datatype type, int to,
                      MPI_Comm comm) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  r.persistent[request] = message_of(count, type, to, comm);
}

void starts(MPI_Request request) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  const auto found = r.persistent.find(request);
  if (r.on && found != r.persistent.end()) add(r, found->second);
}

void frees(MPI_Request request) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  r.persistent.erase(request);
}

void makes_window(MPI_Win window, MPI_Comm comm) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  r.windows[window] = comm;
}

MPI_Comm communicator_of(MPI_Win window) {
  Recorder &r = recorder();
  const std::lock_guard lock(r.mutex);
  const auto found = r.windows.find(window);
  return found == r.windows.end() ? MPI_COMM_NULL : found->second;
}

} // namespace message_recorder

} // namespace hybridfft
