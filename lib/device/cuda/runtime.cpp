// A CUDA device, and messages between devices of different ranks by NCCL, which is loaded at run
// time.
#include "device/cuda/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "device/cuda/library.h"
#include "device/cuda/stream.h"
#include "hybridfft/error.hpp"

#if HFFT_NCCL
#include <nccl.h>
#endif

namespace hybridfft::device::cuda {

namespace {

std::string bus_id(int device) {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), int(text.size()), device), "cudaDeviceGetPCIBusId");
  return text.data();
}

} // namespace

CudaRuntime::CudaRuntime(int device) : device_(device) {
  use();
  check(cudaGetDeviceProperties(&properties_, device), "cudaGetDeviceProperties");
  compute_ = make_stream();
  copies_ = make_stream();
}

CudaRuntime::~CudaRuntime() {
  ignore(cudaSetDevice(device_));
  ignore(cudaDeviceSynchronize());
}

void CudaRuntime::use() const { check(cudaSetDevice(device_), "cudaSetDevice"); }

std::string CudaRuntime::describe() const {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), ", %.1f GiB, compute capability %d.%d, PCI ",
                double(properties_.totalGlobalMem) / (1 << 30), properties_.major,
                properties_.minor);
  return properties_.name + std::string(text.data()) + bus_id(device_);
}

std::string CudaRuntime::identity() const {
  const char *const uuid = properties_.uuid.bytes;
  std::string text;
  for (std::size_t i = 0; i < sizeof(properties_.uuid.bytes); ++i) {
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid[i]));
    text += digits.data();
  }
  if (text.find_first_not_of('0') != std::string::npos) return "GPU-" + text;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return bus_id(device_) + " on " + host.data();
}

MemoryInfo CudaRuntime::memory() const {
  use();
  MemoryInfo info;
  check(cudaMemGetInfo(&info.free, &info.total), "cudaMemGetInfo");
  return info;
}

void *CudaRuntime::allocate(std::size_t bytes) {
  use();
  void *const memory = cuda::allocate(bytes);
  known_->add(memory, bytes);
  return memory;
}

void CudaRuntime::deallocate(void *memory) noexcept {
  if (memory == nullptr) return;
  known_->remove(memory);
  ignore(cudaSetDevice(device_));
  ignore(cudaFree(memory));
}

void CudaRuntime::pin(void *host_memory, std::size_t bytes) {
  if (bytes == 0) return;
  use();
  const cudaError_t status = cudaHostRegister(host_memory, bytes, cudaHostRegisterPortable);
  // A failure is ignored: copies from memory that is not pinned are slower but correct, and systems
  // that cannot pin memory return many different codes. Errors of earlier kernels are not lost,
  // because the next call reports them again.
  if (status == cudaSuccess)
    known_->add(host_memory, bytes);
  else
    ignore(status);
}

void CudaRuntime::unpin(void *host_memory) noexcept {
  if (host_memory == nullptr) return;
  known_->remove(host_memory);
  ignore(cudaHostUnregister(host_memory));
}

std::unique_ptr<Stream> CudaRuntime::make_stream() {
  use();
  return std::make_unique<CudaStream>(known_);
}

std::unique_ptr<Event> CudaRuntime::make_event() {
  use();
  return std::make_unique<CudaEvent>();
}

std::unique_ptr<Graph> CudaRuntime::capture(Stream &stream, const std::function<void()> &work) {
  use();
  work_area_->keep_addresses();
  return capture_graph(handle_of(stream), work);
}

std::unique_ptr<Fft<float>> CudaRuntime::make_fft_float(const FftShape &shape,
                                                        std::complex<float> *spectra) {
  use();
  return make_cufft<float>(shape, work_area_, compute(), spectra);
}

std::unique_ptr<Fft<double>> CudaRuntime::make_fft_double(const FftShape &shape,
                                                          std::complex<double> *spectra) {
  use();
  return make_cufft<double>(shape, work_area_, compute(), spectra);
}

std::size_t CudaRuntime::fft_work_bytes(const FftShape &shape, bool double_precision) const {
  use();
  return cuda::fft_work_bytes(shape, double_precision);
}

bool CudaRuntime::has_peers() const { return has_nccl(); }

std::string CudaRuntime::make_peers_id() {
  use();
  return make_nccl_id();
}

std::unique_ptr<Peers> CudaRuntime::join_peers(const std::string &id, int rank, int size) {
  use();
  return join_nccl(id, rank, size);
}

#if HFFT_NCCL

namespace {

/// Functions of NCCL used here. Their names lack the prefix "nccl".
struct Nccl {
  bool found = false;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) recv = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;
};

const Nccl &nccl() {
  static const Nccl functions = [] {
    SharedLibrary library("libnccl.so.2");
    Nccl f;
    library.find(f.get_unique_id, "ncclGetUniqueId");
    library.find(f.comm_init_rank, "ncclCommInitRank");
    library.find(f.comm_destroy, "ncclCommDestroy");
    library.find(f.comm_abort, "ncclCommAbort");
    library.find(f.comm_get_async_error, "ncclCommGetAsyncError");
    library.find(f.group_start, "ncclGroupStart");
    library.find(f.group_end, "ncclGroupEnd");
    library.find(f.send, "ncclSend");
    library.find(f.recv, "ncclRecv");
    library.find(f.get_error_string, "ncclGetErrorString");
    library.find(f.get_last_error, "ncclGetLastError");
    f.found = library.problem().empty();
    return f;
  }();
  return functions;
}

void check(ncclResult_t status, const char *call, ncclComm_t comm = nullptr,
           hfft_error code = HFFT_ERROR_INTERNAL) {
  if (status == ncclSuccess) return;
  std::string text = std::string("NCCL: ") + call + " failed: " + nccl().get_error_string(status);
  const char *more = nccl().get_last_error(comm);
  if (more != nullptr && *more != '\0') text += std::string(" (") + more + ")";
  throw Error(code, text);
}

class NcclPeers final : public Peers {
public:
  NcclPeers(const ncclUniqueId &id, int rank, int size) {
    check(nccl().comm_init_rank(&comm_, size, id, rank), "ncclCommInitRank", nullptr,
          HFFT_ERROR_UNSUPPORTED);
  }
  ~NcclPeers() override {
    // After a failure an orderly shutdown could wait forever for other ranks.
    if (failed_)
      nccl().comm_abort(comm_);
    else
      nccl().comm_destroy(comm_);
  }
  NcclPeers(const NcclPeers &) = delete;
  NcclPeers &operator=(const NcclPeers &) = delete;

  void begin() override { run(nccl().group_start(), "ncclGroupStart"); }
  void send(Stream &stream, const void *from, std::size_t bytes, int rank) override {
    run(nccl().send(from, bytes, ncclInt8, rank, comm_, handle_of(stream)), "ncclSend");
  }
  void receive(Stream &stream, void *to, std::size_t bytes, int rank) override {
    run(nccl().recv(to, bytes, ncclInt8, rank, comm_, handle_of(stream)), "ncclRecv");
  }
  void end() override {
    run(nccl().group_end(), "ncclGroupEnd");
    ncclResult_t earlier = ncclSuccess;
    run(nccl().comm_get_async_error(comm_, &earlier), "ncclCommGetAsyncError");
    run(earlier, "an exchange");
  }

private:
  void run(ncclResult_t status, const char *call) {
    failed_ = failed_ || status != ncclSuccess;
    check(status, call, comm_);
  }

  ncclComm_t comm_ = nullptr;
  bool failed_ = false;
};

} // namespace

bool has_nccl() { return nccl().found; }

std::string make_nccl_id() {
  if (!nccl().found) return {};
  ncclUniqueId id{};
  check(nccl().get_unique_id(&id), "ncclGetUniqueId", nullptr, HFFT_ERROR_UNSUPPORTED);
  return {id.internal, sizeof(id.internal)};
}

std::unique_ptr<Peers> join_nccl(const std::string &id, int rank, int size) {
  ncclUniqueId bytes{};
  if (!nccl().found || id.size() != sizeof(bytes.internal)) return nullptr;
  std::memcpy(bytes.internal, id.data(), sizeof(bytes.internal));
  return std::make_unique<NcclPeers>(bytes, rank, size);
}

#else

bool has_nccl() { return false; }

std::string make_nccl_id() { return {}; }

std::unique_ptr<Peers> join_nccl(const std::string & /*id*/, int /*rank*/, int /*size*/) {
  return nullptr;
}

#endif

} // namespace hybridfft::device::cuda
