#include "device/cuda/stream.h"

#include <algorithm>
#include <array>

#include "device/cuda/library.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

void *allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void *memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status != cudaErrorMemoryAllocation) {
    check(status, "cudaMalloc");
    return memory;
  }
  ignore(status);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  throw Error(HFFT_ERROR_OUT_OF_MEMORY, "out of memory on the GPU: wanted " + bytes_text(bytes) +
                                            ", free are " + bytes_text(free) + " of " +
                                            bytes_text(total));
}

namespace {

/// CUDA event with a time stamp, unlike CudaEvent.
class TimedEvent {
public:
  TimedEvent() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~TimedEvent() { ignore(cudaEventDestroy(event_)); }
  TimedEvent(const TimedEvent &) = delete;
  TimedEvent &operator=(const TimedEvent &) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Returns the milliseconds from another event to this one, after waiting for this event.
  double since(const TimedEvent &begin) const {
    float ms = 0;
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&ms, begin.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

private:
  cudaEvent_t event_ = nullptr;
};

template <std::size_t N> double median(std::array<double, N> times) {
  std::sort(times.begin(), times.end());
  return times[N / 2];
}

} // namespace

std::pair<double, double> compare(cudaStream_t stream, const std::function<void()> &one,
                                  const std::function<void()> &other) {
  constexpr std::size_t repetitions = 5;
  TimedEvent begin;
  TimedEvent end;
  const auto time_of = [&](const std::function<void()> &way) {
    begin.record(stream);
    way();
    end.record(stream);
    return end.since(begin);
  };
  one();
  other();
  std::array<double, repetitions> ones{};
  std::array<double, repetitions> others{};
  for (std::size_t r = 0; r < repetitions; ++r) {
    ones[r] = time_of(one);
    others[r] = time_of(other);
  }
  return {median(ones), median(others)};
}

namespace {

/// Executable CUDA graph.
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

/// True if the memory is ordinary memory of the host, unknown to CUDA. Asks CUDA only about memory
/// missing in known_, because this call is slow.
bool CudaStream::pageable(const void *memory, std::size_t bytes) const {
  if (known_->contain(memory, bytes)) return false;
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeUnregistered;
}

void CudaStream::copy(void *to, const void *from, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  // CUDA does not specify when it reads or writes pageable memory, so the host waits.
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
