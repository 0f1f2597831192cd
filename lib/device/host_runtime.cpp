// The host's processors as a device, for ranks without a GPU in simulations that also use GPUs.
#include "device/runtime.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/machine_parameters.h"
#include "base/text.h"
#include "base/threads.h"
#include "device/field_plans.h"

namespace hybridfft::device {

namespace {

/// An event of the host. It is always reached, because streams run their work before record() is
/// called.
class HostEvent final : public Event {
public:
  bool reached() const override { return true; }
  void synchronize() const override {}
};

class HostStream final : public Stream {
public:
  explicit HostStream(int threads) : threads_(threads) {}

  void copy(void *to, const void *from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void clear(void *memory, std::size_t bytes) override {
    if (bytes > 0) std::memset(memory, 0, bytes);
  }
  void record(Event &) override {}
  void wait(const Event &) override {}
  void synchronize() override {}
  void run(std::function<void()> work) override { work(); }

  /// Divides the box among threads along its first or second axis, if this axis has a point for
  /// each thread, else along the last axis.
  void run(const grid::Box &box, std::function<void(const grid::Box &)> work) override {
    const int axis = box.extent(0) >= threads_ ? 0 : box.extent(1) >= threads_ ? 1 : 2;
    parallel_ranges(box.extent(axis), threads_, [&](Index first, Index last, int) {
      grid::Box part = box;
      part.lo[axis] = box.lo[axis] + first;
      part.hi[axis] = box.lo[axis] + last;
      if (!part.empty()) work(part);
    });
  }

private:
  int threads_;
};

template <class Real> class HostFft final : public Fft<Real> {
public:
  HostFft(const FftShape &shape, int threads)
      : shape_(shape), threads_(threads), plans_(shape, FFTW_MEASURE, threads) {}

  void forward(Stream &, const Real *field, std::complex<Real> *spectrum) override {
    plans_.forward.execute(const_cast<Real *>(field), spectrum);
  }
  void backward(Stream &, std::complex<Real> *spectra, int count) override {
    for (int field = 0; field < count; ++field)
      plans_.backward.execute(spectra + field * shape_.complex_values(),
                              spectra + field * shape_.complex_values());
  }
  std::string describe() const override {
    return "FFTW, measured, " + std::to_string(threads_) + " threads";
  }

private:
  FftShape shape_;
  int threads_;
  FieldPlans<Real> plans_;
};

class HostRuntime final : public Runtime {
public:
  explicit HostRuntime(int threads) : threads_(threads) {
    compute_ = make_stream();
    copies_ = make_stream();
  }

  std::string describe() const override {
    return std::to_string(threads_) + (threads_ == 1 ? " thread of " : " threads of ") +
           host_name();
  }
  std::string identity() const override {
    return "process " + std::to_string(getpid()) + " of " + host_name();
  }
  /// Reports all memory of the machine as total and as free memory. kspace::require_memory()
  /// compares this size with the need of all ranks on the machine.
  MemoryInfo memory() const override {
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {bytes, bytes};
  }

  bool on_processors() const override { return true; }

  void *allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    void *const memory = ::operator new (bytes, std::align_val_t{256}, std::nothrow);
    if (memory == nullptr)
      throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                  "out of memory: " + std::to_string(bytes) + " bytes wanted on " + host_name());
    return memory;
  }
  void *allocate_for_messages(std::size_t bytes) override { return allocate(bytes); }
  void deallocate(void *memory) noexcept override {
    ::operator delete (memory, std::align_val_t{256});
  }
  void pin(void *, std::size_t) override {}
  void unpin(void *) noexcept override {}

  std::unique_ptr<Stream> make_stream() override { return std::make_unique<HostStream>(threads_); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<HostEvent>(); }
  std::unique_ptr<Graph> capture(Stream &, const std::function<void()> &) override {
    return nullptr;
  }

  std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape,
                                             std::complex<float> *) override {
    return std::make_unique<HostFft<float>>(shape, threads_);
  }
  std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape,
                                               std::complex<double> *) override {
    return std::make_unique<HostFft<double>>(shape, threads_);
  }
  std::size_t fft_work_bytes(const FftShape &, bool) const override { return 0; }

private:
  int threads_;
};

} // namespace

std::unique_ptr<Runtime> make_host(int threads) { return std::make_unique<HostRuntime>(threads); }

} // namespace hybridfft::device
