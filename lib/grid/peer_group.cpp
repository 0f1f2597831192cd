#include "grid/peer_group.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"

namespace hybridfft::grid {

namespace {

std::unique_ptr<device::Peers> join(MPI_Comm comm, device::Runtime &runtime) {
  const int rank = mpi::rank(comm);
  std::string id;
  std::int64_t bytes = 0;
  mpi::all_or_none(comm,
                   [&] {
                     if (rank == 0) id = runtime.make_peers_id();
                     bytes = static_cast<std::int64_t>(id.size());
                   },
                   {&bytes, 1});
  mpi::all_or_none(comm, [&] { id.resize(static_cast<std::size_t>(bytes)); });
  mpi::check(MPI_Bcast(id.data(), static_cast<int>(bytes), MPI_BYTE, 0, comm), "MPI_Bcast");
  std::unique_ptr<device::Peers> peers;
  mpi::all_or_none(comm, [&] {
    peers = runtime.join_peers(id, rank, mpi::size(comm));
    if (peers == nullptr) throw Failure(HFFT_ERROR_UNSUPPORTED, "the device has no NCCL");
  });
  return peers;
}

} // namespace

std::shared_ptr<PeerGroup> group_of(const Communicator &comm, device::Runtime &runtime) {
  static std::vector<std::weak_ptr<PeerGroup>> groups;
  auto duplicate = exchange::acquire(comm.handle());
  std::erase_if(groups, [](const auto &group) { return group.expired(); });
  for (const std::weak_ptr<PeerGroup> &group : groups)
    if (auto found = group.lock(); found->runtime == &runtime && found->comm == duplicate)
      return found;
  auto peers = join(duplicate->get(), runtime);
  std::shared_ptr<PeerGroup> made;
  comm.agree([&] {
    made = std::make_shared<PeerGroup>(
        PeerGroup{&runtime, std::move(duplicate), std::move(peers), runtime.make_stream()});
    groups.push_back(made);
  });
  return made;
}

} // namespace hybridfft::grid
