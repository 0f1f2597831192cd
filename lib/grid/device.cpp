// Opens a device for each rank, and copies and allocates on it. Ranks of a node are assigned to its
// devices in turn.
#include "hybridfft/grid/device.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "device/runtime.h"
#include "exchange/communicator.h"
#include "grid/device_messages.h"

namespace hybridfft::grid {

Device Device::open(const Communicator &comm) { return Device(open_device(comm)); }

std::string Device::describe() const { return runtime_->describe(); }

std::size_t Device::free_bytes() const { return runtime_->memory().free; }

void Device::synchronize() const { runtime_->compute().synchronize(); }

void Device::copy(void *to, const void *from, std::size_t bytes) const {
  runtime_->compute().copy(to, from, bytes);
  runtime_->compute().synchronize();
}

void *Device::stream() const { return runtime_->compute().handle(); }

void Device::run(std::function<void()> work) const {
  if (stream() != nullptr)
    throw Error(
        HFFT_ERROR_UNSUPPORTED,
        "work for a device of CUDA: this program was built without kernels for it, expected "
        "HFFT_CUDA_KERNEL in files that nvcc compiles, and HFFT_CUDA=1");
  runtime_->compute().run(std::move(work));
}

namespace detail {

std::shared_ptr<void> allocate_on(const Device &device, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::shared_ptr<device::Runtime> runtime = device.runtime_;
  std::shared_ptr<void> memory(runtime->allocate(bytes),
                               [runtime](void *p) { runtime->deallocate(p); });
  runtime->compute().clear(memory.get(), bytes);
  return memory;
}

void copy(const Device &device, void *to, const void *from, std::size_t bytes) {
  device.copy(to, from, bytes);
}

} // namespace detail

namespace {

/// Returns the number of this rank among the ranks of its node.
int place_on_node(const Communicator &comm) {
  const std::shared_ptr<exchange::Communicator> own = exchange::acquire(comm.handle());
  const auto nodes = exchange::nodes_of(*own);
  const std::vector<int> &members = nodes->members(nodes->mine());
  return static_cast<int>(std::find(members.begin(), members.end(), comm.rank()) - members.begin());
}

} // namespace

std::unique_ptr<device::Runtime> open_device(const Communicator &comm) {
  const int place = place_on_node(comm);
  std::unique_ptr<device::Runtime> runtime;
  comm.agree([&] { runtime = device::Runtime::open(place); });
  return runtime;
}

std::unique_ptr<device::Runtime> open_device_or_processors(const Communicator &comm, int threads) {
  const int place = place_on_node(comm);
  bool processors = false;
  std::unique_ptr<device::Runtime> runtime;
  comm.agree([&] {
    // On a node without devices, the first rank tries to open a device, and so reports why this
    // fails.
    processors = place >= std::max(device::Runtime::count(), 1);
    runtime = processors ? device::make_host(threads) : device::Runtime::open(place);
  });
  const double on_processors = comm.sum(processors ? 1.0 : 0.0);
  if (on_processors == 0)
    throw Failure(HFFT_ERROR_UNSUPPORTED,
                  "ranks on GPUs and on processors: found " + std::to_string(comm.size()) +
                      " ranks, and a GPU for each of them, expected more ranks on some node than "
                      "it has GPUs");
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
