#include "solvers/kspace/operators/global_fourier.h"

#include <stdexcept>

#include "base/threads.h"

namespace hybridfft::kspace {

template <class Real>
UnfusedFourier<Real>::UnfusedFourier(const LocalGrid &local, const grid::Communicator &comm,
                                     grid::Host host, Effort effort, Field<Real> &scratch)
    : HostDerivative<Real>(local, comm, host), spectrum_(local.extents(), comm) {
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
void UnfusedFourier<Real>::fractional_laplacian(std::size_t, const Field<Real> &,
                                                const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real>
void UnfusedFourier<Real>::absorb(Real, Field<Real> &, Real, const Field<Real> &,
                                  const UseField<Real> &) {
  throw std::logic_error("power-law absorption on an axisymmetric grid");
}

template <class Real> template <class F> void UnfusedFourier<Real>::for_each_row(const F &f) const {
  const grid::Box box = local_.box();
  parallel_ranges(box.extent(0) * box.extent(1), host_.threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                    for (std::ptrdiff_t row = first; row < last; ++row)
                      f(Row{row / box.extent(1), row % box.extent(1), 0, box.extent(2)});
                  });
}

template <class Real> UseField<Real> UnfusedFourier<Real>::by_rows(const UseRow<Real> &use) const {
  return [&](const Field<Real> &field) {
    for_each_row([&](const Row &row) { use(row, field.row(local_, row.i, row.j)); });
  };
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
  const double working = working_;
  operating_ += seconds_of([&] { run(op, kernel); }) - (working_ - working);
  if (together) for_each_row([&](const Row &row) { kernel.end(row, rows_at(row).data()); });
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (outputs[o].use == Output<Real>::Use::operand) operands_[o] = outputs_[o];
}

template <class Real>
void UnfusedFourier<Real>::component(const RowKernel<Real> &kernel, int c,
                                     const Field<Real> &values) {
  working_ += seconds_of([&] {
    for_each_row([&](const Row &row) {
      kernel.component(c, row, values.row(local_, row.i, row.j), rows_at(row).data());
    });
  });
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
    return gradient(operand(0), [&](int axis, const Field<Real> &slope) {
      component(kernel, axis, slope);
      kernel.completed(axis);
    });
  case Operator::divergence:
    for (int axis = 0; axis < local_.dimensions(); ++axis)
      divergence_term(axis, operand(static_cast<std::size_t>(axis)),
                      [&](const Field<Real> &slope) { component(kernel, axis, slope); });
    return;
  case Operator::laplacians:
    for (std::size_t o = 0; o < 2; ++o)
      fractional_laplacian(o, operand(o), [&](const Field<Real> &result) {
        component(kernel, static_cast<int>(o), result);
      });
    return;
  case Operator::absorption:
    return absorb(tau_, operand(0), eta_, operand(1),
                  [&](const Field<Real> &result) { component(kernel, 0, result); });
  }
}

// Members of complex numbers are assigned one by one; copying whole structs would prevent
// vectorisation.
template <class Real>
void UnfusedFourier<Real>::multiply(const Field<Real> *table, int axis,
                                    const Factors<Real> &factors, const Field<Real> &from,
                                    Field<Real> &to) const {
  const auto with_table = [&](auto factor, auto real) {
    for_each_bin(from, to, [=](auto i, auto j, auto k, const Complex &v, Complex &result) {
      const Complex f = factor(i, j, k);
      const Real r = real(i, j, k);
      const Real re = r * (f.re * v.re - f.im * v.im);
      const Real im = r * (f.re * v.im + f.im * v.re);
      result.re = re;
      result.im = im;
    });
  };
  const auto apply = [&](auto factor) {
    if (table != nullptr)
      with_table(factor, view(*table));
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

template class UnfusedFourier<float>;
template class UnfusedFourier<double>;

template <class Real>
GlobalFourier<Real>::GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                                   const grid::Communicator &comm, grid::Host host, Effort effort,
                                   Field<Real> &scratch, const LaplacianMultipliers &multipliers)
    : Base(local, comm, host, effort, scratch) {
  comm.agree([&] {
    tables_.make_factors(parameters, local.points(), [](int, const auto &f, double divisor) {
      return rounded<Real>(f, divisor);
    });
    tables_.make_tables(parameters, multipliers, 1, 1 / local.points(), [&](const auto &f) {
      const TransposedSpectrum &s = this->spectrum_;
      Field<Real> table = this->new_table();
      fill_table(parameters, {s.place(0), s.place(1), s.place(2)}, s.box(), s.start(), host,
                 table.data(), f);
      return table;
    });
  });
}

template <class Real>
void GlobalFourier<Real>::multiply(const Field<Real> &table, const Field<Real> &from,
                                   Field<Real> &to) const {
  const grid::View<const Real> real = view(table);
  for_each_bin(from, to, [=](auto i, auto j, auto k, const Complex &v, Complex &result) {
    const Real re = real(i, j, k) * v.re;
    const Real im = real(i, j, k) * v.im;
    result.re = re;
    result.im = im;
  });
}

template <class Real>
void GlobalFourier<Real>::gradient(Field<Real> &p, const UseComponent<Real> &use) {
  forward(p);
  for (int axis = 0; axis < local_.dimensions(); ++axis) {
    multiply(&tables_.kappa, axis, tables_.ahead[static_cast<std::size_t>(axis)], work_, p);
    backward(p, [&](const Field<Real> &slope) { use(axis, slope); });
  }
}

template <class Real>
void GlobalFourier<Real>::absorb(Real tau, Field<Real> &compression, Real eta,
                                 const Field<Real> &rho, const UseField<Real> &use) {
  forward(compression);
  multiply(tables_.laplacians[0], work_, compression);
  forward(rho);
  const grid::View<const Real> dispersion = view(tables_.laplacians[1]);
  for_each_bin(compression, work_, [=](auto i, auto j, auto k, const Complex &v, Complex &w) {
    const Real factor = -eta * dispersion(i, j, k);
    const Real re = tau * v.re + factor * w.re;
    const Real im = tau * v.im + factor * w.im;
    w.re = re;
    w.im = im;
  });
  backward(work_, use);
}

template class GlobalFourier<float>;
template class GlobalFourier<double>;

} // namespace hybridfft::kspace
