#include "device/cuda/fft.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "device/cuda/check.h"
#include "device/cuda/memory.h"
#include "device/cuda/stopwatch.h"
#include "device/cuda/stream.h"
#include "device/cuda/text.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

namespace {

/// cuFFT's names of the transforms of a precision.
template <class Real> struct Calls;

template <> struct Calls<float> {
  static constexpr cufftType to_complex = CUFFT_R2C, to_real = CUFFT_C2R;
  static constexpr const char *forward_name = "cufftExecR2C", *backward_name = "cufftExecC2R";
  static constexpr const char *precision = "single";
  using Complex = cufftComplex;
  static auto forward() { return cufft().exec_r2c; }
  static auto backward() { return cufft().exec_c2r; }
};

template <> struct Calls<double> {
  static constexpr cufftType to_complex = CUFFT_D2Z, to_real = CUFFT_Z2D;
  static constexpr const char *forward_name = "cufftExecD2Z", *backward_name = "cufftExecZ2D";
  static constexpr const char *precision = "double";
  using Complex = cufftDoubleComplex;
  static auto forward() { return cufft().exec_d2z; }
  static auto backward() { return cufft().exec_z2d; }
};

std::string milliseconds(double ms) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms", ms);
  return text.data();
}

template <class Real> class CudaFft final : public Fft<Real> {
public:
  CudaFft(const FftShape &shape, std::shared_ptr<WorkArea> area, Stream &stream)
      : shape_(shape), layout_(shape), area_(std::move(area)),
        forward_(layout_, Calls<Real>::to_complex, 1), one_(layout_, Calls<Real>::to_real, 1) {
    if (shape.batch > 1) choose(stream);
    area_->require(std::max(
        {forward_.work_bytes(), one_.work_bytes(), all_ != nullptr ? all_->work_bytes() : 0}));
  }

  void forward(Stream &stream, const Real *field, std::complex<Real> *spectrum) override {
    // cuFFT writes into the input of transforms to real values only.
    check(Calls<Real>::forward()(forward_.in(handle_of(stream), area_->data()),
                                 const_cast<Real *>(field), reinterpret_cast<Complex *>(spectrum)),
          Calls<Real>::forward_name);
  }

  void backward(Stream &stream, std::complex<Real> *spectra, int count) override {
    if (count < 0 || count > shape_.batch)
      throw Error(HFFT_ERROR_ARGUMENT, "backward transforms on a device: found " +
                                           std::to_string(count) + " spectra, expected 0 to " +
                                           std::to_string(shape_.batch));
    if (count == shape_.batch && all_ != nullptr)
      transform_back(*all_, handle_of(stream), spectra, area_->data());
    else
      one_by_one(handle_of(stream), spectra, count, area_->data());
  }

  std::string describe() const override {
    int version = 0;
    check(cufft().get_version(&version), "cufftGetVersion");
    std::string text = "cuFFT " + version_text(version) + ", " + Calls<Real>::precision + ", " +
                       std::to_string(shape_.n[0]) + " x " + std::to_string(shape_.n[1]) + " x " +
                       std::to_string(shape_.n[2]);
    if (shape_.batch > 1)
      text += ", " + std::to_string(shape_.batch) + " backward " +
              (all_ != nullptr ? "at once" : "one by one") + " (" + measured_ + ")";
    const std::size_t work = std::max(
        {forward_.work_bytes(), one_.work_bytes(), all_ != nullptr ? all_->work_bytes() : 0});
    return text + ", work space " + bytes_text(work);
  }

private:
  using Complex = typename Calls<Real>::Complex;

  void transform_back(FftPlan &plan, cudaStream_t stream, std::complex<Real> *spectra, void *work) {
    check(Calls<Real>::backward()(plan.in(stream, work), reinterpret_cast<Complex *>(spectra),
                                  reinterpret_cast<Real *>(spectra)),
          Calls<Real>::backward_name);
  }

  void one_by_one(cudaStream_t stream, std::complex<Real> *spectra, int count, void *work) {
    for (int field = 0; field < count; ++field)
      transform_back(one_, stream, spectra + field * shape_.complex_values(), work);
  }

  /// Keeps a plan for the whole batch if it is faster. Without memory to measure, of which half is
  /// left to others, less work space is better.
  void choose(Stream &stream) {
    auto all = std::make_unique<FftPlan>(layout_, Calls<Real>::to_real, shape_.batch);
    const auto field_bytes = std::size_t(shape_.complex_values()) * sizeof(std::complex<Real>);
    const std::size_t spectra_bytes = field_bytes * std::size_t(shape_.batch);
    const std::size_t work_bytes = std::max(all->work_bytes(), one_.work_bytes());
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (free / 2 < spectra_bytes + work_bytes) {
      measured_ = "not measured, " + bytes_text(free) + " are free";
      return;
    }
    const Scratch spectra(allocate(spectra_bytes));
    const Scratch work(allocate(work_bytes));
    auto *const values = static_cast<std::complex<Real> *>(spectra.get());
    stream.clear(values, spectra_bytes); // zeros stay what they are, however often transformed
    const auto [ms_at_once, ms_in_turn] = compare(
        handle_of(stream), [&] { transform_back(*all, handle_of(stream), values, work.get()); },
        [&] { one_by_one(handle_of(stream), values, shape_.batch, work.get()); });
    stream.synchronize();
    measured_ = milliseconds(ms_at_once) + " at once, " + milliseconds(ms_in_turn) + " one by one";
    if (ms_at_once < ms_in_turn) all_ = std::move(all);
  }

  FftShape shape_;
  FftLayout layout_;
  std::shared_ptr<WorkArea> area_;
  FftPlan forward_;              ///< plan for one field
  FftPlan one_;                  ///< plan back, for one spectrum
  std::unique_ptr<FftPlan> all_; ///< plan back, for shape_.batch spectra, where that is faster
  std::string measured_;
};

} // namespace

std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) {
  const FftLayout layout(shape);
  const cufftType to_real = double_precision ? CUFFT_Z2D : CUFFT_C2R;
  return std::max({FftPlan::work_bytes(layout, double_precision ? CUFFT_D2Z : CUFFT_R2C, 1),
                   FftPlan::work_bytes(layout, to_real, 1),
                   FftPlan::work_bytes(layout, to_real, shape.batch)});
}

template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream) {
  return std::make_unique<CudaFft<Real>>(shape, std::move(area), stream);
}

template std::unique_ptr<Fft<float>> make_cufft(const FftShape &, std::shared_ptr<WorkArea>,
                                                Stream &);
template std::unique_ptr<Fft<double>> make_cufft(const FftShape &, std::shared_ptr<WorkArea>,
                                                 Stream &);

} // namespace hybridfft::device::cuda
