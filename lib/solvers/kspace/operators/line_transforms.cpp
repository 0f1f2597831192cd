#include "solvers/kspace/operators/line_transforms.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/threads.h"

namespace hybridfft::kspace {

namespace {

template <class Real> std::ptrdiff_t whole_cache_lines(std::ptrdiff_t reals) {
  constexpr auto line = static_cast<std::ptrdiff_t>(alignment / sizeof(Real));
  return (reals + line - 1) / line * line;
}

template <class Real> typename Fftw<Real>::Complex *complex(Real *values) {
  return reinterpret_cast<typename Fftw<Real>::Complex *>(values);
}

} // namespace

template <class Real>
void LineTransforms<Real>::DestroyTransform::operator()(typename Fftw<Real>::Plan plan) const {
  const std::lock_guard<std::mutex> lock(fftw_planner_mutex());
  Fftw<Real>::destroy(plan);
}

template <class Real>
LineTransforms<Real>::LineTransforms(std::ptrdiff_t nx, std::ptrdiff_t ny, int threads)
    : nx_(nx), ny_(ny), threads_(threads),
      piece_(whole_cache_lines<Real>(std::max(2 * (nx / 2 + 1), ny))),
      scratch_(static_cast<std::size_t>(2 * piece_ * threads) * sizeof(Real), threads) {
  plan();
}

template <class Real> void LineTransforms<Real>::plan() {
  const FftwPlannerScope<Real> planner(1);
  const FftwWithoutWisdom<Real> forgotten;
  constexpr unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
  const typename Fftw<Real>::Dimension row{nx_, 1, 1};
  const typename Fftw<Real>::Dimension column{ny_, 1, 1};
  forward_.reset(Fftw<Real>::plan_r2c(1, &row, 0, nullptr, first(0), complex(second(0)), flags));
  backward_.reset(Fftw<Real>::plan_c2r(1, &row, 0, nullptr, complex(first(0)), second(0), flags));
  if (!forward_ || !backward_)
    throw std::runtime_error("FFTW cannot plan transforms of rows of " + std::to_string(nx_));
  constexpr std::array<fftw_r2r_kind, 4> kinds{FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                               FFTW_RODFT11};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    columns_[i].reset(
        Fftw<Real>::plan_r2r(1, &column, 0, nullptr, first(0), second(0), &kinds[i], flags));
    if (!columns_[i])
      throw std::runtime_error("FFTW cannot plan transforms of columns of " + std::to_string(ny_));
  }
}

template <class Real>
void LineTransforms<Real>::rows_forward(std::ptrdiff_t count, std::ptrdiff_t pitch,
                                        const Real *rows, Complex<Real> *spectra) const {
  parallel_ranges(count, threads_, [&](std::ptrdiff_t begin, std::ptrdiff_t end, int thread) {
    for (std::ptrdiff_t row = begin; row < end; ++row) {
      std::copy_n(rows + row * pitch, nx_, first(thread));
      Fftw<Real>::execute_r2c(forward_.get(), first(thread), complex(second(thread)));
      std::copy_n(reinterpret_cast<const Complex<Real> *>(second(thread)), nx_ / 2 + 1,
                  spectra + row * (pitch / 2));
    }
  });
}

template <class Real>
void LineTransforms<Real>::rows_backward(std::ptrdiff_t count, std::ptrdiff_t pitch,
                                         const Complex<Real> *spectra, Real *rows) const {
  parallel_ranges(count, threads_, [&](std::ptrdiff_t begin, std::ptrdiff_t end, int thread) {
    for (std::ptrdiff_t row = begin; row < end; ++row) {
      std::copy_n(spectra + row * (pitch / 2), nx_ / 2 + 1,
                  reinterpret_cast<Complex<Real> *>(first(thread)));
      Fftw<Real>::execute_c2r(backward_.get(), complex(first(thread)), second(thread));
      std::copy_n(second(thread), nx_, rows + row * pitch);
    }
  });
}

template <class Real>
void LineTransforms<Real>::columns(Kind kind, std::ptrdiff_t count, Complex<Real> *columns) const {
  const typename Fftw<Real>::Plan plan = columns_[kind].get();
  parallel_ranges(count, threads_, [&](std::ptrdiff_t begin, std::ptrdiff_t end, int thread) {
    Real *in = first(thread);
    Real *out = second(thread);
    for (Complex<Real> *column = columns + begin * ny_; column < columns + end * ny_; column += ny_)
      for (Real Complex<Real>::*part : {&Complex<Real>::re, &Complex<Real>::im}) {
        for (std::ptrdiff_t k = 0; k < ny_; ++k)
          in[k] = column[k].*part;
        Fftw<Real>::execute_r2r(plan, in, out);
        for (std::ptrdiff_t k = 0; k < ny_; ++k)
          column[k].*part = out[k];
      }
  });
}

template class LineTransforms<float>;
template class LineTransforms<double>;

} // namespace hybridfft::kspace
