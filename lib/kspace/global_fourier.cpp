#include "kspace/global_fourier.h"

#include <cmath>

namespace hybridfft::kspace {

namespace {

Options plan_options(const grid::Communicator &comm, grid::Host host, Effort effort) {
  Options options;
  options.comm = comm.handle();
  options.effort = effort;
  options.threads = host.threads;
  return options;
}

} // namespace

GlobalFourier::GlobalFourier(const Parameters &parameters, const Slab &slab,
                             const grid::Communicator &comm, grid::Host host, Effort effort,
                             Field &scratch)
    : slab_(slab), host_(host) {
  comm.agree([&] {
    const grid::Box box = slab.spectral();
    work_ = Field(slab.transform_size(), host.threads);
    kappa_ = Field(static_cast<std::size_t>(box.n0 * box.n1 * box.n2), host.threads);
  });
  const std::array<std::ptrdiff_t, 3> extents{parameters.n[2], parameters.n[1], parameters.n[0]};
  Options options = plan_options(comm, host, effort);
  options.transposed_out = true;
  forward_ = Plan<float, Kind::r2c>(extents, scratch.real(), work_.spectrum(), options);
  options.transposed_out = false;
  options.transposed_in = true;
  backward_ = Plan<float, Kind::c2r>(extents, work_.spectrum(), work_.real(), options);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ahead_[axis] = factors(parameters, slab, axis, Shift::forward);
    behind_[axis] = factors(parameters, slab, axis, Shift::backward);
  }
  fill_kappa(parameters);
}

GlobalFourier::Factors GlobalFourier::factors(const Parameters &p, const Slab &slab,
                                              std::size_t axis, Shift shift) {
  const std::ptrdiff_t bins = axis == 0 ? slab.spectral().n2 : p.n[axis];
  Factors result;
  for (const std::complex<double> &factor :
       staggered_derivative(bins, p.n[axis], static_cast<double>(p.spacing[axis]), shift)) {
    // The normalisation of the backward transform comes with the factor, at no cost.
    const std::complex<double> scaled = factor / slab.points();
    result.push_back({static_cast<float>(scaled.real()), static_cast<float>(scaled.imag())});
  }
  return result;
}

void GlobalFourier::fill_kappa(const Parameters &p) {
  std::array<std::vector<double>, 3> k2;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::ptrdiff_t i = 0; i < p.n[a]; ++i) {
      const double k = wavenumber(i, p.n[a], static_cast<double>(p.spacing[a]));
      k2[a].push_back(k * k);
    }
  const double half = 0.5 * static_cast<double>(p.c_ref) * static_cast<double>(p.dt);
  const grid::Box box = slab_.spectral();
  const grid::View<float> table{kappa_.data(), box.n1, box.n2};
  const double *kx = k2[0].data();
  const double *ky = k2[1].data() + (box.n0 > 0 ? slab_.first_y() : 0);
  const double *kz = k2[2].data();
  grid::parallel_for(host_, box, [=](auto y, auto z, auto x) {
    table(y, z, x) = static_cast<float>(kappa(half * std::sqrt(kx[x] + ky[y] + kz[z])));
  });
}

void GlobalFourier::multiply(const std::array<Factors, 3> &factors, int axis, const Field &from,
                             Field &to) {
  const grid::Box box = slab_.spectral();
  const grid::View<const Complex> in{reinterpret_cast<const Complex *>(from.data()), box.n1,
                                     box.n2};
  const grid::View<Complex> out{reinterpret_cast<Complex *>(to.data()), box.n1, box.n2};
  const grid::View<const float> kappa{kappa_.data(), box.n1, box.n2};
  const auto apply = [&](auto factor) {
    grid::parallel_for(host_, box, [=](auto y, auto z, auto x) {
      // Member by member: whole-struct copies would keep the compiler from vectorising.
      const Complex &v = in(y, z, x);
      const Complex f = factor(y, z, x);
      const float k = kappa(y, z, x);
      const float re = k * (f.re * v.re - f.im * v.im);
      const float im = k * (f.re * v.im + f.im * v.re);
      Complex &result = out(y, z, x);
      result.re = re;
      result.im = im;
    });
  };
  const Complex *values = factors[static_cast<std::size_t>(axis)].data();
  switch (axis) {
  case 0:
    return apply(grid::Profile<Complex, 2>{values});
  case 1:
    return apply(grid::Profile<Complex, 0>{values + (box.n0 > 0 ? slab_.first_y() : 0)});
  default:
    return apply(grid::Profile<Complex, 1>{values});
  }
}

void GlobalFourier::gradient(Field &p, const UseComponent &use) {
  forward_.execute(p.real(), work_.spectrum());
  for (int axis = 0; axis < 3; ++axis) {
    multiply(ahead_, axis, work_, p);
    backward_.execute(p.spectrum(), p.real());
    use(axis, p);
  }
}

void GlobalFourier::divergence_term(int axis, const Field &u, const Use &use) {
  forward_.execute(u.real(), work_.spectrum());
  multiply(behind_, axis, work_, work_);
  backward_.execute(work_.spectrum(), work_.real());
  use(work_);
}

std::string GlobalFourier::describe() const {
  return forward_.describe() + "\n" + backward_.describe();
}

} // namespace hybridfft::kspace
