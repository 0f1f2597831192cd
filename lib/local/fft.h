/// One local FFT of any number of dimensions and any strides, planned by FFTW. It runs on one
/// thread, or on FFTW's own threads. Choose it for shapes without SIMD kernels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/fftw.h"

namespace hybridfft::local {

/// Kind of a transform: complex to complex, real to complex (forward), complex to real (backward),
/// real to real.
enum class Kind { c2c, r2c, c2r, r2r };

/// Transform of a line. Kinds between reals have FFTW's numbers; `fourier` is the Fourier
/// transform.
enum class LineKind {
  fourier = -1,
  r2hc,
  hc2r,
  dht,
  redft00,
  redft01,
  redft10,
  redft11,
  rodft00,
  rodft01,
  rodft10,
  rodft11
};

/// Returns "dft", "redft10", ...; "unknown" for other numbers.
const char *name(LineKind kind);

/// input_bytes() returns the bytes of an element of the input, output_bytes() those of the output.
template <class Real> constexpr std::size_t input_bytes(Kind kind) {
  return kind == Kind::r2c || kind == Kind::r2r ? sizeof(Real) : 2 * sizeof(Real);
}
template <class Real> constexpr std::size_t output_bytes(Kind kind) {
  return kind == Kind::c2r || kind == Kind::r2r ? sizeof(Real) : 2 * sizeof(Real);
}

/// One dimension: logical length, strides in elements of the input and of the output.
struct FftDimension {
  std::ptrdiff_t n;
  std::ptrdiff_t input;
  std::ptrdiff_t output;
};

/// Dimensions of a transform and of its batch (FFTW's howmany).
struct FftwShape {
  Kind kind = Kind::c2c;
  int sign = -1;                       ///< sign of c2c; r2c is always forward and c2r backward
  std::vector<FftDimension> transform; ///< lengths before halving; the halved dimension is last
  std::vector<FftDimension> batch;
  LineKind line = LineKind::fourier; ///< kind of all dimensions, for r2r
};

/// Multiplies `lines` lines of `length` numbers, `stride` apart, by a factor; skips a factor of 1.
template <class Real>
void scale_lines(std::byte *array, std::ptrdiff_t lines, std::ptrdiff_t length,
                 std::ptrdiff_t stride, double factor) {
  if (factor == 1) return;
  for (std::ptrdiff_t l = 0; l < lines; ++l) {
    Real *line = reinterpret_cast<Real *>(array) + l * stride;
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < length; ++i)
      line[i] *= static_cast<Real>(factor);
  }
}

/// A planned FFT. Execution is thread-safe and accepts arrays of any alignment.
template <class Real> class Fft {
public:
  Fft() = default;
  /// Plans with FFTW's flag `effort` (FFTW_ESTIMATE, ...) on scratch arrays. `threads` above 1 lets
  /// FFTW open its own parallel regions. A second plan serves arrays that are not aligned to 16
  /// bytes. If `misaligned` is true, it is made with `effort`, otherwise with FFTW_ESTIMATE. Throws
  /// Failure(HFFT_ERROR_FFTW).
  Fft(const FftwShape &shape, bool in_place, unsigned effort, int threads, bool misaligned);
  /// Plans out of place, for one thread and 64-byte aligned arrays, without timing and without
  /// FFTW's wisdom. The arithmetic then depends on the shape alone. Throws
  /// Failure(HFFT_ERROR_FFTW).
  static Fft reproducible(const FftwShape &shape);
  ~Fft();
  Fft(Fft &&other) noexcept;
  Fft &operator=(Fft &&other) noexcept;

  /// Executes the transform; in == out exactly if planned in place. Complex-to-real may overwrite
  /// its input.
  void execute(void *in, void *out) const;

private:
  using Plan = typename Fftw<Real>::Plan;
  Kind kind_ = Kind::c2c;
  Plan aligned_ = nullptr;   ///< for arrays on 16-byte boundaries
  Plan unaligned_ = nullptr; ///< for all other arrays
};

} // namespace hybridfft::local
