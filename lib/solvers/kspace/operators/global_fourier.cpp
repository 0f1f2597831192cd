#include "solvers/kspace/operators/global_fourier.h"

#include <chrono>
#include <cmath>

#include "base/threads.h"

namespace hybridfft::kspace {

template <class Real>
UnfusedFourier<Real>::UnfusedFourier(std::unique_ptr<FieldOperators<Real>> operators,
                                     const LocalGrid &local, const grid::Communicator &comm,
                                     grid::Host host)
    : HostDerivative<Real>(local), operators_(std::move(operators)), comm_(comm), host_(host) {}

template <class Real> void UnfusedFourier<Real>::set_uniform_absorption(Real tau, Real eta) {
  tau_ = tau;
  eta_ = eta;
}

template <class Real> template <class F> void UnfusedFourier<Real>::for_each_row(const F &f) const {
  const grid::Box box = local_.box();
  parallel_ranges(box.extent(0) * box.extent(1), host_.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    for (std::ptrdiff_t row = first; row < last; ++row)
                      f(Row{row / box.extent(1), row % box.extent(1), 0, box.extent(2)});
                  });
}

template <class Real>
typename UnfusedFourier<Real>::Rows UnfusedFourier<Real>::rows_at(const Row &row) const {
  Rows rows{};
  for (std::size_t o = 0; o < rows.size(); ++o)
    if (outputs_[o] != nullptr) rows[o] = outputs_[o]->row(local_, row.i, row.j);
  return rows;
}

template <class Real>
void UnfusedFourier<Real>::set_outputs(std::span<const Output<Real>> outputs) {
  for (std::size_t o = 0; o < max_outputs; ++o) {
    const Output<Real> output = o < outputs.size() ? outputs[o] : Output<Real>::skip();
    if (output.use == Output<Real>::Use::skip) {
      outputs_[o] = nullptr;
      continue;
    }
    if (output.field == nullptr && own_[o].data() == nullptr)
      comm_.agree([&] { own_[o] = Field<Real>(local_.operand_size(), host_.threads); });
    outputs_[o] = output.field != nullptr ? output.field : &own_[o];
  }
}

template <class Real>
void UnfusedFourier<Real>::apply(Operator op, const RowKernel<Real> &kernel,
                                 std::span<const Output<Real>> outputs) {
  set_outputs(outputs);
  const bool together = op != Operator::gradient;
  if (together) for_each_row([&](const Row &row) { kernel.begin(row, rows_at(row).data()); });
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const double working = working_;
  run(op, kernel);
  operating_ += std::chrono::duration<double>(Clock::now() - begin).count() - (working_ - working);
  if (together) for_each_row([&](const Row &row) { kernel.end(row, rows_at(row).data()); });
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].use == Output<Real>::Use::operand) operands_[o] = outputs_[o];
}

template <class Real>
void UnfusedFourier<Real>::component(const RowKernel<Real> &kernel, int c,
                                     const Field<Real> &values) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for_each_row([&](const Row &row) {
    kernel.component(c, row, values.row(local_, row.i, row.j), rows_at(row).data());
  });
  working_ += std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class Real> void UnfusedFourier<Real>::run(Operator op, const RowKernel<Real> &kernel) {
  // An operator may overwrite its operands, even if the caller stores them.
  const auto operand = [&](std::size_t o) -> Field<Real> & {
    return const_cast<Field<Real> &>(*operands_[o]);
  };
  switch (op) {
  case Operator::none:
    return;
  case Operator::gradient:
    return operators_->gradient(operand(0), [&](int axis, const Field<Real> &slope) {
      component(kernel, axis, slope);
      kernel.completed(axis);
    });
  case Operator::divergence:
    for (int axis = 0; axis < local_.dimensions(); ++axis)
      operators_->divergence_term(
          axis, operand(static_cast<std::size_t>(axis)),
          [&](const Field<Real> &slope) { component(kernel, axis, slope); });
    return;
  case Operator::laplacians:
    operators_->fractional_laplacian(
        FractionalLaplacian::absorption, operand(0),
        [&](const Field<Real> &result) { component(kernel, 0, result); });
    return operators_->fractional_laplacian(
        FractionalLaplacian::dispersion, operand(1),
        [&](const Field<Real> &result) { component(kernel, 1, result); });
  case Operator::absorption:
    return operators_->absorb(tau_, operand(0), eta_, operand(1),
                              [&](const Field<Real> &result) { component(kernel, 0, result); });
  }
}

template <class Real>
void UnfusedFourier<Real>::correct_rows(Driven driven, const Field<Real> &source,
                                        const UseRow<Real> &use) {
  operators_->correct_source(driven, source, [&](const Field<Real> &result) {
    for_each_row([&](const Row &row) { use(row, result.row(local_, row.i, row.j)); });
  });
}

template <class Real>
void UnfusedFourier<Real>::unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) {
  operators_->unstagger(axis, u, use);
}

template class UnfusedFourier<float>;
template class UnfusedFourier<double>;

template <class Real> Factors<Real> rounded(const std::vector<std::complex<double>> &factors) {
  Factors<Real> result;
  for (const std::complex<double> &factor : factors)
    result.push_back({static_cast<Real>(factor.real()), static_cast<Real>(factor.imag())});
  return result;
}

template <class Real>
Transforms<Real>::Transforms(const LocalGrid &local, const grid::Communicator &comm,
                             grid::Host host, Effort effort, Field<Real> &scratch)
    : local_(local), spectrum_(local.extents(), comm), host_(host) {
  comm.agree([&] { work_ = Field<Real>(local.operand_size(), host.threads); });
  Options options;
  options.comm = comm.handle();
  options.effort = effort;
  options.deterministic = true;
  options.threads = host.threads;
  options.transposed_out = true;
  const std::vector<std::ptrdiff_t> extents =
      TransposedSpectrum::transform_extents(local.extents());
  forward_ = Plan<Real, Kind::r2c>(extents, scratch.real(), work_.spectrum(), options);
  options.transposed_out = false;
  options.transposed_in = true;
  backward_ = Plan<Real, Kind::c2r>(extents, work_.spectrum(), work_.real(), options);
}

template <class Real>
grid::View<const Complex<Real>> Transforms<Real>::spectrum(const Field<Real> &field) const {
  const grid::Box box = spectrum_.box();
  return {reinterpret_cast<const Complex<Real> *>(field.data()), box.extent(1), box.extent(2)};
}

template <class Real>
void Transforms<Real>::multiply(const Field<Real> *table, int axis, const Factors<Real> &factors,
                                const Field<Real> &from, Field<Real> &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex<Real>> in = spectrum(from);
  const grid::View<Complex<Real>> out{reinterpret_cast<Complex<Real> *>(to.data()), box.extent(1),
                                      box.extent(2)};
  // Members are copied one by one; copying whole structs would prevent vectorisation.
  const auto with_table = [&](auto factor, auto real) {
    grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
      const Complex<Real> &v = in(i, j, k);
      const Complex<Real> f = factor(i, j, k);
      const Real r = real(i, j, k);
      const Real re = r * (f.re * v.re - f.im * v.im);
      const Real im = r * (f.re * v.im + f.im * v.re);
      Complex<Real> &result = out(i, j, k);
      result.re = re;
      result.im = im;
    });
  };
  const auto apply = [&](auto factor) {
    if (table != nullptr)
      with_table(factor, grid::View<const Real>{table->data(), box.extent(1), box.extent(2)});
    else
      with_table(factor, [](auto, auto, auto) { return 1.0F; });
  };
  const Complex<Real> *values = factors.data();
  switch (spectrum_.place(axis)) {
  case 0:
    return apply(grid::Profile<Complex<Real>, 0>{values + spectrum_.start()});
  case 1:
    return apply(grid::Profile<Complex<Real>, 1>{values});
  default:
    return apply(grid::Profile<Complex<Real>, 2>{values});
  }
}

template <class Real>
void Transforms<Real>::multiply(const Field<Real> &table, const Field<Real> &from,
                                Field<Real> &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex<Real>> in = spectrum(from);
  const grid::View<Complex<Real>> out{reinterpret_cast<Complex<Real> *>(to.data()), box.extent(1),
                                      box.extent(2)};
  const grid::View<const Real> real{table.data(), box.extent(1), box.extent(2)};
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    const Complex<Real> &v = in(i, j, k);
    const Real re = real(i, j, k) * v.re;
    const Real im = real(i, j, k) * v.im;
    Complex<Real> &result = out(i, j, k);
    result.re = re;
    result.im = im;
  });
}

template <class Real>
void Transforms<Real>::combine(Real a, const Field<Real> &other, Real b, const Field<Real> &table,
                               Field<Real> &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex<Real>> in = spectrum(other);
  const grid::View<Complex<Real>> out{reinterpret_cast<Complex<Real> *>(to.data()), box.extent(1),
                                      box.extent(2)};
  const grid::View<const Real> real{table.data(), box.extent(1), box.extent(2)};
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    const Complex<Real> &v = in(i, j, k);
    Complex<Real> &w = out(i, j, k);
    const Real factor = b * real(i, j, k);
    const Real re = a * v.re + factor * w.re;
    const Real im = a * v.im + factor * w.im;
    w.re = re;
    w.im = im;
  });
}

template <class Real> std::string Transforms<Real>::describe() const {
  return forward_.describe() + "\n" + backward_.describe();
}

template Factors<float> rounded(const std::vector<std::complex<double>> &factors);
template Factors<double> rounded(const std::vector<std::complex<double>> &factors);
template class Transforms<float>;
template class Transforms<double>;

template <class Real>
GlobalFourier<Real>::GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                                   const grid::Communicator &comm, grid::Host host, Effort effort,
                                   Field<Real> &scratch, const LaplacianMultipliers &multipliers)
    : transforms_(local, comm, host, effort, scratch), dimensions_(local.dimensions()) {
  // The factors include the normalisation of the backward transform, which thus costs nothing.
  const double scale = 1 / local.points();
  for (int axis = 0; axis < dimensions_; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::ptrdiff_t bins = axis == 0 ? parameters.n[0] / 2 + 1 : parameters.n[a];
    const double d = parameters.spacing[a];
    const auto scaled = [&](std::vector<std::complex<double>> factors) {
      for (std::complex<double> &factor : factors)
        factor *= scale;
      return rounded<Real>(factors);
    };
    ahead_[a] = scaled(staggered_derivative(bins, parameters.n[a], d, Shift::forward));
    behind_[a] = scaled(staggered_derivative(bins, parameters.n[a], d, Shift::backward));
    unstagger_[a] = scaled(half_shift(bins, parameters.n[a], d));
  }
  comm.agree([&] {
    make_tables(parameters, multipliers.absorption
                                ? multipliers
                                : LaplacianMultipliers::of(parameters.alpha_power));
  });
}

template <class Real>
void GlobalFourier<Real>::make_tables(const Parameters &p,
                                      const LaplacianMultipliers &multipliers) {
  std::array<double, 3> d{};
  for (std::size_t a = 0; a < 3; ++a)
    d[a] = p.spacing[a];
  const double scale = 1 / transforms_.local().points();
  const double half = 0.5 * p.c_ref * p.dt;
  kappa_ = transforms_.table(d, [half](double k) { return kappa(half * k); });
  if (p.has_corrected_source())
    source_kappa_ =
        transforms_.table(d, [half, scale](double k) { return scale * source_kappa(half * k); });
  if (p.absorption == Absorption::power_law) {
    const auto scaled = [&](const std::function<double(double)> &f) {
      return transforms_.table(d, [&](double k) { return scale * f(k); });
    };
    laplacians_[0] = scaled(multipliers.absorption);
    laplacians_[1] = scaled(multipliers.dispersion);
  }
}

template <class Real>
void GlobalFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  transforms_.forward(p);
  for (int axis = 0; axis < dimensions_; ++axis) {
    transforms_.multiply(&kappa_, axis, ahead_[static_cast<std::size_t>(axis)], transforms_.work(),
                         p);
    transforms_.backward(p);
    use(axis, p);
  }
}

template <class Real>
void GlobalFourier<Real>::divergence_term(int axis, const Field<Real> &u,
                                          const UseField<Real> &use) {
  transforms_.forward(u);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(&kappa_, axis, behind_[static_cast<std::size_t>(axis)], work, work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::filter(const Field<Real> &table, const Field<Real> &field,
                                 const UseField<Real> &use) {
  transforms_.forward(field);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(table, work, work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::correct_source(Driven, const Field<Real> &source,
                                         const UseField<Real> &use) {
  filter(source_kappa_, source, use);
}

template <class Real>
void GlobalFourier<Real>::fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                                               const UseField<Real> &use) {
  filter(laplacians_[order == FractionalLaplacian::absorption ? 0 : 1], field, use);
}

template <class Real>
void GlobalFourier<Real>::absorb(Real tau, Field<Real> &compression, Real eta,
                                 const Field<Real> &rho, const UseField<Real> &use) {
  Field<Real> &work = transforms_.work();
  transforms_.forward(compression);
  transforms_.multiply(laplacians_[0], work, compression);
  transforms_.forward(rho);
  transforms_.combine(tau, compression, -eta, laplacians_[1], work);
  transforms_.backward(work);
  use(work);
}

template <class Real>
void GlobalFourier<Real>::unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) {
  transforms_.forward(u);
  Field<Real> &work = transforms_.work();
  transforms_.multiply(nullptr, axis, unstagger_[static_cast<std::size_t>(axis)], work, work);
  transforms_.backward(work);
  use(work);
}

template class GlobalFourier<float>;
template class GlobalFourier<double>;

} // namespace hybridfft::kspace
