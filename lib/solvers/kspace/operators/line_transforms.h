/// Bitwise reproducible FFTW transforms of single lines, for axisymmetric grids.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "base/fftw.h"
#include "base/memory.h"
#include "solvers/kspace/operators/transforms.h"

namespace hybridfft::kspace {

/// Fourier transforms of real rows, and sine and cosine transforms of complex columns. The real and
/// imaginary parts of a column are transformed separately. No transform is normalised.
///
/// FFTW plans a single line without measuring and without wisdom. All lines use this plan and
/// memory of the same alignment. The result of a line therefore does not depend on the number of
/// lines per rank or thread.
template <class Real> class LineTransforms {
public:
  /// Types of cosine and sine transforms of a column.
  enum Kind { dct2, dct3, dct4, dst4 };

  /// Plans transforms of rows of nx points and columns of ny. Throws std::runtime_error,
  /// std::bad_alloc.
  LineTransforms(std::ptrdiff_t nx, std::ptrdiff_t ny, int threads);

  /// Transforms `count` rows of nx points, `pitch` values apart, to spectra of nx/2 + 1 numbers,
  /// pitch/2 numbers apart, and back. Rows and spectra may be the same array.
  void rows_forward(std::ptrdiff_t count, std::ptrdiff_t pitch, const Real *rows,
                    Complex<Real> *spectra) const;
  void rows_backward(std::ptrdiff_t count, std::ptrdiff_t pitch, const Complex<Real> *spectra,
                     Real *rows) const;
  /// Transforms `count` contiguous columns in place.
  void columns(Kind kind, std::ptrdiff_t count, Complex<Real> *columns) const;

private:
  struct DestroyTransform {
    void operator()(typename Fftw<Real>::Plan plan) const;
  };
  using Plan = std::unique_ptr<std::remove_pointer_t<typename Fftw<Real>::Plan>, DestroyTransform>;

  void plan();
  /// Two scratch buffers of a thread.
  Real *first(int thread) const {
    return reinterpret_cast<Real *>(scratch_.data()) + 2 * thread * piece_;
  }
  Real *second(int thread) const { return first(thread) + piece_; }

  std::ptrdiff_t nx_, ny_;
  int threads_;
  std::ptrdiff_t piece_; ///< reals of a scratch buffer, a multiple of the cache line
  Memory scratch_;
  Plan forward_, backward_;
  std::array<Plan, 4> columns_;
};

} // namespace hybridfft::kspace
