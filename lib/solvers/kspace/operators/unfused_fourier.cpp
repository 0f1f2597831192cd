#include "solvers/kspace/operators/unfused_fourier.h"

#include <chrono>

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

} // namespace hybridfft::kspace
