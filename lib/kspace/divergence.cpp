#include "kspace/divergence.h"

#include <algorithm>
#include <complex>

#include "hybridfft/hybridfft.hpp"
#include "kspace/spectral_operators.h"
#include "kspace/transposed_spectrum.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

namespace {

using Complex = std::complex<double>;

/// i k / N of every bin along an axis.
std::vector<Complex> slopes(const Parameters &p, int axis, double points) {
  const std::ptrdiff_t n = p.n[static_cast<std::size_t>(axis)];
  const double d = p.spacing[static_cast<std::size_t>(axis)];
  std::vector<Complex> factors;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    factors.emplace_back(0, 2 * i == n ? 0 : wavenumber(i, n, d) / points);
  return factors;
}

/// sum += factors along an axis * spectrum, in D dimensions.
template <std::size_t D>
void accumulate(const LayoutView &layout, int axis, const std::vector<Complex> &factors,
                const Buffer<Complex> &spectrum, Buffer<Complex> &sum) {
  // The slowest axis comes first in an index.
  const std::size_t place = D - 1 - static_cast<std::size_t>(axis);
  layout.for_each<D>([&](std::ptrdiff_t at, const auto &index) {
    sum[at] += factors[static_cast<std::size_t>(index[place])] * spectrum[at];
  });
}

} // namespace

Field divergence(const Parameters &parameters, const LocalGrid &local,
                 const grid::Communicator &comm, grid::Host host,
                 const std::function<void(int axis, std::span<double> values)> &component) {
  const std::vector<std::ptrdiff_t> extents =
      TransposedSpectrum::transform_extents(local.extents());
  const auto options = [&](bool forward) {
    Options o;
    o.comm = comm.handle();
    o.effort = Effort::estimate;
    o.deterministic = true;
    o.threads = host.threads;
    o.transposed_out = forward;
    o.transposed_in = !forward;
    return o;
  };
  Buffer<double> values;
  Buffer<Complex> spectrum;
  Buffer<Complex> sum;
  const LocalSizes sizes = local_sizes<double, Kind::r2c>(extents, options(true));
  comm.agree([&] {
    values = Buffer<double>(sizes.allocate_in);
    spectrum = Buffer<Complex>(sizes.allocate_out);
    sum = Buffer<Complex>(sizes.allocate_out);
  });
  Plan<double, Kind::r2c> forward(extents, values, spectrum, options(true));
  Plan<double, Kind::c2r> backward(extents, sum, values, options(false));

  // Rows of transforms are padded in their own way.
  const auto for_each_row = [&](const auto &copy) {
    const grid::Box box = local.box();
    const std::ptrdiff_t pitch = 2 * (box.extent(2) / 2 + 1);
    for (std::ptrdiff_t row = 0; row < box.extent(0) * box.extent(1); ++row)
      copy(row * local.pitch(), values.data() + row * pitch, box.extent(2));
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
    const std::vector<Complex> factors = slopes(parameters, axis, local.points());
    if (local.dimensions() == 2)
      accumulate<2>(forward.output(), axis, factors, spectrum, sum);
    else
      accumulate<3>(forward.output(), axis, factors, spectrum, sum);
  }
  backward.execute();
  Field result;
  comm.agree([&] { result = Field(local.size(), host.threads); });
  for_each_row([&](std::ptrdiff_t at, const double *row, std::ptrdiff_t n) {
    std::transform(row, row + n, result.data() + at, [](double v) { return static_cast<Real>(v); });
  });
  return result;
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
