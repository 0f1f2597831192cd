#include "solvers/kspace/operators/transforms.h"

namespace hybridfft::kspace {

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

} // namespace hybridfft::kspace
