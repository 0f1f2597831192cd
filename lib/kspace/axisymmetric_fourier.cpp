#include "kspace/axisymmetric_fourier.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

void AxisymmetricFourier::Destroy::operator()(Fftw<Real>::Plan plan) const {
  const std::lock_guard<std::mutex> lock(fftw_planner_mutex());
  Fftw<Real>::destroy(plan);
}

AxisymmetricFourier::AxisymmetricFourier(const Parameters &p, const Slab &slab,
                                         const grid::Communicator &comm, grid::Host host,
                                         Transforms::Settings settings, Field &scratch)
    : slab_(slab), host_(host), transposition_(comm, p.n[1], p.n[0] / 2 + 1, host.threads),
      flat_(slab, comm, host, settings, scratch) {
  const std::array<double, 2> d{p.spacing[0], p.spacing[1]};
  const double half = 0.5 * p.c_ref * p.dt;
  // A pair of sine or cosine transforms multiplies by 2 Ny.
  const double scale = 0.5 / slab.points();
  const std::ptrdiff_t bins = p.n[0] / 2 + 1;
  const auto scaled = [](std::vector<std::complex<double>> factors, double by) {
    for (std::complex<double> &factor : factors)
      factor *= by;
    return rounded(factors);
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
    for (Field *field : {&work_, &columns_, &more_columns_})
      *field = Field(slab.transform_size(), host.threads);
    const grid::Box box = slab.spectral();
    const auto table = [&](Field &into, const auto &f) {
      into = Field(static_cast<std::size_t>(box.n0 * box.n2), host.threads);
      const grid::View<Real> out{into.data(), 1, box.n2};
      for (std::ptrdiff_t i = 0; i < box.n0; ++i)
        for (std::ptrdiff_t k = 0; k < box.n2; ++k)
          out(i, 0, k) = static_cast<Real>(
              f(half * std::hypot(wavenumber(slab.spectral_start() + i, p.n[0], d[0]),
                                  ky[static_cast<std::size_t>(k)])));
    };
    table(kappa_, [](double a) { return kappa(a); });
    if (p.has_corrected_source())
      table(source_kappa_, [scale](double a) { return scale * source_kappa(a); });
    // The same bits in each run need plans that are not chosen by the clock.
    const bool estimate = settings.deterministic || settings.effort == Effort::estimate;
    const unsigned flags = estimate ? FFTW_ESTIMATE : FFTW_MEASURE;
    const FftwPlannerScope<Real> planner(host.threads);
    plan_rows(flags);
    plan_columns(flags);
  });
}

void AxisymmetricFourier::plan_rows(unsigned flags) {
  const grid::Box box = slab_.real();
  if (box.n0 == 0) return;
  const std::ptrdiff_t bins = slab_.pitch() / 2;
  const Fftw<Real>::Dimension forward{box.n2, 1, 1};
  const Fftw<Real>::Dimension real_to_spectrum{box.n0, slab_.pitch(), bins};
  const Fftw<Real>::Dimension spectrum_to_real{box.n0, bins, slab_.pitch()};
  auto *spectrum = reinterpret_cast<Fftw<Real>::Complex *>(work_.data());
  rows_forward_.reset(Fftw<Real>::plan_r2c(1, &forward, 1, &real_to_spectrum, columns_.data(),
                                           spectrum, flags | FFTW_PRESERVE_INPUT));
  rows_backward_.reset(
      Fftw<Real>::plan_c2r(1, &forward, 1, &spectrum_to_real, spectrum, work_.data(), flags));
  if (!rows_forward_ || !rows_backward_)
    throw std::runtime_error("FFTW cannot plan transforms of rows of " + std::to_string(box.n2));
}

void AxisymmetricFourier::plan_columns(unsigned flags) {
  const grid::Box box = slab_.spectral();
  if (box.n0 == 0) return;
  // Real and imaginary parts are transformed each on its own.
  const Fftw<Real>::Dimension along{box.n2, 2, 2};
  const std::array<Fftw<Real>::Dimension, 2> many{{{box.n0, 2 * box.n2, 2 * box.n2}, {2, 1, 1}}};
  constexpr std::array<fftw_r2r_kind, 4> kinds{FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                               FFTW_RODFT11};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    columns_plans_[i].reset(Fftw<Real>::plan_r2r(1, &along, 2, many.data(), columns_.data(),
                                                 columns_.data(), &kinds[i], flags));
    if (!columns_plans_[i])
      throw std::runtime_error("FFTW cannot plan transforms of columns of " +
                               std::to_string(box.n2));
  }
}

void AxisymmetricFourier::rows_to_columns(const Field &field) {
  if (rows_forward_)
    Fftw<Real>::execute_r2c(rows_forward_.get(), field.data(),
                            reinterpret_cast<Fftw<Real>::Complex *>(work_.data()));
  transposition_.forward(work_.spectrum().data(), columns_.spectrum().data());
}

void AxisymmetricFourier::columns_to_rows(const Use &use) {
  transposition_.backward(columns_.spectrum().data(), work_.spectrum().data());
  if (rows_backward_)
    Fftw<Real>::execute_c2r(rows_backward_.get(),
                            reinterpret_cast<Fftw<Real>::Complex *>(work_.data()), work_.data());
  use(work_);
}

void AxisymmetricFourier::transform_columns(Kind kind, Field &columns) {
  if (columns_plans_[kind])
    Fftw<Real>::execute_r2r(columns_plans_[kind].get(), columns.data(), columns.data());
}

template <class F> void AxisymmetricFourier::for_each_column_value(const F &f) const {
  const grid::Box box = slab_.spectral();
  const std::ptrdiff_t start = slab_.spectral_start();
  // f(offset in a spectrum, global index along kx, index along y)
  parallel_for(host_, box, [=](auto i, auto, auto k) { f(i * box.n2 + k, start + i, k); });
}

void AxisymmetricFourier::gradient(Field &p, const UseComponent &use) {
  rows_to_columns(p);
  transform_columns(dct3, columns_);
  Complex *spectrum = columns_of(more_columns_);
  Complex *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  const Complex *ahead = ahead_.data();
  for_each_column_value([=](auto at, auto i, auto) {
    const Complex v{kappa[at] * out[at].re, kappa[at] * out[at].im};
    spectrum[at] = v;
    out[at] = {ahead[i].re * v.re - ahead[i].im * v.im, ahead[i].re * v.im + ahead[i].im * v.re};
  });
  transform_columns(dct2, columns_);
  columns_to_rows([&](const Field &result) { use(0, result); });
  const Real *ky = ky_.data();
  for_each_column_value([=](auto at, auto, auto k) {
    out[at] = {-ky[k] * spectrum[at].re, -ky[k] * spectrum[at].im};
  });
  transform_columns(dst4, columns_);
  columns_to_rows([&](const Field &result) { use(1, result); });
}

void AxisymmetricFourier::divergence_term(int axis, const Field &u, const Use &use) {
  rows_to_columns(u);
  Complex *out = columns_of(columns_);
  const Real *kappa = kappa_.data();
  if (axis == 0) {
    transform_columns(dct3, columns_);
    const Complex *behind = behind_.data();
    for_each_column_value([=](auto at, auto i, auto) {
      const Complex v{kappa[at] * out[at].re, kappa[at] * out[at].im};
      out[at] = {behind[i].re * v.re - behind[i].im * v.im,
                 behind[i].re * v.im + behind[i].im * v.re};
    });
  } else {
    // du/dr + u/r, the second of which needs cosines.
    Complex *over_r = columns_of(more_columns_);
    const Real *inverse_r = inverse_r_.data();
    for_each_column_value([=](auto at, auto, auto k) {
      over_r[at] = {inverse_r[k] * out[at].re, inverse_r[k] * out[at].im};
    });
    transform_columns(dst4, columns_);
    transform_columns(dct4, more_columns_);
    const Real *ky = ky_.data();
    for_each_column_value([=](auto at, auto, auto k) {
      out[at] = {kappa[at] * (ky[k] * out[at].re + over_r[at].re),
                 kappa[at] * (ky[k] * out[at].im + over_r[at].im)};
    });
  }
  transform_columns(dct2, columns_);
  columns_to_rows(use);
}

void AxisymmetricFourier::correct_source(Driven driven, const Field &source, const Use &use) {
  const bool sines = driven == Driven::uy;
  rows_to_columns(source);
  transform_columns(sines ? dst4 : dct3, columns_);
  Complex *out = columns_of(columns_);
  const Real *factor = source_kappa_.data();
  for_each_column_value([=](auto at, auto, auto) {
    out[at] = {factor[at] * out[at].re, factor[at] * out[at].im};
  });
  transform_columns(sines ? dst4 : dct2, columns_);
  columns_to_rows(use);
}

void AxisymmetricFourier::fractional_laplacian(FractionalLaplacian, const Field &, const Use &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

void AxisymmetricFourier::absorb(Real, Field &, Real, const Field &, const Use &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

void AxisymmetricFourier::unstagger(int axis, const Field &u, const Use &use) {
  flat_.forward(u);
  flat_.multiply(nullptr, axis, unstagger_[static_cast<std::size_t>(axis)], flat_.work(),
                 flat_.work());
  flat_.backward(flat_.work());
  use(flat_.work());
}

std::string AxisymmetricFourier::describe() const {
  return "rows along x by FFTW, global transposition, sine and cosine transforms along y by FFTW";
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
