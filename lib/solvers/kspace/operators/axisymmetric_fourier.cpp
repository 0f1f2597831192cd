#include "solvers/kspace/operators/axisymmetric_fourier.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace hybridfft::kspace {

template <class Real>
AxisymmetricFourier<Real>::AxisymmetricFourier(const Parameters &p, const LocalGrid &local,
                                               const grid::Communicator &comm, grid::Host host,
                                               Effort effort, Field<Real> &scratch)
    : local_(local), spectrum_(local.extents(), comm), host_(host),
      flat_(local, comm, host, effort, scratch) {
  const std::array<double, 2> d{p.spacing[0], p.spacing[1]};
  const double half = 0.5 * p.c_ref * p.dt;
  // A pair of sine or cosine transforms scales by 2 Ny.
  const double scale = 0.5 / local.points();
  const std::ptrdiff_t bins = p.n[0] / 2 + 1;
  const auto scaled = [](std::vector<std::complex<double>> factors, double by) {
    for (std::complex<double> &factor : factors)
      factor *= by;
    return rounded<Real>(factors);
  };
  ahead_ = scaled(staggered_derivative(bins, p.n[0], d[0], Shift::forward), scale);
  behind_ = scaled(staggered_derivative(bins, p.n[0], d[0], Shift::backward), scale);
  unstagger_ = {scaled(half_shift(bins, p.n[0], d[0]), 2 * scale),
                scaled(half_shift(p.n[1], p.n[1], d[1]), 2 * scale)};
  std::vector<double> ky;
  for (std::ptrdiff_t j = 0; j < p.n[1]; ++j) {
    const double middle = static_cast<double>(j) + 0.5;
    ky.push_back(std::numbers::pi * middle / (static_cast<double>(p.n[1]) * d[1]));
    ky_.push_back(static_cast<Real>(ky.back() * scale));
    inverse_r_.push_back(static_cast<Real>(scale / (middle * d[1])));
  }
  comm.agree([&] {
    for (Field<Real> *field : {&work_, &columns_, &more_columns_})
      *field = Field<Real>(local.operand_size(), host.threads);
    const grid::Box box = spectrum_.box();
    const auto table = [&](Field<Real> &into, const auto &f) {
      into = Field<Real>(static_cast<std::size_t>(box.extent(0) * box.extent(2)), host.threads);
      const grid::View<Real> out{into.data(), 1, box.extent(2)};
      for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
        for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
          out(i, 0, k) =
              static_cast<Real>(f(half * std::hypot(wavenumber(spectrum_.start() + i, p.n[0], d[0]),
                                                    ky[static_cast<std::size_t>(k)])));
    };
    table(kappa_, [](double a) { return kappa(a); });
    if (p.has_corrected_source())
      table(source_kappa_, [scale](double a) { return scale * source_kappa(a); });
    lines_.emplace(p.n[0], p.n[1], host.threads);
  });
  plan_redistributions(p, comm, effort);
}

template <class Real>
void AxisymmetricFourier<Real>::plan_redistributions(const Parameters &p,
                                                     const grid::Communicator &comm,
                                                     Effort effort) {
  const std::vector<std::ptrdiff_t> extents{p.n[1], p.n[0] / 2 + 1};
  Layout::SlabOptions transposed;
  transposed.transposed = true;
  const Layout rows = Layout::slab(extents, comm.size(), {});
  const Layout columns = Layout::slab(extents, comm.size(), transposed);
  Options options;
  options.comm = comm.handle();
  options.effort = effort;
  options.threads = host_.threads;
  options.redistribute_only = true;
  to_columns_ = {rows, columns, work_.spectrum(), columns_.spectrum(), options};
  to_rows_ = {columns, rows, columns_.spectrum(), work_.spectrum(), options};
}

template <class Real> void AxisymmetricFourier<Real>::rows_to_columns(const Field<Real> &field) {
  lines_->rows_forward(local_.box().extent(0), local_.pitch(), field.data(), columns_of(work_));
  to_columns_.execute();
}

template <class Real> void AxisymmetricFourier<Real>::columns_to_rows(const UseField<Real> &use) {
  to_rows_.execute();
  lines_->rows_backward(local_.box().extent(0), local_.pitch(), columns_of(work_), work_.data());
  use(work_);
}

template <class Real>
void AxisymmetricFourier<Real>::transform_columns(typename LineTransforms<Real>::Kind kind,
                                                  Field<Real> &columns) {
  lines_->columns(kind, spectrum_.box().extent(0), columns_of(columns));
}

template <class Real>
template <class F>
void AxisymmetricFourier<Real>::for_each_column_value(const F &f) const {
  const grid::Box box = spectrum_.box();
  const std::ptrdiff_t start = spectrum_.start();
  // f(offset in a spectrum, global index along kx, index along y)
  parallel_for(host_, box, [=](auto i, auto, auto k) { f(i * box.extent(2) + k, start + i, k); });
}

template <class Real>
void AxisymmetricFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  rows_to_columns(p);
  transform_columns(LineTransforms<Real>::dct3, columns_);
  Complex<Real> *spectrum = columns_of(more_columns_);
  Complex<Real> *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  const Complex<Real> *ahead = ahead_.data();
  for_each_column_value([=](auto at, auto i, auto) {
    const Complex<Real> v{kappa[at] * out[at].re, kappa[at] * out[at].im};
    spectrum[at] = v;
    out[at] = {ahead[i].re * v.re - ahead[i].im * v.im, ahead[i].re * v.im + ahead[i].im * v.re};
  });
  transform_columns(LineTransforms<Real>::dct2, columns_);
  columns_to_rows([&](const Field<Real> &result) { use(0, result); });
  const Real *ky = ky_.data();
  for_each_column_value([=](auto at, auto, auto k) {
    out[at] = {-ky[k] * spectrum[at].re, -ky[k] * spectrum[at].im};
  });
  transform_columns(LineTransforms<Real>::dst4, columns_);
  columns_to_rows([&](const Field<Real> &result) { use(1, result); });
}

template <class Real>
void AxisymmetricFourier<Real>::divergence_term(int axis, const Field<Real> &u,
                                                const UseField<Real> &use) {
  rows_to_columns(u);
  Complex<Real> *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  if (axis == 0) {
    transform_columns(LineTransforms<Real>::dct3, columns_);
    const Complex<Real> *behind = behind_.data();
    for_each_column_value([=](auto at, auto i, auto) {
      const Complex<Real> v{kappa[at] * out[at].re, kappa[at] * out[at].im};
      out[at] = {behind[i].re * v.re - behind[i].im * v.im,
                 behind[i].re * v.im + behind[i].im * v.re};
    });
  } else {
    // du/dr + u/r; the second term needs cosines.
    Complex<Real> *over_r = columns_of(more_columns_);
    const Real *inverse_r = inverse_r_.data();
    for_each_column_value([=](auto at, auto, auto k) {
      over_r[at] = {inverse_r[k] * out[at].re, inverse_r[k] * out[at].im};
    });
    transform_columns(LineTransforms<Real>::dst4, columns_);
    transform_columns(LineTransforms<Real>::dct4, more_columns_);
    const Real *ky = ky_.data();
    for_each_column_value([=](auto at, auto, auto k) {
      out[at] = {kappa[at] * (ky[k] * out[at].re + over_r[at].re),
                 kappa[at] * (ky[k] * out[at].im + over_r[at].im)};
    });
  }
  transform_columns(LineTransforms<Real>::dct2, columns_);
  columns_to_rows(use);
}

template <class Real>
void AxisymmetricFourier<Real>::correct_source(Driven driven, const Field<Real> &source,
                                               const UseField<Real> &use) {
  const bool sines = driven == Driven::uy;
  rows_to_columns(source);
  transform_columns(sines ? LineTransforms<Real>::dst4 : LineTransforms<Real>::dct3, columns_);
  Complex<Real> *out = columns_of(columns_);
  const Real *factor = source_kappa_.data();
  for_each_column_value([=](auto at, auto, auto) {
    out[at] = {factor[at] * out[at].re, factor[at] * out[at].im};
  });
  transform_columns(sines ? LineTransforms<Real>::dst4 : LineTransforms<Real>::dct2, columns_);
  columns_to_rows(use);
}

template <class Real>
void AxisymmetricFourier<Real>::fractional_laplacian(FractionalLaplacian, const Field<Real> &,
                                                     const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real>
void AxisymmetricFourier<Real>::absorb(Real, Field<Real> &, Real, const Field<Real> &,
                                       const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real>
void AxisymmetricFourier<Real>::unstagger(int axis, const Field<Real> &u,
                                          const UseField<Real> &use) {
  flat_.forward(u);
  flat_.multiply(nullptr, axis, unstagger_[static_cast<std::size_t>(axis)], flat_.work(),
                 flat_.work());
  flat_.backward(flat_.work());
  use(flat_.work());
}

template <class Real> std::string AxisymmetricFourier<Real>::describe() const {
  return "rows along x by FFTW, global transposition, sine and cosine transforms along y by FFTW, "
         "line by line";
}

template class AxisymmetricFourier<float>;
template class AxisymmetricFourier<double>;

} // namespace hybridfft::kspace
