#include "device/emulated.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"
#include "base/machine_parameters.h"
#include "device/emulated_device.h"
#include "device/field_plans.h"
#include "device/runtime.h"

namespace hybridfft::device {

namespace {

template <class Real> class EmulatedFft final : public Fft<Real> {
public:
  EmulatedFft(std::shared_ptr<EmulatedDevice> device, const FftShape &shape)
      : device_(std::move(device)), shape_(shape),
        plans_(std::make_shared<FieldPlans<Real>>(shape, FFTW_ESTIMATE, 1)) {}

  void forward(Stream &stream, const Real *field, std::complex<Real> *spectrum) override {
    device_->check_own("field to transform", field, bytes(1));
    device_->check_own("spectrum of a field", spectrum, bytes(1));
    if (field < reinterpret_cast<Real *>(spectrum) + shape_.real_values() &&
        reinterpret_cast<Real *>(spectrum) < field + shape_.real_values())
      refuse("a field and its spectrum overlap");
    stream.run([plans = plans_, field, spectrum] {
      plans->forward.execute(const_cast<Real *>(field), spectrum);
    });
  }

  void backward(Stream &stream, std::complex<Real> *spectra, int count) override {
    if (count < 0 || count > shape_.batch)
      refuse(std::to_string(count) + " spectra to transform, planned for at most " +
             std::to_string(shape_.batch));
    if (count == 0) return;
    device_->check_own("spectra to transform", spectra, bytes(count));
    stream.run([plans = plans_, spectra, count, distance = shape_.complex_values()] {
      for (int i = 0; i < count; ++i)
        plans->backward.execute(spectra + i * distance, spectra + i * distance);
    });
  }

  std::string describe() const override {
    std::string text = "FFTW, estimated";
    if (shape_.batch > 1)
      text += ", " + std::to_string(shape_.batch) + " backward " +
              (shape_.at_once ? "at once" : one_by_one_for_memory);
    return text;
  }

private:
  std::size_t bytes(int count) const {
    return static_cast<std::size_t>(count * shape_.real_values()) * sizeof(Real);
  }

  std::shared_ptr<EmulatedDevice> device_;
  FftShape shape_;
  std::shared_ptr<const FieldPlans<Real>> plans_; ///< shared with enqueued work
};

/// Plans the transforms of a shape, executed by FFTW in the device's streams.
/// \throws Error(HFFT_ERROR_FFTW); Error(HFFT_ERROR_ARGUMENT) for a shape with a number below 1
template <class Real>
std::unique_ptr<Fft<Real>> make_emulated_fft(std::shared_ptr<EmulatedDevice> device,
                                             const FftShape &shape) {
  if (shape.n[0] < 1 || shape.n[1] < 1 || shape.n[2] < 1 || shape.batch < 1)
    throw Error(HFFT_ERROR_ARGUMENT,
                "emulated device: transforms of " + std::to_string(shape.batch) + " fields of " +
                    std::to_string(shape.n[0]) + " x " + std::to_string(shape.n[1]) + " x " +
                    std::to_string(shape.n[2]) + ", expected numbers from 1");
  return std::make_unique<EmulatedFft<Real>>(std::move(device), shape);
}

/// Exclusive use of an emulated device, represented by a socket. The system ends it when the
/// process ends in any way.
class Claim {
public:
  /// \param name name of a socket in Linux's abstract namespace
  explicit Claim(const std::string &name) : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
    std::copy_n(name.data(), length, address.sun_path + 1);
    granted_ = bind(socket_, reinterpret_cast<const sockaddr *>(&address),
                    static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)) == 0;
  }
  ~Claim() { close(socket_); }
  Claim(const Claim &) = delete;
  Claim &operator=(const Claim &) = delete;
  bool granted() const { return granted_; }

private:
  int socket_;
  bool granted_ = false;
};

class EmulatedRuntime final : public Runtime {
public:
  EmulatedRuntime(const EmulatedOptions &options, int number, std::unique_ptr<Claim> claim)
      : claim_(std::move(claim)), device_(std::make_shared<EmulatedDevice>(options)),
        number_(number) {
    compute_ = make_stream();
    copies_ = make_stream();
  }

  std::string describe() const override {
    return name("of " + std::to_string(device_->options().bytes >> 20) + " MiB on ");
  }
  std::string identity() const override { return name("on "); }
  MemoryInfo memory() const override { return device_->memory(); }

  void *allocate(std::size_t bytes) override { return device_->allocate(device_->fields(), bytes); }
  void *allocate_for_messages(std::size_t bytes) override {
    return device_->allocate(device_->messages(), bytes);
  }
  void deallocate(void *memory) noexcept override { device_->deallocate(memory); }
  void pin(void *memory, std::size_t bytes) override { device_->pin(memory, bytes); }
  void unpin(void *memory) noexcept override { device_->unpin(memory); }

  std::unique_ptr<Stream> make_stream() override {
    return std::make_unique<EmulatedStream>(device_);
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<EmulatedEvent>(device_); }
  std::unique_ptr<Graph> capture(Stream &stream, const std::function<void()> &work) override {
    auto captured = static_cast<EmulatedStream &>(stream).capture(work);
    if (!device_->options().graphs) return nullptr;
    return std::make_unique<EmulatedGraph>(std::move(captured));
  }

  std::unique_ptr<Fft<float>> make_fft_float(const FftShape &shape,
                                             std::complex<float> *) override {
    require_work_space(fft_work_bytes(shape, false));
    return make_emulated_fft<float>(device_, shape);
  }
  std::unique_ptr<Fft<double>> make_fft_double(const FftShape &shape,
                                               std::complex<double> *) override {
    require_work_space(fft_work_bytes(shape, true));
    return make_emulated_fft<double>(device_, shape);
  }
  /// The work space equals the spectra of one execution. cuFFT needs about as much.
  std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) const override {
    const Index values = shape.real_values() * (shape.at_once ? shape.batch : 1);
    return static_cast<std::size_t>(values) * (double_precision ? sizeof(double) : sizeof(float));
  }

private:
  /// Allocates as much work space as cuFFT would, so that it counts as used memory. No transform
  /// uses it.
  void require_work_space(std::size_t bytes) {
    if (bytes <= work_space_.bytes()) return;
    work_space_ = {};
    work_space_ = Array<char>(*this, bytes);
  }
  std::string name(const std::string &with) const {
    return "emulated device " + std::to_string(number_) + " " + with + host_name();
  }

  std::unique_ptr<Claim> claim_; ///< set for an exclusive device, else nullptr
  std::shared_ptr<EmulatedDevice> device_;
  int number_;
  Array<char> work_space_; ///< work space of all transforms
};

} // namespace

std::unique_ptr<Runtime> make_emulated(const EmulatedOptions &options, int rank_on_node) {
  const auto open = [&](int number) -> std::unique_ptr<Runtime> {
    std::unique_ptr<Claim> claim;
    if (options.exclusive) {
      claim = std::make_unique<Claim>("hybridfft-emulated-" + std::to_string(*options.exclusive) +
                                      "-" + std::to_string(number));
      if (!claim->granted()) return nullptr;
    }
    return std::make_unique<EmulatedRuntime>(options, number, std::move(claim));
  };
  auto runtime = open_first_free(rank_on_node, options.devices, open);
  if (runtime == nullptr)
    throw Error(HFFT_ERROR_UNSUPPORTED,
                "no emulated device is free: " + none_is_free(options.devices));
  return runtime;
}

} // namespace hybridfft::device
