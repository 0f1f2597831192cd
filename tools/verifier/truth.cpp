// Evaluates a field on rank 0, transforms it by definition or by serial FFTW, and broadcasts the
// result.
#include "verifier/truth.h"

#include <fftw3.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "verifier/tolerance.h"

namespace hybridfft::verifier {

namespace {

using Wide = std::complex<long double>;

/// Maximum number of multiplications for a transform by definition. So many take a fraction of a
/// second.
constexpr std::ptrdiff_t affordable = std::ptrdiff_t{1} << 23U;

std::vector<std::complex<double>> evaluate(const Problem &p, const Field &field) {
  std::vector<std::complex<double>> x(static_cast<std::size_t>(values(p)));
  Index index(p.extents.size(), 0);
  for (std::size_t at = 0; at < x.size(); at += static_cast<std::size_t>(p.howmany)) {
    for (std::ptrdiff_t v = 0; v < p.howmany; ++v)
      x[at + static_cast<std::size_t>(v)] = field(index, v);
    for (std::size_t a = index.size(); a-- > 0;) {
      if (++index[a] < p.extents[a]) break;
      index[a] = 0;
    }
  }
  return x;
}

/// Transforms n values with a distance of `stride` by definition, in place.
void transform_line(Wide *line, std::ptrdiff_t n, std::ptrdiff_t stride,
                    const std::vector<Wide> &roots, std::vector<Wide> &scratch) {
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    long double re = 0;
    long double im = 0;
    for (std::ptrdiff_t j = 0, turn = 0; j < n; ++j) {
      const Wide &x = line[j * stride];
      const Wide &w = roots[static_cast<std::size_t>(turn)];
      re += x.real() * w.real() - x.imag() * w.imag();
      im += x.real() * w.imag() + x.imag() * w.real();
      turn += k;
      if (turn >= n) turn -= n;
    }
    scratch[static_cast<std::size_t>(k)] = {re, im};
  }
  for (std::ptrdiff_t k = 0; k < n; ++k)
    line[k * stride] = scratch[static_cast<std::size_t>(k)];
}

bool listed(const std::vector<int> &axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
}

void by_definition(const Problem &p, const std::vector<int> &axes,
                   std::vector<std::complex<double>> &x) {
  std::vector<Wide> data(x.begin(), x.end());
  const auto total = static_cast<std::ptrdiff_t>(data.size());
  std::ptrdiff_t stride = p.howmany;
  for (std::size_t a = p.extents.size(); a-- > 0; stride *= p.extents[a]) {
    if (!listed(axes, a)) continue;
    const std::ptrdiff_t n = p.extents[a];
    const std::vector<Wide> roots = roots_of_unity(n, static_cast<int>(p.direction));
    std::vector<Wide> scratch(static_cast<std::size_t>(n));
    for (std::ptrdiff_t block = 0; block < total; block += n * stride)
      for (std::ptrdiff_t i = 0; i < stride; ++i)
        transform_line(data.data() + block + i, n, stride, roots, scratch);
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = std::complex<double>(data[i]);
}

void by_fftw(const Problem &p, const std::vector<int> &axes, std::vector<std::complex<double>> &x) {
  std::vector<fftw_iodim64> transform;
  std::vector<fftw_iodim64> batch{{p.howmany, 1, 1}};
  std::ptrdiff_t stride = p.howmany;
  for (std::size_t a = p.extents.size(); a-- > 0; stride *= p.extents[a])
    (listed(axes, a) ? transform : batch).push_back({p.extents[a], stride, stride});
  auto *data = reinterpret_cast<fftw_complex *>(x.data());
  fftw_plan plan = fftw_plan_guru64_dft(static_cast<int>(transform.size()), transform.data(),
                                        static_cast<int>(batch.size()), batch.data(), data, data,
                                        static_cast<int>(p.direction), FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

} // namespace

Truth true_transform(const Problem &p, const Field &field, MPI_Comm comm) {
  std::vector<int> all(p.extents.size());
  std::iota(all.begin(), all.end(), 0);
  return true_transform(p, field, all, comm);
}

Truth true_transform(const Problem &p, const Field &field, const std::vector<int> &axes,
                     MPI_Comm comm) {
  const bool definition =
      values(p) * std::accumulate(p.extents.begin(), p.extents.end(), std::ptrdiff_t{0}) <=
      affordable;
  Truth truth;
  // A result by definition is computed in long double and rounded once to double.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  truth.uncertainty = definition ? eps : transform_tolerance(p, eps);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    truth.values = evaluate(p, field);
    definition ? by_definition(p, axes, truth.values) : by_fftw(p, axes, truth.values);
  }
  truth.values.resize(static_cast<std::size_t>(values(p)));
  MPI_Bcast(truth.values.data(), static_cast<int>(truth.values.size()), MPI_CXX_DOUBLE_COMPLEX, 0,
            comm);
  return truth;
}

} // namespace hybridfft::verifier
