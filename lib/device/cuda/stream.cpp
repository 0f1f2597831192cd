#include "device/cuda/stream.h"

#include "device/cuda/check.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

namespace {

class CudaGraph final : public Graph {
public:
  explicit CudaGraph(cudaGraph_t graph) {
    check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
  }
  ~CudaGraph() override { ignore(cudaGraphExecDestroy(executable_)); }
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;

  void launch(Stream &stream) override {
    check(cudaGraphLaunch(executable_, handle_of(stream)), "cudaGraphLaunch");
  }

private:
  cudaGraphExec_t executable_ = nullptr;
};

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { ignore(cudaGraphDestroy(graph)); }
};

} // namespace

CudaEvent::CudaEvent() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

CudaEvent::~CudaEvent() { ignore(cudaEventDestroy(event_)); }

bool CudaEvent::reached() const {
  const cudaError_t status = cudaEventQuery(event_);
  if (status != cudaErrorNotReady) check(status, "cudaEventQuery");
  ignore(status);
  return status == cudaSuccess;
}

void CudaEvent::synchronize() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

CudaStream::CudaStream(std::shared_ptr<const AddressRanges> known) : known_(std::move(known)) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

CudaStream::~CudaStream() { ignore(cudaStreamDestroy(stream_)); }

/// True if the memory is not registered with CUDA, so that the host may touch it at any time. Asks
/// CUDA only about memory of other libraries.
bool CudaStream::pageable(const void *memory, std::size_t bytes) const {
  if (known_->contain(memory, bytes)) return false;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeUnregistered;
}

void CudaStream::copy(void *to, const void *from, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  // CUDA does not specify when it has read or written pageable memory.
  if (pageable(to, bytes) || pageable(from, bytes)) synchronize();
}

void CudaStream::clear(void *memory, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(memory, 0, bytes, stream_), "cudaMemsetAsync");
}

void CudaStream::record(Event &event) {
  check(cudaEventRecord(static_cast<CudaEvent &>(event).handle(), stream_), "cudaEventRecord");
}

void CudaStream::wait(const Event &event) {
  check(cudaStreamWaitEvent(stream_, static_cast<const CudaEvent &>(event).handle(), 0),
        "cudaStreamWaitEvent");
}

void CudaStream::synchronize() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

void CudaStream::run(std::function<void()> /*work*/) {
  throw Error(HFFT_ERROR_INTERNAL, "a stream of CUDA was given work of the host");
}

std::unique_ptr<Graph> capture_graph(cudaStream_t stream, const std::function<void()> &work) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  cudaGraph_t captured = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &captured);
  const std::unique_ptr<CUgraph_st, DestroyGraph> graph(captured);
  if (status == cudaErrorStreamCaptureInvalidated || status == cudaErrorStreamCaptureUnsupported) {
    ignore(status);
    return nullptr;
  }
  if (failure) std::rethrow_exception(failure);
  check(status, "cudaStreamEndCapture");
  return std::make_unique<CudaGraph>(captured);
}

} // namespace hybridfft::device::cuda
