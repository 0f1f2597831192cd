#include "solvers/kspace/operators/fused_fourier.h"

#include <cmath>

namespace hybridfft::kspace {

namespace {

constexpr int free_field = 2; ///< the plan's field for filter(); it stores neither operand 0 nor
                              ///< the first component

/// Runs a kernel on the components first ... end - 1 of an operator, in one of several sweeps over
/// its components. `ends` is true for the last sweep of a divergence: this sweep calls end().
template <class Real> class SomeComponents final : public RowKernel<Real> {
public:
  SomeComponents(const RowKernel<Real> &kernel, int first, int end, bool ends)
      : kernel_(kernel), first_(first), end_(end), ends_(ends) {}
  void component(int c, const Row &row, const Real *values, OutputRows<Real> out) const override {
    kernel_.component(first_ + c, row, values, out);
  }
  void end(const Row &row, OutputRows<Real> out) const override {
    if (ends_) kernel_.end(row, out);
  }
  std::ptrdiff_t planes_first() const override { return kernel_.planes_first(); }
  void completed(int) const override {
    for (int axis = end_ - 1; axis >= first_; --axis)
      kernel_.completed(axis);
  }
  void ends_completed(int) const override {
    for (int axis = end_ - 1; axis >= first_; --axis)
      kernel_.ends_completed(axis);
  }

private:
  const RowKernel<Real> &kernel_;
  int first_, end_;
  bool ends_;
};

} // namespace

template <class Real>
bool FusedFourier<Real>::applies(const Parameters &p, const grid::Communicator &comm) {
  const bool mine =
      p.dimensions() == 3 && !p.axisymmetric && Plan::supports({p.n[2], p.n[1], p.n[0]});
  return comm.max(std::int64_t{mine ? 0 : 1}) == 0;
}

template <class Real>
FusedFourier<Real>::FusedFourier(const Parameters &p, const LocalGrid &local,
                                 const grid::Communicator &comm, grid::Host host,
                                 const LaplacianMultipliers &multipliers)
    : HostDerivative<Real>(local, comm, host),
      plan_({p.n[2], p.n[1], p.n[0]}, 3, comm.handle(), host.threads),
      row_size_(static_cast<std::size_t>(local.pitch()) + alignment / sizeof(Real)) {
  comm.agree([&] {
    spare_rows_.resize(row_size_ * max_outputs * static_cast<std::size_t>(host.threads));
    tables_.make_factors(
        p, 1, [&](int axis, std::vector<std::complex<double>> factors, double divisor) {
          for (std::complex<double> &factor : factors)
            factor /= divisor;
          return plan_.factors(2 - axis,
                               std::vector<std::complex<Real>>(factors.begin(), factors.end()));
        });
  });
  const double scale = 1 / local_.points();
  tables_.make_tables(
      p, multipliers, scale, scale, [&, k2 = squared_wavenumbers(p)](const auto &f) {
        return plan_.table([&](std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t x) {
          return f(std::sqrt(k2[0][static_cast<std::size_t>(x)] +
                             k2[1][static_cast<std::size_t>(y)] +
                             k2[2][static_cast<std::size_t>(z)]));
        });
      });
}

template <class Real> void FusedFourier<Real>::set_uniform_absorption(Real tau, Real eta) {
  const auto everywhere = [&](Real value) {
    return plan_.factors(
        0, std::vector<std::complex<Real>>(static_cast<std::size_t>(local_.extents()[2]), value));
  };
  tau_ = everywhere(tau);
  minus_eta_ = everywhere(-eta);
}

template <class Real>
template <class F>
void FusedFourier<Real>::sweep_wanted(std::span<const Source> sources,
                                      std::span<const int> operands, const RowKernel<Real> &kernel,
                                      const F &line) {
  const std::ptrdiff_t planes = std::min(wanted_.end, local_.box().extent(0));
  const std::ptrdiff_t ends = kernel.planes_first();
  const auto sweep_part = [&](std::ptrdiff_t first, std::ptrdiff_t end) {
    plan_.planes(Part{first, end, wanted_.lines}, sources, operands, line);
  };
  if (wanted_.end > planes) return plan_.planes(sources, operands, line);
  if (ends == 0 || 2 * ends >= planes) {
    sweep_part(0, planes);
    return kernel.ends_completed(-1);
  }
  sweep_part(0, ends);
  sweep_part(planes - ends, planes);
  kernel.ends_completed(-1);
  sweep_part(ends, planes - ends);
}

template <class Real>
void FusedFourier<Real>::sweep(std::span<const Source> sources, const RowKernel<Real> &kernel,
                               std::span<const Output<Real>> outputs) {
  const auto on_line = [&](const Line &line) {
    std::array<Real *, max_outputs> rows{};
    std::size_t target = 0;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const bool operand = outputs[o].use == Output<Real>::Use::operand;
      if (outputs[o].use == Output<Real>::Use::skip) continue;
      if (outputs[o].field != nullptr)
        rows[o] = outputs[o].field->row(local_, line.i, line.j);
      else
        rows[o] = operand ? line.scratch[target] : spare_row(o);
      if (operand) line.out[target++] = rows[o];
    }
    const Row row = whole_row(line);
    kernel.begin(row, rows.data());
    for (std::size_t s = 0; s < sources.size(); ++s)
      kernel.component(static_cast<int>(s), row, line.in[s], rows.data());
    kernel.end(row, rows.data());
  };
  const std::span<const int> operands = targets(outputs);
  const bool whole_planes = wanted_.lines >= local_.extents()[1];
  if (whole_planes || operands.empty()) return sweep_wanted(sources, operands, kernel, on_line);
  plan_.planes(sources, operands, on_line);
}

template <class Real>
void FusedFourier<Real>::gradient(const RowKernel<Real> &kernel,
                                  std::span<const Output<Real>> outputs) {
  const std::array<Product, 2> products{{{2, {{0, tables_.kappa.get(), &tables_.ahead[2]}}},
                                         {0, {{0, tables_.kappa.get(), nullptr}}}}};
  plan_.lines(products);
  // Components 0 and 1 are computed from field 0 while it is in cache; field 0 then stores operand
  // 0 of the next operator. If each field has its own exchange, the two components are computed in
  // separate sweeps, so that the exchange of operand 1 starts earlier.
  const std::array<Source, 3> sources{
      {{0, nullptr, &tables_.ahead[0]}, {0, &tables_.ahead[1], nullptr}, {2, nullptr, nullptr}}};
  const bool apart = plan_.fields_travel_apart();
  for (int end = 3; end > 0;) {
    const int first = end == 3 || apart ? end - 1 : 0;
    std::array<Output<Real>, max_outputs> only{};
    for (auto axis = static_cast<std::size_t>(first); axis < static_cast<std::size_t>(end); ++axis)
      if (axis < outputs.size()) only[axis] = outputs[axis];
    const SomeComponents<Real> components(kernel, first, end, false);
    sweep({sources.begin() + first, sources.begin() + end}, components, only);
    components.completed(-1);
    end = first;
  }
}

template <class Real>
void FusedFourier<Real>::divergence(const RowKernel<Real> &kernel,
                                    std::span<const Output<Real>> outputs) {
  divergence_lines();
  const std::array<Source, 3> sources{
      {{0, nullptr, &tables_.behind[0]}, {1, &tables_.behind[1], nullptr}, {2, nullptr, nullptr}}};
  if (!plan_.fields_travel_apart() || !kernel.components_apart())
    return sweep(sources, kernel, outputs);
  // Components are processed in the order of arrival of their messages. A sweep over all
  // components would wait for the last message.
  for (int axis = 2; axis >= 0; --axis)
    sweep({&sources[static_cast<std::size_t>(axis)], 1},
          SomeComponents<Real>(kernel, axis, axis + 1, axis == 0),
          axis == 0 ? outputs : std::span<const Output<Real>>());
}

template <class Real>
void FusedFourier<Real>::apply(Operator op, const RowKernel<Real> &kernel,
                               std::span<const Output<Real>> outputs) {
  switch (op) {
  case Operator::none:
    return sweep({}, kernel, outputs);
  case Operator::gradient:
    return gradient(kernel, outputs);
  case Operator::divergence:
    return divergence(kernel, outputs);
  case Operator::laplacians: {
    for (int o = 0; o < 2; ++o) {
      const Product product{o,
                            {{o, tables_.laplacians[static_cast<std::size_t>(o)].get(), nullptr}}};
      plan_.lines({&product, 1});
    }
    const std::array<Source, 2> sources{{{0, nullptr, nullptr}, {1, nullptr, nullptr}}};
    return sweep(sources, kernel, outputs);
  }
  case Operator::absorption: {
    const Product sum{
        0,
        {{0, tables_.laplacians[0].get(), &tau_}, {1, tables_.laplacians[1].get(), &minus_eta_}}};
    plan_.lines({&sum, 1});
    const Source source{0, nullptr, nullptr};
    return sweep({&source, 1}, kernel, outputs);
  }
  }
}

template <class Real>
void FusedFourier<Real>::filter(const Field<Real> &field, const PlanTable *table,
                                const PlanFactors *x, const PlanFactors *y, const PlanFactors *z,
                                const UseRow<Real> &use) {
  const int target = free_field;
  plan_.planes({}, {&target, 1},
               [&](const Line &line) { line.out[0] = field.row(local_, line.i, line.j); });
  const Product product{free_field, {{free_field, table, z}}};
  plan_.lines({&product, 1});
  const Source source{free_field, y, x};
  plan_.planes(wanted_, {&source, 1}, {},
               [&](const Line &line) { use(whole_row(line), line.in[0]); });
}

template class FusedFourier<float>;
template class FusedFourier<double>;

} // namespace hybridfft::kspace
