#include "kspace/operators/transforms.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

Factors rounded(const std::vector<std::complex<double>> &factors) {
  Factors result;
  for (const std::complex<double> &factor : factors)
    result.push_back({static_cast<Real>(factor.real()), static_cast<Real>(factor.imag())});
  return result;
}

Transforms::Transforms(const LocalGrid &local, const grid::Communicator &comm, grid::Host host,
                       Effort effort, Field &scratch)
    : local_(local), spectrum_(local.extents(), comm), host_(host) {
  comm.agree([&] { work_ = Field(local.operand_size(), host.threads); });
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

grid::View<const Complex> Transforms::spectrum(const Field &field) const {
  const grid::Box box = spectrum_.box();
  return {reinterpret_cast<const Complex *>(field.data()), box.extent(1), box.extent(2)};
}

void Transforms::multiply(const Field *table, int axis, const Factors &factors, const Field &from,
                          Field &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex> in = spectrum(from);
  const grid::View<Complex> out{reinterpret_cast<Complex *>(to.data()), box.extent(1),
                                box.extent(2)};
  // Member by member: whole-struct copies would keep the compiler from vectorising.
  const auto with_table = [&](auto factor, auto real) {
    grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
      const Complex &v = in(i, j, k);
      const Complex f = factor(i, j, k);
      const Real r = real(i, j, k);
      const Real re = r * (f.re * v.re - f.im * v.im);
      const Real im = r * (f.re * v.im + f.im * v.re);
      Complex &result = out(i, j, k);
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
  const Complex *values = factors.data();
  switch (spectrum_.place(axis)) {
  case 0:
    return apply(grid::Profile<Complex, 0>{values + spectrum_.start()});
  case 1:
    return apply(grid::Profile<Complex, 1>{values});
  default:
    return apply(grid::Profile<Complex, 2>{values});
  }
}

void Transforms::multiply(const Field &table, const Field &from, Field &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex> in = spectrum(from);
  const grid::View<Complex> out{reinterpret_cast<Complex *>(to.data()), box.extent(1),
                                box.extent(2)};
  const grid::View<const Real> real{table.data(), box.extent(1), box.extent(2)};
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    const Complex &v = in(i, j, k);
    const Real re = real(i, j, k) * v.re;
    const Real im = real(i, j, k) * v.im;
    Complex &result = out(i, j, k);
    result.re = re;
    result.im = im;
  });
}

void Transforms::combine(Real a, const Field &other, Real b, const Field &table, Field &to) const {
  const grid::Box box = spectrum_.box();
  const grid::View<const Complex> in = spectrum(other);
  const grid::View<Complex> out{reinterpret_cast<Complex *>(to.data()), box.extent(1),
                                box.extent(2)};
  const grid::View<const Real> real{table.data(), box.extent(1), box.extent(2)};
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    const Complex &v = in(i, j, k);
    Complex &w = out(i, j, k);
    const Real factor = b * real(i, j, k);
    const Real re = a * v.re + factor * w.re;
    const Real im = a * v.im + factor * w.im;
    w.re = re;
    w.im = im;
  });
}

std::string Transforms::describe() const {
  return forward_.describe() + "\n" + backward_.describe();
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
