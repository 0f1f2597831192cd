/// A device that computes next to the host: memory of its own, streams of work, Fourier transforms.
/// CUDA's is one; the emulated device is another, with which everything but CUDA's own calls is
/// tested without a GPU.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::device {

using grid::Index;

/// A point in a stream that others can wait for. Reached before it is recorded.
class Event {
public:
  virtual ~Event() = default;
  /// True if the device has come to the point of the last record. Does not wait.
  virtual bool reached() const = 0;
  /// The host waits.
  virtual void synchronize() const = 0;
};

/// Work that a device does in order, while the host goes on. Work of different streams is in no
/// order but that of events. Failures on the device are thrown by a later call as
/// Error(HFFT_ERROR_INTERNAL), with the call that found it.
class Stream {
public:
  virtual ~Stream() = default;

  /// Copies between memory of the device and of the host, in any direction. Host memory that is
  /// not pinned makes the host wait.
  virtual void copy(void *to, const void *from, std::size_t bytes) = 0;
  /// Sets bytes of the device's memory to zero.
  virtual void clear(void *memory, std::size_t bytes) = 0;
  /// Records the event: it is reached when the work enqueued so far is done.
  virtual void record(Event &event) = 0;
  /// Later work in this stream waits until the event, as last recorded, is reached.
  virtual void wait(const Event &event) = 0;
  /// The host waits for all of it.
  virtual void synchronize() = 0;

  /// cudaStream_t; nullptr of an emulated stream, which runs work instead (see launch.h).
  virtual void *handle() const { return nullptr; }
  /// Enqueues work of the host in an emulated stream. Throws Error(HFFT_ERROR_INTERNAL) otherwise.
  virtual void run(std::function<void()> work) = 0;
  /// The same for work on the points of a box, or of parts of it that threads do concurrently.
  virtual void run(const grid::Box &box, std::function<void(const grid::Box &)> work) {
    run([box, work = std::move(work)] { work(box); });
  }
};

/// Work of a stream that is enqueued at once, as often as wanted.
class Graph {
public:
  virtual ~Graph() = default;
  /// Enqueues the recorded work in a stream of the same runtime.
  virtual void launch(Stream &stream) = 0;
};

/// Fields of n[0] x n[1] x n[2] real values, rows padded to 2 (n[2]/2 + 1), and their half spectra,
/// n[0] x n[1] x (n[2]/2 + 1), in the same memory or other: FFTW's layout of r2c transforms in
/// place. Fields of a batch follow each other without gaps.
struct FftShape {
  Index n[3] = {1, 1, 1};
  int batch = 1;       ///< most fields of a backward transform
  bool at_once = true; ///< false: fields of a batch are transformed one by one: less work space

  Index bins() const { return n[2] / 2 + 1; }
  Index complex_values() const { return n[0] * n[1] * bins(); }
  Index real_values() const { return 2 * complex_values(); }
  friend bool operator==(const FftShape &, const FftShape &) = default;
};

/// Report of batches that are not transformed at once because of their work space.
inline constexpr const char *one_by_one_for_memory =
    "one by one (there is no memory for the work space of all at once)";

/// Transforms of one shape; none is normalised. The algorithm is chosen by measuring if there is a
/// choice. Those of one runtime share work space, and so belong in one stream.
template <class Real> class Fft {
public:
  virtual ~Fft() = default;
  /// Transforms one field into a spectrum in other memory; keeps the field.
  virtual void forward(Stream &stream, const Real *field, std::complex<Real> *spectrum) = 0;
  /// Transforms `count` spectra, up to shape.batch, into fields in their place.
  virtual void backward(Stream &stream, std::complex<Real> *spectra, int count) = 0;
  /// Description of the plan, with the measured times.
  virtual std::string describe() const = 0;
};

/// Memory of a device, with that of other processes.
struct MemoryInfo {
  std::size_t total = 0, free = 0; ///< bytes
};

/// Ranks of a communicator that send each other memory of their devices without the host (NCCL).
class Peers {
public:
  virtual ~Peers() = default;
  /// Messages of one exchange, between begin() and end(), in the stream; nothing waits.
  virtual void begin() = 0;
  virtual void send(Stream &stream, const void *from, std::size_t bytes, int rank) = 0;
  virtual void receive(Stream &stream, void *to, std::size_t bytes, int rank) = 0;
  virtual void end() = 0;
};

/// One device as this process uses it.
class Runtime {
public:
  /// The device of a rank: number (rank_on_node modulo the number of devices that are visible) of
  /// of the kind that HFFT_GPU names: "cuda", the default, or "emulated". Throws
  /// Error(HFFT_ERROR_UNSUPPORTED) if there is none, with the way to get one.
  static std::unique_ptr<Runtime> open(int rank_on_node);
  /// Number of devices of that kind on this node; 0 if open() would throw for all of them.
  static int count();
  virtual ~Runtime() = default;

  /// Name, memory and bus number.
  virtual std::string describe() const = 0;
  /// The same text for all processes that use one device, another one for another.
  virtual std::string identity() const = 0;
  virtual MemoryInfo memory() const = 0;
  /// True if processors do its work, in the host's memory.
  virtual bool on_processors() const { return false; }

  /// Memory of the device, at boundaries of 256 bytes, not set. The host may not touch it. Throws
  /// Error(HFFT_ERROR_OUT_OF_MEMORY) with the bytes wanted and those free.
  virtual void *allocate(std::size_t bytes) = 0;
  /// The same for messages, which MPI may read and write where it can (Runtime of CUDA: the same).
  virtual void *allocate_for_messages(std::size_t bytes) = 0;
  /// Frees it; nullptr is allowed. Waits for the device.
  virtual void deallocate(void *memory) noexcept = 0;
  /// Makes copies to and from memory of the host fast and asynchronous, as far as the system can;
  /// until unpin().
  virtual void pin(void *host_memory, std::size_t bytes) = 0;
  virtual void unpin(void *host_memory) noexcept = 0;

  /// Streams and events, which the runtime outlives. Throw Error(HFFT_ERROR_INTERNAL).
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Records the work that `work` enqueues in the stream, and in other streams that wait for it and
  /// that it waits for, without running it. nullptr if the runtime cannot.
  virtual std::unique_ptr<Graph> capture(Stream &stream, const std::function<void()> &work) = 0;

  /// Plans transforms. Throw Error(HFFT_ERROR_OUT_OF_MEMORY) or Error(HFFT_ERROR_INTERNAL).
  /// \param spectra memory of a batch, which measuring overwrites; nullptr: more is allocated for
  /// it
  virtual std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape,
                                                     std::complex<float> *spectra) = 0;
  virtual std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape,
                                                       std::complex<double> *spectra) = 0;
  /// The most bytes of work space that transforms of this shape take, before any is allocated.
  virtual std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) const = 0;
  template <class Real>
  std::unique_ptr<Fft<Real>> make_fft(const FftShape &shape,
                                      std::complex<Real> *spectra = nullptr) {
    if constexpr (sizeof(Real) == sizeof(float))
      return make_fft_float(shape, spectra);
    else
      return make_fft_double(shape, spectra);
  }

  /// The stream of kernels and transforms, and a concurrent one for copies.
  Stream &compute() { return *compute_; }
  Stream &copies() { return *copies_; }

  /// True if ranks may be joined as peers: NCCL has been found.
  virtual bool has_peers() const { return false; }
  /// Bytes that identify a new group of ranks; one rank makes them, all pass them to join_peers().
  /// Empty, and nullptr, if the runtime has no peers. Both throw Error(HFFT_ERROR_UNSUPPORTED) with
  /// the reason where NCCL cannot.
  virtual std::string make_peers_id() { return {}; }
  virtual std::unique_ptr<Peers> join_peers(const std::string &, int /*rank*/, int /*size*/) {
    return nullptr;
  }

protected:
  std::unique_ptr<Stream> compute_, copies_;
};

/// Memory of a device, owned.
template <class T> class Array {
public:
  Array() = default;
  Array(Runtime &runtime, std::size_t values)
      : memory_(static_cast<T *>(runtime.allocate(values * sizeof(T))), {&runtime}), size_(values) {
  }
  /// Copies these values to the device; the host waits.
  Array(Runtime &runtime, const T *values, std::size_t count) : Array(runtime, count) {
    if (count == 0) return;
    runtime.compute().copy(data(), values, count * sizeof(T));
    runtime.compute().synchronize();
  }
  T *data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

private:
  struct Free {
    Runtime *runtime = nullptr;
    void operator()(T *memory) const noexcept { runtime->deallocate(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t size_ = 0;
};

} // namespace hybridfft::device
