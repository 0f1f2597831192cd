#include "solvers/kspace/operators/divergence.h"

#include <algorithm>
#include <complex>

#include "base/mpi.h"
#include "hybridfft/hybridfft.hpp"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

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
