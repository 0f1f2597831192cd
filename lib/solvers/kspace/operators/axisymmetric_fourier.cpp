#include "solvers/kspace/operators/axisymmetric_fourier.h"

#include <cmath>
#include <numbers>

namespace hybridfft::kspace {

template <class Real>
AxisymmetricFourier<Real>::AxisymmetricFourier(const Parameters &p, const LocalGrid &local,
                                               const grid::Communicator &comm, grid::Host host,
                                               Effort effort, Field<Real> &scratch)
    : Base(local, comm, host, effort, scratch) {
  // A pair of sine or cosine transforms scales by 2 Ny.
  const double scale = 0.5 / local.points();
  std::vector<double> ky;
  for (std::ptrdiff_t j = 0; j < p.n[1]; ++j) {
    const double middle = static_cast<double>(j) + 0.5;
    ky.push_back(std::numbers::pi * middle / (static_cast<double>(p.n[1]) * p.spacing[1]));
    ky_.push_back(static_cast<Real>(ky.back() * scale));
    inverse_r_.push_back(static_cast<Real>(scale / (middle * p.spacing[1])));
  }
  comm.agree([&] {
    more_columns_ = Field<Real>(local.operand_size(), host.threads);
    tables_.make_factors(p, 2 * local.points(), [](int, const auto &f, double divisor) {
      return rounded<Real>(f, divisor);
    });
    tables_.make_tables(p, {}, 1, scale, [&](const auto &f) {
      const grid::Box box = spectrum_.box();
      Field<Real> table = this->new_table();
      for (std::ptrdiff_t i = 0, at = 0; i < box.extent(0); ++i)
        for (std::ptrdiff_t k = 0; k < box.extent(2); ++k, ++at)
          table.data()[at] = static_cast<Real>(
              f(std::hypot(wavenumber(spectrum_.start() + i, p.n[0], p.spacing[0]),
                           ky[static_cast<std::size_t>(k)])));
      return table;
    });
  });
  plan_transforms(p, effort, scratch);
}

template <class Real>
void AxisymmetricFourier<Real>::plan_transforms(const Parameters &p, Effort effort,
                                                Field<Real> &scratch) {
  const std::vector<std::ptrdiff_t> extents{p.n[1], p.n[0]};
  Options options;
  options.comm = this->comm_.handle();
  options.effort = effort;
  options.deterministic = true;
  options.threads = host_.threads;
  options.transposed_out = true;
  const auto plan_forward = [&](Forward &plan, int kind) {
    options.kinds = {kind, HFFT_DFT};
    plan = Forward(extents, scratch.real(), work_.spectrum(), options);
  };
  plan_forward(dct3_, HFFT_REDFT01);
  plan_forward(dct4_, HFFT_REDFT11);
  plan_forward(dst4_, HFFT_RODFT11);
  options.transposed_out = false;
  options.transposed_in = true;
  const auto plan_backward = [&](Backward &plan, int kind) {
    options.kinds = {kind, HFFT_DFT};
    plan = Backward(extents, work_.spectrum(), work_.real(), options);
  };
  plan_backward(back_dct2_, HFFT_REDFT10);
  plan_backward(back_dst4_, HFFT_RODFT11);
}

template <class Real>
template <class F>
void AxisymmetricFourier<Real>::for_each_column_value(const F &f) const {
  const grid::Box box = spectrum_.box();
  const std::ptrdiff_t start = spectrum_.start();
  // Calls f(offset in a spectrum, global index along kx, index along y).
  parallel_for(host_, box, [=](auto i, auto, auto k) { f(i * box.extent(2) + k, start + i, k); });
}

template <class Real>
void AxisymmetricFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  forward(dct3_, p, work_);
  Complex *spectrum = columns_of(more_columns_), *out = columns_of(work_);
  const Real *kappa = tables_.kappa.data();
  const Complex *ahead = tables_.ahead[0].data();
  for_each_column_value([=](auto at, auto i, auto) {
    const Complex v = kappa[at] * out[at];
    spectrum[at] = v;
    out[at] = ahead[i] * v;
  });
  backward(back_dct2_, [&](const Field<Real> &result) { use(0, result); });
  const Real *ky = ky_.data();
  for_each_column_value([=](auto at, auto, auto k) { out[at] = -ky[k] * spectrum[at]; });
  backward(back_dst4_, [&](const Field<Real> &result) { use(1, result); });
}

template <class Real>
void AxisymmetricFourier<Real>::divergence_term(int axis, const Field<Real> &u,
                                                const UseField<Real> &use) {
  Complex *out = columns_of(work_);
  const Real *kappa = tables_.kappa.data();
  if (axis == 0) {
    forward(dct3_, u, work_);
    const Complex *behind = tables_.behind[0].data();
    for_each_column_value(
        [=](auto at, auto i, auto) { out[at] = behind[i] * (kappa[at] * out[at]); });
  } else {
    // The radial part of the divergence is du/dr + u/r. u/r is a sum of cosines.
    divide_by_radius(u, work_);
    forward(dct4_, work_, more_columns_);
    forward(dst4_, u, work_);
    const Complex *over_r = columns_of(more_columns_);
    const Real *ky = ky_.data();
    for_each_column_value(
        [=](auto at, auto, auto k) { out[at] = kappa[at] * (ky[k] * out[at] + over_r[at]); });
  }
  backward(back_dct2_, use);
}

template <class Real>
void AxisymmetricFourier<Real>::divide_by_radius(const Field<Real> &u,
                                                 Field<Real> &quotient) const {
  const grid::Box box = local_.box();
  const grid::View<Real> from = u.view(local_);
  const grid::View<Real> to = quotient.view(local_);
  const Real *inverse_r = inverse_r_.data() + local_.start(0);
  parallel_for(host_, box,
               [=](auto i, auto j, auto k) { to(i, j, k) = inverse_r[i] * from(i, j, k); });
}

template <class Real>
void AxisymmetricFourier<Real>::correct(Driven driven, const Field<Real> &source,
                                        const UseField<Real> &use) {
  const bool sines = driven == Driven::uy;
  forward(sines ? dst4_ : dct3_, source, work_);
  Complex *out = columns_of(work_);
  const Real *factor = tables_.source_kappa.data();
  for_each_column_value([=](auto at, auto, auto) { out[at] = factor[at] * out[at]; });
  backward(sines ? back_dst4_ : back_dct2_, use);
}

template class AxisymmetricFourier<float>;
template class AxisymmetricFourier<double>;

} // namespace hybridfft::kspace
