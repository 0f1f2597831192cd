#include "device/emulated_fft.h"

#include <utility>

#include "base/error.h"
#include "device/field_plans.h"

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

} // namespace

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

template std::unique_ptr<Fft<float>>
make_emulated_fft<float>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);
template std::unique_ptr<Fft<double>>
make_emulated_fft<double>(std::shared_ptr<EmulatedDevice> device, const FftShape &shape);

} // namespace hybridfft::device
