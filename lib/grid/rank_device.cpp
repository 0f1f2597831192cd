#include "grid/rank_device.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "exchange/nodes.h"

namespace hybridfft::grid {

std::unique_ptr<device::Runtime> open_device(const Communicator &comm) {
  const std::shared_ptr<exchange::Communicator> own = exchange::acquire(comm.handle());
  const auto nodes = exchange::nodes_of(*own);
  const std::vector<int> &members = nodes->members(nodes->mine());
  const auto place = std::find(members.begin(), members.end(), comm.rank()) - members.begin();
  std::unique_ptr<device::Runtime> runtime;
  comm.agree([&] { runtime = device::Runtime::open(static_cast<int>(place)); });
  return runtime;
}

double sum_of_device(const Communicator &comm, const device::Runtime &runtime, double mine) {
  struct Share {
    std::array<char, 120> identity{};
    double value = 0;
  };
  Share share{{}, mine};
  const std::string identity = runtime.identity();
  std::copy_n(identity.begin(), std::min(identity.size(), share.identity.size()),
              share.identity.begin());
  std::vector<Share> all(static_cast<std::size_t>(comm.size()));
  mpi::check(MPI_Allgather(&share, sizeof(Share), MPI_BYTE, all.data(), sizeof(Share), MPI_BYTE,
                           comm.handle()),
             "MPI_Allgather");
  double sum = 0;
  for (const Share &other : all)
    if (other.identity == share.identity) sum += other.value;
  return sum;
}

} // namespace hybridfft::grid
