/// Interface of a device that computes beside the host. It has its own memory, streams of work and
/// FFTs. CUDA implements it for GPUs. The emulated device implements it on the host, to test
/// everything except CUDA's own calls.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::device {

using grid::Index;

/// A point in a stream, for which the host and other streams can wait. An event that was never
/// recorded counts as reached.
class Event {
public:
  virtual ~Event() = default;
  /// True if the device has reached the point of the last record. Does not wait.
  virtual bool reached() const = 0;
  /// Blocks the host until the event is reached.
  virtual void synchronize() const = 0;
};

/// Work that a device does in order while the host continues. Only events order the work of
/// different streams. If work fails, a later call throws Error(HFFT_ERROR_INTERNAL), which names
/// this later call.
class Stream {
public:
  virtual ~Stream() = default;

  /// Copies between memory of the device and of the host, in any direction. The host waits if its
  /// memory is not pinned.
  virtual void copy(void *to, const void *from, std::size_t bytes) = 0;
  /// Sets bytes of the device's memory to zero.
  virtual void clear(void *memory, std::size_t bytes) = 0;
  /// Records the event in the stream. The event is reached when all work enqueued before it is
  /// done.
  virtual void record(Event &event) = 0;
  /// Lets later work in this stream wait until the last record of the event is reached.
  virtual void wait(const Event &event) = 0;
  /// Blocks the host until all enqueued work is done.
  virtual void synchronize() = 0;

  /// Returns the cudaStream_t. Other streams return nullptr and take work by run() (see launch.h).
  virtual void *handle() const { return nullptr; }
  /// Enqueues work of the host.
  /// \throws Error(HFFT_ERROR_INTERNAL) for streams of CUDA
  virtual void run(std::function<void()> work) = 0;
  /// Enqueues work on the points of a box. Threads may divide the box and run concurrently.
  virtual void run(const grid::Box &box, std::function<void(const grid::Box &)> work) {
    run([box, work = std::move(work)] { work(box); });
  }
};

/// Recorded work of a stream. Each launch() enqueues all of it.
class Graph {
public:
  virtual ~Graph() = default;
  /// Enqueues the recorded work in a stream of the same runtime.
  virtual void launch(Stream &stream) = 0;
};

/// Shape of transforms of n[0] x n[1] x n[2] reals. Rows are padded to 2 (n[2]/2 + 1) values. The
/// half spectra have n[0] x n[1] x (n[2]/2 + 1) values, in the same memory or elsewhere. This is
/// FFTW's layout of in-place r2c transforms. Fields of a batch follow each other without gaps.
struct FftShape {
  Index n[3] = {1, 1, 1};
  int batch = 1; ///< maximum number of spectra in one call of backward()
  /// false: fields of a batch are transformed one by one, with less work space
  bool at_once = true;

  Index bins() const { return n[2] / 2 + 1; }
  Index complex_values() const { return n[0] * n[1] * bins(); }
  Index real_values() const { return 2 * complex_values(); }
  friend bool operator==(const FftShape &, const FftShape &) = default;
};

/// Reason to be reported if the spectra of a batch are transformed one by one.
inline constexpr const char *one_by_one_for_memory =
    "one by one (there is no memory for the work space of all at once)";

/// FFTs of one shape, not normalised. The fastest of several algorithms is chosen by measuring. The
/// FFTs of one runtime share work space, so all must use the same stream.
template <class Real> class Fft {
public:
  virtual ~Fft() = default;
  /// Computes the spectrum of a field in other memory. The field keeps its values.
  virtual void forward(Stream &stream, const Real *field, std::complex<Real> *spectrum) = 0;
  /// Transforms `count` spectra, at most shape.batch, to fields in place.
  virtual void backward(Stream &stream, std::complex<Real> *spectra, int count) = 0;
  /// Description of the plan, with the measured times.
  virtual std::string describe() const = 0;
};

/// Memory of a device; other processes may use a part of it.
struct MemoryInfo {
  std::size_t total = 0, free = 0; ///< bytes
};

/// A group of ranks that exchange device memory directly, by NCCL.
class Peers {
public:
  virtual ~Peers() = default;
  /// begin() and end() enclose the calls of send() and receive() of a group of messages. No call
  /// waits for messages.
  virtual void begin() = 0;
  virtual void send(Stream &stream, const void *from, std::size_t bytes, int rank) = 0;
  virtual void receive(Stream &stream, void *to, std::size_t bytes, int rank) = 0;
  virtual void end() = 0;
};

/// A device as this process uses it.
class Runtime {
public:
  /// Opens the device of a rank: number (rank_on_node modulo the number of visible devices).
  /// HFFT_GPU selects the kind: "cuda", the default, or "emulated".
  /// \throws Error(HFFT_ERROR_UNSUPPORTED) if there is no device; the message has a remedy
  static std::unique_ptr<Runtime> open(int rank_on_node);
  /// Number of devices of this kind on the node; 0 if open() would fail for all of them.
  static int count();
  virtual ~Runtime() = default;

  /// Name, memory and bus number.
  virtual std::string describe() const = 0;
  /// Text that identifies the device: equal in all processes that use it, different for other
  /// devices.
  virtual std::string identity() const = 0;
  virtual MemoryInfo memory() const = 0;
  /// True if the host's processors do the work in its memory.
  virtual bool on_processors() const { return false; }

  /// Allocates uninitialised memory of the device, aligned to 256 bytes. The host must not access
  /// it.
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) with the requested and the free bytes
  virtual void *allocate(std::size_t bytes) = 0;
  /// Allocates memory for messages, which MPI may access if the runtime allows it. CUDA uses
  /// ordinary device memory.
  virtual void *allocate_for_messages(std::size_t bytes) = 0;
  /// Frees memory of this runtime after waiting for the device; accepts nullptr.
  virtual void deallocate(void *memory) noexcept = 0;
  /// Pins host memory until unpin(), so copies are fast and asynchronous. Has no effect if the
  /// system cannot pin it.
  virtual void pin(void *host_memory, std::size_t bytes) = 0;
  virtual void unpin(void *host_memory) noexcept = 0;

  /// Create streams and events. The runtime must outlive them.
  /// \throws Error(HFFT_ERROR_INTERNAL)
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Records the work that `work` enqueues in the stream, without running it. Work of a second
  /// stream is recorded, too, if the second stream first waits for an event of `stream`. `stream`
  /// must later wait for the end of the second stream's work.
  /// \return nullptr if the runtime cannot capture the work
  virtual std::unique_ptr<Graph> capture(Stream &stream, const std::function<void()> &work) = 0;

  /// Plan transforms.
  /// \param spectra memory of a batch, used and overwritten by measurements; nullptr: temporary
  /// memory is allocated
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) or Error(HFFT_ERROR_INTERNAL)
  virtual std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape,
                                                     std::complex<float> *spectra) = 0;
  virtual std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape,
                                                       std::complex<double> *spectra) = 0;
  /// Maximum work space of transforms of this shape, in bytes. Allocates nothing.
  virtual std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) const = 0;
  template <class Real>
  std::unique_ptr<Fft<Real>> make_fft(const FftShape &shape,
                                      std::complex<Real> *spectra = nullptr) {
    if constexpr (sizeof(Real) == sizeof(float))
      return make_fft_float(shape, spectra);
    else
      return make_fft_double(shape, spectra);
  }

  /// The stream of kernels and transforms, and a concurrent stream for copies.
  Stream &compute() { return *compute_; }
  Stream &copies() { return *copies_; }

  /// True if NCCL is available. Ranks can then form a group of peers.
  virtual bool has_peers() const { return false; }
  /// Form a group of peers. One rank calls make_peers_id(), and all ranks pass its result to
  /// join_peers(). Runtimes without peers return an empty text and nullptr.
  /// \throws Error(HFFT_ERROR_UNSUPPORTED) with the reason if NCCL fails
  virtual std::string make_peers_id() { return {}; }
  virtual std::unique_ptr<Peers> join_peers(const std::string &, int /*rank*/, int /*size*/) {
    return nullptr;
  }

protected:
  std::unique_ptr<Stream> compute_, copies_;
};

/// Owner of an array in the memory of a device.
template <class T> class Array {
public:
  Array() = default;
  Array(Runtime &runtime, std::size_t values)
      : memory_(static_cast<T *>(runtime.allocate(values * sizeof(T))), {&runtime}), size_(values) {
  }
  /// Copies `count` values to the device. The host waits.
  Array(Runtime &runtime, const T *values, std::size_t count) : Array(runtime, count) {
    if (count == 0) return;
    runtime.compute().copy(data(), values, count * sizeof(T));
    runtime.compute().synchronize();
  }
  T *data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

private:
  struct FreeOnDevice {
    Runtime *runtime = nullptr;
    void operator()(T *memory) const noexcept { runtime->deallocate(memory); }
  };
  std::unique_ptr<T, FreeOnDevice> memory_;
  std::size_t size_ = 0;
};

/// Keeps memory pinned while the object exists. The memory consists of whole pages, as PageMemory
/// and mappings allocate them.
class Pin {
public:
  Pin() = default;
  /// Pins the pages. An empty span pins nothing.
  Pin(Runtime &runtime, std::span<std::byte> pages) {
    if (pages.empty()) return;
    runtime.pin(pages.data(), pages.size());
    runtime_ = &runtime;
    memory_ = pages.data();
  }
  ~Pin() {
    if (runtime_ != nullptr) runtime_->unpin(memory_);
  }
  Pin(Pin &&other) noexcept
      : runtime_(std::exchange(other.runtime_, nullptr)), memory_(other.memory_) {}
  Pin &operator=(Pin &&other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(memory_, other.memory_);
    return *this;
  }

private:
  Runtime *runtime_ = nullptr;
  void *memory_ = nullptr;
};

/// Opens the first free device, starting at number (rank_on_node modulo devices). Tries each device
/// once.
/// \param open opens a device by its number; returns nullptr if another process uses the device
/// exclusively
/// \return nullptr if no device is free
template <class Open> auto open_first_free(int rank_on_node, int devices, const Open &open) {
  auto opened = open(rank_on_node % devices);
  for (int next = 1; opened == nullptr && next < devices; ++next)
    opened = open((rank_on_node + next) % devices);
  return opened;
}

/// Formats "tried 2, of which each lets one process use it; expected ..." for error messages.
inline std::string none_is_free(int devices) {
  return "tried " + std::to_string(devices) +
         ", of which each lets one process use it, and other processes use them; expected at most "
         "one rank for each that is free";
}

/// Returns a device in the host's memory. OpenMP threads of the caller run its work at once, within
/// each call. capture() returns nullptr.
std::unique_ptr<Runtime> make_host(int threads);

} // namespace hybridfft::device
