#include "solvers/lfb/convolution.h"

#include "base/threads.h"

namespace hybridfft::lfb {

namespace {

using local::Fft;
using local::Kind;

/// Rounds `values` up to a multiple of the alignment, so that all rows are aligned for FFTW.
template <class T> std::ptrdiff_t whole_vectors(std::ptrdiff_t values) {
  constexpr auto each = static_cast<std::ptrdiff_t>(alignment / sizeof(T));
  return (values + each - 1) / each * each;
}

} // namespace

template <class Real>
Convolution<Real>::Convolution(const Index3 &n, int threads)
    : n_(n), threads_(threads), plane_(whole_vectors<Real>(n[1] * n[2])),
      pitch_(whole_vectors<Complex>(n[2] / 2 + 1)),
      grid_(static_cast<std::size_t>(n[0] * plane_) * sizeof(Real), threads),
      spectrum_(static_cast<std::size_t>(n[0] * n[1] * pitch_) * sizeof(Complex), threads) {
  for (int t = 0; t < std::max(threads, 1); ++t)
    columns_.emplace_back(static_cast<std::size_t>(n[0] * pitch_) * sizeof(Complex), 1);
  const std::ptrdiff_t row = n_[1] * pitch_;
  planes_forward_ =
      Fft<Real>::reproducible({Kind::r2c, -1, {{n[1], n[2], pitch_}, {n[2], 1, 1}}, {}});
  planes_backward_ =
      Fft<Real>::reproducible({Kind::c2r, +1, {{n[1], pitch_, n[2]}, {n[2], 1, 1}}, {}});
  columns_forward_ =
      Fft<Real>::reproducible({Kind::c2c, -1, {{n[0], row, pitch_}}, {{bins(), 1, 1}}});
  columns_backward_ =
      Fft<Real>::reproducible({Kind::c2c, +1, {{n[0], pitch_, row}}, {{bins(), 1, 1}}});
}

template <class Real>
typename Convolution<Real>::Factors Convolution<Real>::factors(
    const std::function<double(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)> &factor) const {
  Factors all(static_cast<std::size_t>(n_[0] * n_[1] * bins()));
  // Factors are stored in the order of their use in apply(): [j][i][k].
  parallel_ranges(n_[1], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
    for (std::ptrdiff_t j = first; j < last; ++j)
      for (std::ptrdiff_t i = 0; i < n_[0]; ++i)
        for (std::ptrdiff_t k = 0; k < bins(); ++k)
          all[static_cast<std::size_t>((j * n_[0] + i) * bins() + k)] =
              static_cast<Real>(factor(i, j, k));
  });
  return all;
}

template <class Real> void Convolution<Real>::apply(const Factors &factors) const {
  const auto planes = [&](const auto &transform) {
    parallel_ranges(n_[0], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
      for (std::ptrdiff_t i = first; i < last; ++i)
        transform(i);
    });
  };
  planes([&](std::ptrdiff_t i) { planes_forward_.execute(row(i, 0), spectrum(i, 0)); });
  parallel_ranges(n_[1], threads_, [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
    auto *column = reinterpret_cast<Complex *>(columns_[static_cast<std::size_t>(thread)].data());
    for (std::ptrdiff_t j = first; j < last; ++j) {
      columns_forward_.execute(spectrum(0, j), column);
      const Real *factor = factors.data() + j * n_[0] * bins();
      for (std::ptrdiff_t i = 0; i < n_[0]; ++i, factor += bins())
        for (std::ptrdiff_t k = 0; k < bins(); ++k)
          column[i * pitch_ + k] *= factor[k];
      columns_backward_.execute(column, spectrum(0, j));
    }
  });
  planes([&](std::ptrdiff_t i) { planes_backward_.execute(spectrum(i, 0), row(i, 0)); });
}

template class Convolution<float>;
template class Convolution<double>;

} // namespace hybridfft::lfb
