#include "device/cuda/fft.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "device/cuda/library.h"
#include "device/cuda/stream.h"
#include "hybridfft/error.hpp"

namespace hybridfft::device::cuda {

FftLayout::FftLayout(const FftShape &shape)
    : real_distance(shape.real_values()), complex_distance(shape.complex_values()) {
  if (shape.n[0] < 1 || shape.n[1] < 1 || shape.n[2] < 1 || shape.batch < 1)
    throw Error(HFFT_ERROR_ARGUMENT, "transforms on a device: found " + std::to_string(shape.n[0]) +
                                         " x " + std::to_string(shape.n[1]) + " x " +
                                         std::to_string(shape.n[2]) + " points in batches of " +
                                         std::to_string(shape.batch) +
                                         ", expected positive numbers");
  // cuFFT halves the last axis. Its documentation does not define half spectra of several rows of
  // one point.
  if (shape.n[2] == 1 && shape.n[0] * shape.n[1] > 1)
    throw Error(HFFT_ERROR_ARGUMENT,
                "transforms on a device: found " + std::to_string(shape.n[0]) + " x " +
                    std::to_string(shape.n[1]) +
                    " x 1 points, expected positive numbers, the last one at least 2");
  for (int axis = 0; axis < 3; ++axis) {
    if (axis < 2 && shape.n[axis] == 1) continue;
    n[rank] = shape.n[axis];
    reals[rank] = axis < 2 ? shape.n[axis] : 2 * shape.bins();
    complexes[rank] = axis < 2 ? shape.n[axis] : shape.bins();
    ++rank;
  }
}

namespace {

Cufft load() {
  SharedLibrary library("libcufft.so." + std::to_string(CUFFT_VER_MAJOR));
  Cufft f;
  library.find(f.get_version, "cufftGetVersion");
  library.find(f.create, "cufftCreate");
  library.find(f.destroy, "cufftDestroy");
  library.find(f.set_auto_allocation, "cufftSetAutoAllocation");
  library.find(f.make_plan_many, "cufftMakePlanMany64");
  library.find(f.get_size_many, "cufftGetSizeMany64");
  library.find(f.set_work_area, "cufftSetWorkArea");
  library.find(f.set_stream, "cufftSetStream");
  library.find(f.exec_r2c, "cufftExecR2C");
  library.find(f.exec_c2r, "cufftExecC2R");
  library.find(f.exec_d2z, "cufftExecD2Z");
  library.find(f.exec_z2d, "cufftExecZ2D");
  if (!library.problem().empty())
    throw Error(HFFT_ERROR_UNSUPPORTED, "Fourier transforms on the GPU need cuFFT " +
                                            std::to_string(CUFFT_VER_MAJOR) +
                                            ", which cannot be loaded: " + library.problem() +
                                            "; LD_LIBRARY_PATH may name its directory");
  return f;
}

const char *name_of(cufftResult status) {
  switch (status) {
  case CUFFT_INVALID_PLAN:
    return "CUFFT_INVALID_PLAN";
  case CUFFT_ALLOC_FAILED:
    return "CUFFT_ALLOC_FAILED";
  case CUFFT_INVALID_TYPE:
    return "CUFFT_INVALID_TYPE";
  case CUFFT_INVALID_VALUE:
    return "CUFFT_INVALID_VALUE";
  case CUFFT_INTERNAL_ERROR:
    return "CUFFT_INTERNAL_ERROR";
  case CUFFT_EXEC_FAILED:
    return "CUFFT_EXEC_FAILED";
  case CUFFT_SETUP_FAILED:
    return "CUFFT_SETUP_FAILED";
  case CUFFT_INVALID_SIZE:
    return "CUFFT_INVALID_SIZE";
  case CUFFT_UNALIGNED_DATA:
    return "CUFFT_UNALIGNED_DATA";
  case CUFFT_INVALID_DEVICE:
    return "CUFFT_INVALID_DEVICE";
  case CUFFT_NO_WORKSPACE:
    return "CUFFT_NO_WORKSPACE";
  case CUFFT_NOT_IMPLEMENTED:
    return "CUFFT_NOT_IMPLEMENTED";
  case CUFFT_NOT_SUPPORTED:
    return "CUFFT_NOT_SUPPORTED";
  default:
    return "an unknown result";
  }
}

} // namespace

const Cufft &cufft() {
  static const Cufft functions = load();
  return functions;
}

void check(cufftResult status, const char *call) {
  if (status == CUFFT_SUCCESS) return;
  throw Error(status == CUFFT_ALLOC_FAILED ? HFFT_ERROR_OUT_OF_MEMORY : HFFT_ERROR_INTERNAL,
              std::string("cuFFT: ") + call + " failed: " + name_of(status) + " (" +
                  std::to_string(static_cast<int>(status)) + ")");
}

namespace {

/// Calls a cuFFT function with the arguments of a plan.
template <class Function>
cufftResult with_arguments(Function function, cufftHandle handle, FftLayout layout, cufftType type,
                           int count, std::size_t *bytes) {
  const bool forward = type == CUFFT_R2C || type == CUFFT_D2Z;
  long long *in = forward ? layout.reals : layout.complexes;
  long long *out = forward ? layout.complexes : layout.reals;
  const long long in_distance = forward ? layout.real_distance : layout.complex_distance;
  const long long out_distance = forward ? layout.complex_distance : layout.real_distance;
  return function(handle, layout.rank, layout.n, in, 1, in_distance, out, 1, out_distance, type,
                  count, bytes);
}

} // namespace

WorkArea::~WorkArea() {
  ignore(cudaFree(data_));
  for (void *memory : former_)
    ignore(cudaFree(memory));
}

void WorkArea::require(std::size_t bytes) {
  if (bytes <= bytes_) return;
  if (kept_ && data_ != nullptr) {
    Scratch larger(allocate(bytes));
    former_.push_back(data_);
    data_ = larger.release();
    bytes_ = bytes;
    return;
  }
  const std::size_t before = bytes_;
  try {
    replace(bytes);
  } catch (...) {
    replace(before);
    throw;
  }
}

void WorkArea::shrink(std::size_t bytes) {
  if (bytes < bytes_ && !kept_) replace(bytes);
}

/// The old memory is freed first, because the device might not have space for old and new memory.
void WorkArea::replace(std::size_t bytes) {
  check(cudaFree(data_), "cudaFree"); // waits for transforms that use this memory
  data_ = nullptr;
  bytes_ = 0;
  data_ = allocate(bytes);
  bytes_ = bytes;
}

FftPlan::FftPlan(const FftLayout &layout, cufftType type, int count) {
  check(cufft().create(&handle_), "cufftCreate");
  try {
    check(cufft().set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    check(with_arguments(cufft().make_plan_many, handle_, layout, type, count, &work_bytes_),
          "cufftMakePlanMany64");
  } catch (...) {
    cufft().destroy(handle_);
    throw;
  }
}

FftPlan::~FftPlan() { cufft().destroy(handle_); }

std::size_t FftPlan::work_bytes(const FftLayout &layout, cufftType type, int count) {
  cufftHandle handle = 0;
  std::size_t bytes = 0;
  check(cufft().create(&handle), "cufftCreate");
  const cufftResult status =
      with_arguments(cufft().get_size_many, handle, layout, type, count, &bytes);
  cufft().destroy(handle);
  check(status, "cufftGetSizeMany64");
  return bytes;
}

cufftHandle FftPlan::in(cudaStream_t stream, void *work) {
  check(cufft().set_stream(handle_, stream), "cufftSetStream");
  if (work != work_ && work_bytes_ > 0) {
    check(cufft().set_work_area(handle_, work), "cufftSetWorkArea");
    work_ = work;
  }
  return handle_;
}

namespace {

/// cuFFT's types and functions for one precision.
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
  CudaFft(const FftShape &shape, std::shared_ptr<WorkArea> area, Stream &stream,
          std::complex<Real> *spectra)
      : shape_(shape), layout_(shape), area_(std::move(area)),
        forward_(layout_, Calls<Real>::to_complex, 1), one_(layout_, Calls<Real>::to_real, 1) {
    if (shape.batch > 1 && shape.at_once) choose(stream, spectra);
    area_->require(work_bytes());
  }

  void forward(Stream &stream, const Real *field, std::complex<Real> *spectrum) override {
    // cuFFT overwrites its input only in transforms to real values, so the const_cast is safe.
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
    if (shape_.batch > 1) text += ", " + std::to_string(shape_.batch) + " backward " + choice_;
    return text + ", work space " + bytes_text(work_bytes());
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

  /// Maximum work space of the plans in bytes.
  std::size_t work_bytes() const {
    return std::max(
        {forward_.work_bytes(), one_.work_bytes(), all_ != nullptr ? all_->work_bytes() : 0});
  }

  /// Plans a transform of the whole batch. Keeps it if its work space fits into memory and it is
  /// faster than single transforms.
  void choose(Stream &stream, std::complex<Real> *spectra) {
    const std::size_t before = area_->bytes();
    try {
      all_ = std::make_unique<FftPlan>(layout_, Calls<Real>::to_real, shape_.batch);
      area_->require(work_bytes());
      const auto bytes =
          std::size_t(shape_.complex_values() * shape_.batch) * sizeof(std::complex<Real>);
      const Scratch own(spectra == nullptr ? allocate(bytes) : nullptr);
      compare_in(stream,
                 spectra == nullptr ? static_cast<std::complex<Real> *>(own.get()) : spectra,
                 bytes);
    } catch (const Error &e) {
      if (e.code() != HFFT_ERROR_OUT_OF_MEMORY) throw;
      all_.reset();
    }
    if (all_ == nullptr) area_->shrink(std::max(before, work_bytes()));
  }

  void compare_in(Stream &stream, std::complex<Real> *values, std::size_t bytes) {
    stream.clear(values, bytes); // zeros do not grow when transforms are repeated
    void *const work = area_->data();
    const auto [ms_at_once, ms_in_turn] = compare(
        handle_of(stream), [&] { transform_back(*all_, handle_of(stream), values, work); },
        [&] { one_by_one(handle_of(stream), values, shape_.batch, work); });
    stream.synchronize();
    const bool at_once = ms_at_once < ms_in_turn;
    choice_ = std::string(at_once ? "at once" : "one by one") + " (" + milliseconds(ms_at_once) +
              " at once, " + milliseconds(ms_in_turn) + " one by one)";
    if (!at_once) all_.reset();
  }

  FftShape shape_;
  FftLayout layout_;
  std::shared_ptr<WorkArea> area_;
  FftPlan forward_; ///< forward plan of a single field
  FftPlan one_;     ///< backward plan of a single spectrum
  std::unique_ptr<FftPlan>
      all_; ///< backward plan of shape_.batch spectra at once; nullptr: they run one by one
  std::string choice_ = one_by_one_for_memory;
};

} // namespace

std::size_t fft_work_bytes(const FftShape &shape, bool double_precision) {
  const FftLayout layout(shape);
  const cufftType to_real = double_precision ? CUFFT_Z2D : CUFFT_C2R;
  return std::max({FftPlan::work_bytes(layout, double_precision ? CUFFT_D2Z : CUFFT_R2C, 1),
                   FftPlan::work_bytes(layout, to_real, 1),
                   FftPlan::work_bytes(layout, to_real, shape.at_once ? shape.batch : 1)});
}

template <class Real>
std::unique_ptr<Fft<Real>> make_cufft(const FftShape &shape, std::shared_ptr<WorkArea> area,
                                      Stream &stream, std::complex<Real> *spectra) {
  return std::make_unique<CudaFft<Real>>(shape, std::move(area), stream, spectra);
}

template std::unique_ptr<Fft<float>> make_cufft(const FftShape &, std::shared_ptr<WorkArea>,
                                                Stream &, std::complex<float> *);
template std::unique_ptr<Fft<double>> make_cufft(const FftShape &, std::shared_ptr<WorkArea>,
                                                 Stream &, std::complex<double> *);

} // namespace hybridfft::device::cuda
