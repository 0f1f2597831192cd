#include "solvers/kspace/operators/spectral_operators.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <omp.h>

#include "base/mpi.h"
#include "hybridfft/hybridfft.hpp"
#include "solvers/kspace/base/local_grid.h"

namespace hybridfft::kspace {

double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d) {
  const std::ptrdiff_t m = (i + n / 2) % n - n / 2;
  return 2 * std::numbers::pi * static_cast<double>(m) / (static_cast<double>(n) * d);
}

std::array<std::vector<double>, 3> squared_wavenumbers(const Parameters &p) {
  std::array<std::vector<double>, 3> squares{{{0}, {0}, {0}}};
  for (std::size_t a = 0; a < static_cast<std::size_t>(p.dimensions()); ++a) {
    squares[a].clear();
    for (std::ptrdiff_t i = 0; i < p.n[a]; ++i) {
      const double k = wavenumber(i, p.n[a], p.spacing[a]);
      squares[a].push_back(k * k);
    }
  }
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

namespace {

using DoubleComplex = std::complex<double>;

/// Returns i k / N for every bin along an axis, with N points in the grid.
std::vector<DoubleComplex> slopes(const Parameters &p, int axis, double points) {
  const std::ptrdiff_t n = p.n[static_cast<std::size_t>(axis)];
  const double d = p.spacing[static_cast<std::size_t>(axis)];
  std::vector<DoubleComplex> factors;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    factors.emplace_back(0, 2 * i == n ? 0 : wavenumber(i, n, d) / points);
  return factors;
}

/// Adds factors * spectrum to `sum`, with one factor per bin of an axis. D is the number of
/// dimensions of the transform.
template <std::size_t D>
void accumulate(const LayoutView &layout, int axis, const std::vector<DoubleComplex> &factors,
                const Buffer<DoubleComplex> &spectrum, Buffer<DoubleComplex> &sum) {
  // The layout orders indices from the slowest axis.
  const std::size_t place = D - 1 - static_cast<std::size_t>(axis);
  layout.for_each<D>([&](std::ptrdiff_t at, const auto &index) {
    sum[at] += factors[static_cast<std::size_t>(index[place])] * spectrum[at];
  });
}

/// Returns the layout with each rank's contiguous part of the grid.
Layout parts(const LocalGrid &local, const grid::Communicator &comm) {
  const std::vector<std::ptrdiff_t> extents =
      TransposedSpectrum::transform_extents(local.extents());
  const std::size_t d = extents.size();
  const auto axes = static_cast<int>(d);
  // Each rank sends its start along each axis, slowest first, followed by its extents.
  std::vector<std::int64_t> mine;
  for (int axis = axes - 1; axis >= 0; --axis)
    mine.push_back(local.start(local.place(axis)));
  for (int axis = axes - 1; axis >= 0; --axis)
    mine.push_back(local.box().extent(local.place(axis)));
  std::vector<std::int64_t> all(2 * d * static_cast<std::size_t>(comm.size()));
  mpi::check(MPI_Allgather(mine.data(), static_cast<int>(2 * d), MPI_INT64_T, all.data(),
                           static_cast<int>(2 * d), MPI_INT64_T, comm.handle()),
             "MPI_Allgather");
  std::vector<IndexBox> boxes;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(2 * d)) {
    const auto middle = at + static_cast<std::ptrdiff_t>(d);
    boxes.push_back({{at, middle}, {middle, middle + static_cast<std::ptrdiff_t>(d)}});
  }
  return Layout::boxes(extents, boxes);
}

/// Returns the layout of the transposed half spectrum, which slabs reach by one exchange.
Layout half_spectrum(const LocalGrid &local, const grid::Communicator &comm) {
  std::vector<std::ptrdiff_t> extents = TransposedSpectrum::transform_extents(local.extents());
  extents.back() = extents.back() / 2 + 1;
  return Layout::slab(extents, comm.size(), {.transposed = true});
}

} // namespace

template <class Real>
Field<Real> divergence(const Parameters &parameters, const LocalGrid &local,
                       const grid::Communicator &comm, grid::Host host,
                       const std::function<void(int axis, std::span<double> values)> &component) {
  Options options;
  options.comm = comm.handle();
  options.effort = Effort::estimate;
  options.deterministic = true;
  options.threads = host.threads;
  const Layout space = parts(local, comm);
  const Layout frequencies = half_spectrum(local, comm);
  Buffer<double> values;
  Buffer<DoubleComplex> spectrum;
  Buffer<DoubleComplex> sum;
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(space, frequencies, options);
  const LocalSizes back = local_sizes<double, Kind::c2r>(frequencies, space, options);
  comm.agree([&] {
    values = Buffer<double>(std::max(sizes.allocate_in, back.allocate_out));
    spectrum = Buffer<DoubleComplex>(sizes.allocate_out);
    sum = Buffer<DoubleComplex>(std::max(sizes.allocate_out, back.allocate_in));
  });
  Plan<double, Kind::r2c> forward(space, frequencies, values, spectrum, options);
  Plan<double, Kind::c2r> backward(frequencies, space, sum, values, options);

  const auto for_each_row = [&](const auto &copy) {
    const grid::Box box = local.box();
    double *row = values.data();
    for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < box.extent(1); ++j, row += box.extent(2))
        copy(local.offset(i, j), row, box.extent(2));
  };
  std::vector<double> filled;
  comm.agree([&] { filled.resize(local.size()); });
  for (int axis = 0; axis < local.dimensions(); ++axis) {
    std::ranges::fill(filled, 0.0);
    component(axis, filled);
    for_each_row([&](std::ptrdiff_t at, double *row, std::ptrdiff_t n) {
      std::copy_n(filled.data() + at, n, row);
    });
    forward.execute();
    const std::vector<DoubleComplex> factors = slopes(parameters, axis, local.points());
    if (is_flat(local.extents()))
      accumulate<2>(forward.output(), axis, factors, spectrum, sum);
    else
      accumulate<3>(forward.output(), axis, factors, spectrum, sum);
  }
  backward.execute();
  Field<Real> result;
  comm.agree([&] { result = Field<Real>(local.size(), host.threads); });
  for_each_row([&](std::ptrdiff_t at, const double *row, std::ptrdiff_t n) {
    std::transform(row, row + n, result.data() + at, [](double v) { return static_cast<Real>(v); });
  });
  return result;
}

template Field<float>
divergence<float>(const Parameters &parameters, const LocalGrid &local,
                  const grid::Communicator &comm, grid::Host host,
                  const std::function<void(int axis, std::span<double> values)> &component);
template Field<double>
divergence<double>(const Parameters &parameters, const LocalGrid &local,
                   const grid::Communicator &comm, grid::Host host,
                   const std::function<void(int axis, std::span<double> values)> &component);

} // namespace hybridfft::kspace
