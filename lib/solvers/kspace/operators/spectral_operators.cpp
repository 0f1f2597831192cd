#include "solvers/kspace/operators/spectral_operators.h"

#include <omp.h>

#include <cmath>
#include <numbers>

namespace hybridfft::kspace {

double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d) {
  const std::ptrdiff_t m = (i + n / 2) % n - n / 2;
  return 2 * std::numbers::pi * static_cast<double>(m) / (static_cast<double>(n) * d);
}

std::vector<double> squared_wavenumbers(std::ptrdiff_t n, double d) {
  std::vector<double> squares;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    squares.push_back(wavenumber(i, n, d) * wavenumber(i, n, d));
  return squares;
}

std::vector<std::complex<double>> staggered_derivative(std::ptrdiff_t bins, std::ptrdiff_t n,
                                                       double d, Shift shift) {
  std::vector<std::complex<double>> factors;
  const double half = shift == Shift::forward ? d / 2 : -d / 2;
  for (std::ptrdiff_t i = 0; i < bins; ++i) {
    const double k = wavenumber(i, n, d);
    factors.push_back(std::complex<double>(0, k) * std::polar(1.0, k * half));
  }
  return factors;
}

std::vector<std::complex<double>> half_shift(std::ptrdiff_t bins, std::ptrdiff_t n, double d) {
  std::vector<std::complex<double>> factors;
  for (std::ptrdiff_t i = 0; i < bins; ++i)
    factors.push_back(2 * i == n ? 0 : std::polar(1.0, -wavenumber(i, n, d) * d / 2));
  return factors;
}

double source_kappa(double a) { return std::cos(a); }

double kappa(double a) { return a == 0 ? 1 : std::sin(a) / a; }

namespace {

template <class Real>
lfb::CoarseLevel<Real> make_level(const Parameters &p, const Decomposition &decomposition,
                                  const Exec &exec) {
  std::array<double, 3> spacings{1, 1, 1};
  for (int axis = 0; axis < p.dimensions(); ++axis)
    spacings[static_cast<std::size_t>(place(axis, p.dimensions()))] =
        p.spacing[static_cast<std::size_t>(axis)];
  const std::array exponents{p.alpha_power - 2, p.alpha_power - 1};
  const double reach = decomposition.laplacian_reach(p);
  if (exec.device != nullptr)
    return {decomposition.cartesian(), spacings, reach, exponents, exec.host.threads, *exec.device};
  return {decomposition.cartesian(), spacings, reach, exponents, exec.host.threads};
}

} // namespace

template <class Real>
FarField<Real>::FarField(const Parameters &parameters, const Decomposition &decomposition,
                         const LocalGrid &local, const grid::Communicator &comm, const Exec &exec)
    : local_(local), start_(decomposition.box().lo),
      blocks_(decomposition.cartesian().mine().size()),
      coarse_(make_level<Real>(parameters, decomposition, exec)) {
  comm.agree([&] {
    for (Field<Real> &part : parts_)
      part = Field<Real>(local_.size(), exec);
    if (exec.device == nullptr)
      rows_.resize(static_cast<std::size_t>(local_.pitch() * exec.host.threads));
  });
}

template <class Real> LaplacianMultipliers FarField<Real>::multipliers() const {
  return {[this](double k) { return coarse_.local(0, k); },
          [this](double k) { return coarse_.local(1, k); }};
}

template <class Real> void FarField<Real>::set_uniform(Real tau, Real eta) {
  tau_ = tau;
  eta_ = eta;
}

template <class Real>
void FarField<Real>::start(std::size_t operand, std::span<const grid::View<const Real>> blocks) {
  coarse_.start(operand, blocks);
}

template <class Real> void FarField<Real>::finish(std::size_t operand) {
  // One view serves all blocks of this rank, since they are stored in one field.
  const grid::View<Real> all(parts_[operand].data(), local_.plane(), local_.pitch(),
                             -(local_.offset(start_[0], start_[1]) + start_[2]));
  coarse_.finish(operand, std::vector(blocks_, all));
}

template <class Real>
const Real *FarField<Real>::add(Operator op, int c, const Row &row, const Real *values) const {
  Real *sum = rows_.data() + omp_get_thread_num() * local_.pitch();
  const auto part = [&](std::size_t operand) {
    return parts_[operand].row(local_, row.i, row.j) + row.first;
  };
  if (op == Operator::laplacians) {
    const Real *far = part(static_cast<std::size_t>(c));
    for (std::ptrdiff_t k = 0; k < row.count; ++k)
      sum[k] = values[k] + far[k];
    return sum;
  }
  const Real *absorption = part(0), *dispersion = part(1);
  for (std::ptrdiff_t k = 0; k < row.count; ++k)
    sum[k] = values[k] + tau_ * absorption[k] - eta_ * dispersion[k];
  return sum;
}

template class FarField<float>;
template class FarField<double>;

} // namespace hybridfft::kspace
