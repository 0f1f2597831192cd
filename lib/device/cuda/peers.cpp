#include "device/cuda/peers.h"

#if HFFT_NCCL

#include <nccl.h>

#include <cstring>

#include "device/cuda/library.h"
#include "device/cuda/stream.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

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

} // namespace hybridfft::device::cuda

#else

namespace hybridfft::device::cuda {

bool has_nccl() { return false; }

std::string make_nccl_id() { return {}; }

std::unique_ptr<Peers> join_nccl(const std::string & /*id*/, int /*rank*/, int /*size*/) {
  return nullptr;
}

} // namespace hybridfft::device::cuda

#endif
