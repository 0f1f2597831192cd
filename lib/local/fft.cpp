#include "local/fft.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory.h"

namespace hybridfft::local {

const char *name(LineKind kind) {
  static constexpr std::array<const char *, 12> names{"dft",     "r2hc",    "hc2r",    "dht",
                                                      "redft00", "redft01", "redft10", "redft11",
                                                      "rodft00", "rodft01", "rodft10", "rodft11"};
  const int number = static_cast<int>(kind) + 1; // fourier is -1
  const bool known = number >= 0 && number < static_cast<int>(names.size());
  return known ? names[static_cast<std::size_t>(number)] : "unknown";
}

namespace {

/// Alignment needed by FFTW's SIMD code, for any instruction set of its build.
constexpr std::uintptr_t fftw_alignment = 16;

template <class Real>
std::vector<typename Fftw<Real>::Dimension> dimensions(const std::vector<FftDimension> &from) {
  std::vector<typename Fftw<Real>::Dimension> to;
  for (const FftDimension &d : from)
    to.push_back({d.n, d.input, d.output});
  return to;
}

/// Returns the number of elements from the first to the last one of the array with these strides.
/// \param half true if the last dimension has n/2+1 elements
std::size_t reach(const FftwShape &shape, std::ptrdiff_t FftDimension::*stride, bool half) {
  std::ptrdiff_t last = 0;
  for (const FftDimension &d : shape.batch)
    last += (d.n - 1) * (d.*stride);
  for (std::size_t i = 0; i < shape.transform.size(); ++i) {
    const FftDimension &d = shape.transform[i];
    const std::ptrdiff_t n = half && i + 1 == shape.transform.size() ? d.n / 2 + 1 : d.n;
    last += (n - 1) * (d.*stride);
  }
  return static_cast<std::size_t>(last) + 1;
}

template <class Real> std::pair<std::size_t, std::size_t> bytes_of(const FftwShape &shape) {
  return {reach(shape, &FftDimension::input, shape.kind == Kind::c2r) *
              input_bytes<Real>(shape.kind),
          reach(shape, &FftDimension::output, shape.kind == Kind::r2c) *
              output_bytes<Real>(shape.kind)};
}

template <class Real>
typename Fftw<Real>::Plan make_plan(const FftwShape &shape, void *in, void *out, unsigned flags) {
  using F = Fftw<Real>;
  using C = typename F::Complex;
  const auto transform = dimensions<Real>(shape.transform);
  const auto batch = dimensions<Real>(shape.batch);
  const int rank = static_cast<int>(transform.size());
  const int loops = static_cast<int>(batch.size());
  switch (shape.kind) {
  case Kind::c2c:
    return F::plan_c2c(rank, transform.data(), loops, batch.data(), static_cast<C *>(in),
                       static_cast<C *>(out), shape.sign, flags);
  case Kind::r2c:
    return F::plan_r2c(rank, transform.data(), loops, batch.data(), static_cast<Real *>(in),
                       static_cast<C *>(out), flags);
  case Kind::c2r:
    return F::plan_c2r(rank, transform.data(), loops, batch.data(), static_cast<C *>(in),
                       static_cast<Real *>(out), flags);
  case Kind::r2r: {
    const std::vector<fftw_r2r_kind> kinds(transform.size(),
                                           static_cast<fftw_r2r_kind>(shape.line));
    return F::plan_r2r(rank, transform.data(), loops, batch.data(), static_cast<Real *>(in),
                       static_cast<Real *>(out), kinds.data(), flags);
  }
  }
  return nullptr;
}

} // namespace

template <class Real>
Fft<Real>::Fft(const FftwShape &shape, bool in_place, unsigned effort, int threads, bool misaligned)
    : kind_(shape.kind) {
  const auto [in_bytes, out_bytes] = bytes_of<Real>(shape);
  const Memory in(in_place ? std::max(in_bytes, out_bytes) : in_bytes, threads);
  const Memory other(in_place ? 0 : out_bytes, threads);
  std::byte *out = in_place ? in.data() : other.data();
  // FFTW's c2r of several dimensions cannot keep its input, and no caller needs this.
  const unsigned keep =
      shape.kind == Kind::c2r || in_place ? FFTW_DESTROY_INPUT : FFTW_PRESERVE_INPUT;
  const FftwPlannerScope<Real> scope(threads);
  if (scope.threads() < threads)
    throw Failure(HFFT_ERROR_FFTW, "FFTW plans with one thread, as the program does not use more");
  aligned_ = make_plan<Real>(shape, in.data(), out, effort | keep);
  unaligned_ = make_plan<Real>(shape, in.data(), out,
                               (misaligned ? effort : FFTW_ESTIMATE) | keep | FFTW_UNALIGNED);
  if (aligned_ != nullptr && unaligned_ != nullptr) return;
  if (aligned_ != nullptr) Fftw<Real>::destroy(aligned_);
  if (unaligned_ != nullptr) Fftw<Real>::destroy(unaligned_);
  throw Failure(HFFT_ERROR_FFTW, "FFTW returned no plan for a local transform");
}

template <class Real> Fft<Real> Fft<Real>::reproducible(const FftwShape &shape) {
  const auto [in_bytes, out_bytes] = bytes_of<Real>(shape);
  const Memory in(in_bytes, 1);
  const Memory out(out_bytes, 1);
  Fft fft;
  fft.kind_ = shape.kind;
  {
    const FftwPlannerScope<Real> scope(1);
    const FftwWithoutWisdom<Real> forgotten;
    fft.aligned_ =
        make_plan<Real>(shape, in.data(), out.data(), FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  }
  if (fft.aligned_ == nullptr)
    throw Failure(HFFT_ERROR_FFTW, "FFTW returned no plan for a local transform");
  return fft;
}

template <class Real> Fft<Real>::~Fft() {
  const std::lock_guard lock(fftw_planner_mutex());
  if (aligned_ != nullptr) Fftw<Real>::destroy(aligned_);
  if (unaligned_ != nullptr) Fftw<Real>::destroy(unaligned_);
}

template <class Real>
Fft<Real>::Fft(Fft &&other) noexcept
    : kind_(other.kind_), aligned_(std::exchange(other.aligned_, nullptr)),
      unaligned_(std::exchange(other.unaligned_, nullptr)) {}

template <class Real> Fft<Real> &Fft<Real>::operator=(Fft &&other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(aligned_, other.aligned_);
  std::swap(unaligned_, other.unaligned_);
  return *this;
}

template <class Real> void Fft<Real>::execute(void *in, void *out) const {
  using F = Fftw<Real>;
  using C = typename F::Complex;
  const auto address = reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out);
  const Plan plan = address % fftw_alignment == 0 ? aligned_ : unaligned_;
  switch (kind_) {
  case Kind::c2c:
    F::execute_c2c(plan, static_cast<C *>(in), static_cast<C *>(out));
    break;
  case Kind::r2c:
    F::execute_r2c(plan, static_cast<Real *>(in), static_cast<C *>(out));
    break;
  case Kind::c2r:
    F::execute_c2r(plan, static_cast<C *>(in), static_cast<Real *>(out));
    break;
  case Kind::r2r:
    F::execute_r2r(plan, static_cast<Real *>(in), static_cast<Real *>(out));
    break;
  }
}

template class Fft<float>;
template class Fft<double>;

} // namespace hybridfft::local
